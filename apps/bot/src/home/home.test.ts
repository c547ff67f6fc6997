import { buttonsOf, checkBlocks, type Person, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { webhook } from "../test/entries.js";
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

  it.each([
    ["Failing webhooks", "webhook logs of demo, status 0, 4xx or 5xx, last 2 hours: 1 of 2"],
    ["Summary", "1 of 2 webhooks failed"],
    ["Status", "demo at 127.0.0.1"],
    ["Projects", "★ *demo*"],
    ["Help", "/media help"],
  ])(
    "answers %s in a window where it was pressed, and with buttons in the messages of the app",
    async (label, text) => {
      const stage = await startStage();
      const { slack, ann, bob, service } = stage;
      await service.add("webhooks", webhook(), webhook({ status: 503 }));
      await ann.press(await homeOf(stage, ann), label);
      const modal = await slack.until(() =>
        ann.modal && textOf(ann.modal).includes("Messages") ? ann.modal : undefined,
      );
      expect(textOf(modal)).toContain(text);
      expect(checkBlocks(modal.blocks, "modal")).toEqual({ ok: true });
      expect(buttonsOf(modal)).toEqual([]);
      const message = await slack.until(() => ann.direct().at(-1));
      expect(textOf(message)).toContain(text);
      expect(buttonsOf(message).length).toBeGreaterThan(0);
      expect(bob.direct()).toEqual([]);
    },
  );

  it("says in the window why there is no answer", async () => {
    const stage = await startStage();
    const { slack, bob, service } = stage;
    const home = await homeOf(stage, bob);
    await service.stop();
    await bob.press(home, "Failing webhooks");
    await slack.until(() => textOf(bob.modal ?? []).includes("The service was not reached"));
    expect(textOf(bob.direct().at(-1) ?? [])).toContain("The service was not reached");
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
    const { apiKey } = service.project("other");
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
