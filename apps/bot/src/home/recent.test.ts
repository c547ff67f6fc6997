import { buttonsOf, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { connectProject } from "../test/connect-project.js";
import { webhook } from "../test/entries.js";
import { homeOf } from "../test/home.js";
import { roomsIn, type Stage, startStage } from "../test/stage.js";

/** The texts of the buttons that ask again. */
async function recentOf(stage: Stage, person = stage.bob): Promise<string[]> {
  await stage.settled();
  return buttonsOf(await homeOf(stage, person)).flatMap(({ actionId, value }) =>
    actionId.startsWith("run:recent-") ? [value ?? ""] : [],
  );
}

const room = roomsIn(startStage);

describe("what a person asked recently", () => {
  it("is asked again by a button, about a period that ends now", async () => {
    const clock = { skippedMs: 0 };
    const stage = await startStage({ now: () => Date.now() + clock.skippedMs });
    const { slack, bob, service } = stage;
    await service.add("webhooks", webhook(), webhook({ status: 503 }));
    expect(textOf(await stage.ask(bob, "/media  logs   webhooks failed\tsince:2h "))).toContain(
      "1 failed webhook of 2",
    );
    expect(await recentOf(stage)).toEqual(["logs webhooks failed since:2h"]);
    clock.skippedMs = 3 * 60 * 60_000;
    await bob.press(await homeOf(stage, bob), "logs webhooks failed since:2h");
    await slack.until(() => textOf(bob.modal ?? []).includes("0 failed webhooks"));
    expect(textOf(bob.modal ?? [])).toContain("in the last 2 hours");
  });

  it("may have been asked in the form for logs", async () => {
    const stage = room();
    const { slack, bob } = stage;
    await bob.shortcut("query_logs");
    await slack.until(() => bob.modal?.submit);
    await bob.submit({ Log: "webhooks", "Which entries": "failed", Period: "6h", Filters: "status:5xx" });
    expect(await recentOf(stage)).toEqual(["logs webhooks failed status:5xx since:6h"]);
  });

  it("is listed once each, the latest five first, for that person only", async () => {
    const stage = room();
    const { ann, bob } = stage;
    for (const text of ["status", "why", "live", "summary webhooks", "trace lobby", "logs api", "why"]) {
      await stage.ask(bob, `/media ${text}`);
      await stage.settled();
    }
    expect(await recentOf(stage)).toEqual(["why", "logs api", "trace lobby", "summary webhooks", "live"]);
    expect(await recentOf(stage, ann)).toEqual([]);
    expect(textOf(await homeOf(stage, ann))).not.toContain("Ask again");
  });

  it("is only what was typed, was understood, and reads from a project", async () => {
    const stage = room();
    const { bob } = stage;
    const others = "|help|projects|watches|use demo|digest|logs wehbooks|token lobby|nonsense".split("|");
    for (const text of others) await stage.ask(bob, `/media ${text}`);
    const start = await stage.ask(bob, "/media");
    await stage.press(start, "Live now", bob);
    expect(await recentOf(stage)).toEqual([]);
  });

  it("includes what was asked with a mention", async () => {
    const stage = room();
    const { slack, team, bob, general } = stage;
    team.inviteBot(general);
    await bob.says(`${team.botMention} why lobby since:20m`, { in: general });
    await slack.until(() => bob.sees(general).find(({ from }) => from === "bot"));
    expect(await recentOf(stage)).toEqual(["why lobby since:20m"]);
  });

  it("never includes a key, even if that is all that is wrong with it", async () => {
    const stage = await startStage();
    const { apiKey } = stage.service;
    await stage.ask(stage.bob, `/media logs webhooks url~${apiKey}`);
    expect(await recentOf(stage)).toEqual([]);
    const stored = await stage.stored();
    expect(stored).not.toContain(apiKey);
    expect(stored).not.toContain("logs webhooks");
  });

  it("is asked again about the project of the conversation", async () => {
    const stage = await startStage();
    const { slack, bob } = stage;
    await connectProject(stage, "other", "In the whole workspace");
    await stage.ask(bob, "/media use demo");
    await stage.ask(bob, "/media live");
    await stage.ask(bob, "/media why in:other");
    expect([...(await recentOf(stage))].sort()).toEqual(["live in:demo", "why in:other"]);
    await bob.press(await homeOf(stage, bob), "live in:demo");
    await slack.until(() => textOf(bob.modal ?? []).includes("project demo"));
  });

  it("keeps spaces that are part of what was searched for", async () => {
    const stage = room();
    await stage.ask(stage.bob, '/media logs  webhooks url~"a  b"');
    expect(await recentOf(stage)).toEqual(['logs  webhooks url~"a  b"']);
  });
});
