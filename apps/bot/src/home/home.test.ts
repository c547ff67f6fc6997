import { checkBlocks, type Person, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { type Stage, startStage } from "../test/stage.js";

async function homeOf({ slack }: Stage, person: Person) {
  await person.openHome();
  return slack.until(() => person.home);
}

describe("the app's home", () => {
  it("shows the projects and what can be done with them", async () => {
    const stage = await startStage();
    const home = await homeOf(stage, stage.bob);
    expect(checkBlocks(home.blocks, "home")).toEqual({ ok: true });
    const text = textOf(home);
    expect(text).toContain("★ *demo* · 127.0.0.1");
    expect(text).toContain("From the environment of the bot");
    expect(text).toContain("Or type it");
    expect(text).toContain("You have made none here yet.");
  });

  it("answers what is pressed in the messages of the app", async () => {
    const stage = await startStage();
    const { slack, bob } = stage;
    await bob.press(await homeOf(stage, bob), "Status");
    const message = await slack.until(() => bob.direct().at(-1));
    expect(textOf(message)).toContain("demo at 127.0.0.1");
    expect(stage.ann.direct()).toEqual([]);
  });

  it("lists somebody's own latest tokens, without the tokens", async () => {
    const stage = await startStage();
    const { ann, bob } = stage;
    const minted = await stage.ask(bob, "/media token lobby for:5m");
    const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(textOf(minted))?.[0] ?? "";
    expect(token).not.toBe("");
    const home = await homeOf(stage, bob);
    expect(textOf(home)).toMatch(/Until 20\S+ · \*lobby\* of demo · recvonly/);
    expect(JSON.stringify(home)).not.toContain(token);
    expect(textOf(await homeOf(stage, ann))).toContain("You have made none here yet.");
  });

  it("shows a project as soon as it is connected from there", async () => {
    const env = { MEDIA_BASE_URL: "", MEDIA_API_KEY: "", MEDIA_PROJECT_ID: "" };
    const stage = await startStage({ env });
    const { slack, ann, bob, service } = stage;
    expect(textOf(await homeOf(stage, bob))).toContain("Ask an admin of this workspace to type `/media connect`.");
    await ann.press(await homeOf(stage, ann), "Connect a project");
    await slack.until(() => ann.modal?.submit);
    await ann.submit({ Address: service.url, Project: "demo", "API key": service.apiKey });
    await slack.until(() => textOf(ann.home ?? []).includes("★ *demo*"));
  });

  it("shows at once which project is chosen for all", async () => {
    const stage = await startStage();
    const { slack, ann, service, general } = stage;
    const { apiKey } = await service.addProject("other");
    await ann.command("/media connect", { in: general });
    await slack.until(() => ann.modal?.submit);
    await ann.submit({ Address: service.url, Project: "other", "API key": apiKey });
    await slack.until(() => ann.modal?.title === "Connected");
    await ann.close();
    await ann.press(await homeOf(stage, ann), "use-everywhere:1");
    await slack.until(() => textOf(ann.home ?? []).includes("★ *other*"));
    expect(ann.direct()).toEqual([]);
  });
});
