import { buttonsOf, checkBlocks, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { homeOf } from "../test/home.js";
import { mintingOf } from "../test/minting.js";
import { NOT_CONNECTED, roomsIn, startStage } from "../test/stage.js";
import type { Minting } from "../tokens/mintings.js";
import { tokenLines } from "./home.js";

const room = roomsIn(async (options) => {
  const stage = await startStage(options);
  await stage.service.add("webhooks", webhook({ status: 0 }), webhook({ status: 200 }), webhook({ status: 503 }));
  return stage;
});

describe("the app's home", () => {
  it("shows the projects and the available actions", async () => {
    const stage = room();
    const home = await homeOf(stage, stage.bob);
    expect(checkBlocks(home.blocks, "home")).toEqual({ ok: true });
    const text = textOf(home);
    expect(text).toContain("★ *demo* · 127.0.0.1");
    expect(text).not.toContain("Ask again");
    expect(text).toContain("Or type it");
    expect(text).toContain("You have made none yet.");
  });

  it.each([
    ["Why connections fail", "Why connections failed in the last hour, project demo"],
    ["Live now", "Live now, project demo"],
    ["Failing webhooks", "2 failed webhooks of 3 in the last 2 hours, project demo"],
    ["Summary", "2 of 3 webhooks failed."],
    ["Status", "demo at 127.0.0.1"],
    ["Projects", "★ *demo*"],
    ["Help", "/media help"],
  ])("answers %s in a window when pressed, and with buttons in the app's messages", async (label, text) => {
    const stage = room();
    const { slack, ann, bob } = stage;
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
  });

  it("explains in the window why there is no answer", async () => {
    const stage = await startStage();
    const { slack, bob, service } = stage;
    const home = await homeOf(stage, bob);
    await service.stop();
    await bob.press(home, "Failing webhooks");
    await slack.until(() => textOf(bob.modal ?? []).includes("The service was not reached"));
    expect(textOf(bob.direct().at(-1) ?? [])).toContain("The service was not reached");
  });

  it("lists the person's own latest tokens, without the tokens themselves", async () => {
    const stage = room();
    const { ann, bob } = stage;
    const minted = await stage.ask(bob, "/media token lobby for:5m");
    const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(textOf(minted))?.[0] ?? "";
    expect(token).not.toBe("");
    const home = await homeOf(stage, bob);
    expect(textOf(home)).toMatch(/Until 20\S+ · \*lobby\* of demo · recvonly/);
    expect(JSON.stringify(home)).not.toContain(token);
    expect(textOf(await homeOf(stage, ann))).toContain("You have made none yet.");
  });

  it("shows a project as soon as it is connected from there", async () => {
    const stage = await startStage({ env: NOT_CONNECTED });
    const { slack, ann, bob, service } = stage;
    expect(textOf(await homeOf(stage, bob))).toContain("Ask an admin of this workspace to type `/media connect`.");
    await ann.press(await homeOf(stage, ann), "Connect a project");
    await slack.until(() => ann.modal?.submit);
    await ann.submit({ Address: service.url, Project: "demo", "API key": service.apiKey });
    await slack.until(() => textOf(ann.home ?? []).includes("★ *demo*"));
  });

  it("shows at once a change of the default project", async () => {
    const stage = await startStage();
    const { slack, ann } = stage;
    await stage.connectDemo(ann, stage.general, "other");
    await ann.press(await homeOf(stage, ann), "use-everywhere:1");
    await slack.until(() => textOf(ann.home ?? []).includes("★ *other*"));
    expect(ann.direct()).toEqual([]);
  });
});

const now = Date.UTC(2026, 10, 21, 14);
const linesOf = (more: Partial<Minting>): string => JSON.stringify(tokenLines([mintingOf(more)], now));

describe("the line of a token", () => {
  it.each([
    ["for every channel and role", {}, "Without end · every channel of demo · any role"],
    ["of a channel", { channel_id: "main@hall@demo", role: "sendonly" }, "*main@hall* of demo · sendonly"],
    ["that is valid", { ends_at: now + 60_000 }, "Until <!date^1795269660^"],
    ["that has expired", { ends_at: now }, "Ended <!date^1795269600^"],
    ["that is not valid yet", { starts_at: now + 60_000, ends_at: now + 120_000 }, "From <!date^1795269660^"],
    ["that will be valid without end", { starts_at: now + 60_000 }, "|2026-11-21T14:01:00Z> on · every"],
    ["with a name that looks like markup", { channel_id: "<!here>*x*@demo" }, "*&lt;!here&gt;∗x∗* of demo"],
  ])("says what it allows, and when it is valid: one %s", (_, more, words) => {
    expect(linesOf(more)).toContain(words);
  });

  it("stays one line, and within Slack's limits, for names of any length", () => {
    const blocks = tokenLines(
      Array.from({ length: 5 }, () => mintingOf({ channel_id: "a\n".repeat(500) })),
      now,
    );
    expect(checkBlocks(blocks, "home")).toEqual({ ok: true });
    expect(JSON.stringify(blocks).match(/\\n/g)).toHaveLength(4);
  });
});

describe("a bare /media", () => {
  it("introduces the app, names the current project, and suggests commands", async () => {
    const stage = room();
    const start = await stage.ask(stage.bob, "/media");
    expect(start.isOnlyVisibleToYou).toBe(true);
    expect(textOf(start)).toContain("without leaving the conversation");
    expect(textOf(start)).toContain("★ *demo* is used in this channel · 127.0.0.1");
    for (const command of ["why lobby since:20m", "trace lobby", "token lobby for:10m"]) {
      expect(textOf(start)).toContain(`\`/media ${command}\``);
    }
  });

  it.each([
    ["Why connections fail", "Nothing failed"],
    ["Live now", "Nobody is connected."],
    ["Failing webhooks", "2 failed webhooks of 3 in the last 2 hours, project demo"],
    ["Summary", "2 of 3 webhooks failed."],
    ["Status", "Webhooks fail"],
    ["Projects", "One project is connected"],
    ["Help", "/media help"],
  ])("has a working button %s", async (label, words) => {
    const stage = room();
    const { bob, random } = stage;
    const start = await stage.ask(bob, "/media", random);
    const answer = await stage.next(bob, random, () => bob.press(start, label));
    expect(answer.ts).toBe(start.ts);
    expect(textOf(answer)).toContain(words);
  });

  it("has a button that opens the token window", async () => {
    const stage = room();
    const { slack, bob, random } = stage;
    const start = await stage.ask(bob, "/media", random);
    expect(buttonsOf(start).map(({ text }) => text)).toContain("Make a token");
    await bob.press(start, "Make a token");
    await slack.until(() => bob.modal?.submit);
  });
});
