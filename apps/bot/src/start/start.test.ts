import { buttonsOf, textOf } from "@media-ops/fake-slack";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { type Stage, startStage } from "../test/stage.js";

describe("a bare /media", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage({ atEnd: afterAll });
    await stage.service.add("webhooks", webhook({ status: 0 }), webhook({ status: 200 }), webhook({ status: 503 }));
  });

  it("says what this is, which project is used here, and what to type", async () => {
    const start = await stage.ask(stage.bob, "/media");
    expect(start.isOnlyVisibleToYou).toBe(true);
    expect(textOf(start)).toContain("without leaving the conversation");
    expect(textOf(start)).toContain("★ *demo* is used in this channel · 127.0.0.1");
    expect(textOf(start)).toContain("`/media token lobby for:10m`");
  });

  it.each([
    ["Failing webhooks", "webhook logs of demo, status 0, 4xx or 5xx, last 2 hours: 2 of 3"],
    ["Summary", "2 of 3 webhooks failed."],
    ["Status", "Webhooks fail"],
    ["Projects", "One project is connected"],
    ["Help", "/media help"],
  ])("has a button %s that works", async (label, words) => {
    const { bob, random } = stage;
    const start = await stage.ask(bob, "/media", random);
    const answer = await stage.next(bob, random, () => bob.press(start, label));
    expect(answer.ts).toBe(start.ts);
    expect(textOf(answer)).toContain(words);
  });

  it("has a button that opens the window for a token", async () => {
    const { slack, bob, random } = stage;
    const start = await stage.ask(bob, "/media", random);
    expect(buttonsOf(start).map(({ text }) => text)).toContain("Make a token");
    await bob.press(start, "Make a token");
    await slack.until(() => bob.modal?.submit);
  });
});
