import { checkBlocks, textOf } from "@media-ops/fake-slack";
import type { WhyCause } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { language } from "../language.js";
import { created, failure, refusal } from "../test/entries.js";
import { expectWords, labelsOf, roomsIn, type Stage, type StageOptions, stageWith, startStage } from "../test/stage.js";
import { causeLabel, linesOf, worstOf } from "./why.js";

/** Two causes: three connections of several clients on one node, and one client that is refused again and again. */
async function startWithCauses(options: StageOptions = {}): Promise<Stage> {
  const stage = await startStage(options);
  const clients = ["c1", "c2", "c3"];
  await stage.service.add(
    "events",
    ...clients.map((client_id, at) => created({ client_id, connection_id: `k${at}`, minutesAgo: 20 })),
    ...clients.map((client_id, at) => failure({ client_id, connection_id: `k${at}`, minutesAgo: 10 })),
    refusal({ client_id: "c9", channel_id: "stage@demo", count: 7, minutesAgo: 5 }),
    failure({ minutesAgo: 90 }),
  );
  return stage;
}

const room = await roomsIn(startWithCauses);

describe("/media why", () => {
  it("names the most likely cause first, with figures of the last hour against the hour before", async () => {
    const stage = room();
    const message = await stage.ask(stage.ann, "/media why");
    const text = textOf(message);
    expect(text).toMatch(/^Why connections failed in the last hour, project demo\nMost likely: ICE timeout on node-2/);
    expect(text).toContain("*Failed*\n3 (1 before)");
    expect(text).toContain("*Refused*\n7 (0 before)");
    expect(text).toContain("Channel full (5 of 5) in stage: client c9 was refused 7 times, none before");
    expect(message.isOnlyVisibleToYou).toBe(true);
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
  });

  it("leads from a cause to its events, and back", async () => {
    const stage = room();
    const message = await stage.ask(stage.ann, "/media why since:20m");
    expect(labelsOf(message)).toEqual([
      "ICE timeout (3)",
      "channel full (7)",
      "Trace channel lobby",
      "Trace client c9",
      "Refresh",
      "Share here",
    ]);
    const lines = await stage.press(message, "ICE timeout (3)");
    expect(lines.ts).toBe(message.ts);
    expectWords(lines, "3 events of ", "reason ice-timeout");
    const back = await stage.press(lines, "Back to the causes");
    expect(textOf(back)).toContain("Most likely: ICE timeout on node-2");
    expect(textOf(await stage.press(back, "Refresh"))).toContain("in the last 20 minutes, project demo");
  });

  it("leads from a cause to the trace of the client that it concerns most, and back", async () => {
    const stage = room();
    const message = await stage.ask(stage.ann, "/media why");
    const trace = await stage.press(message, "Trace client c9");
    expect(textOf(trace)).toContain("Trace of client c9, project demo");
    expect(textOf(trace)).toContain("client c9 refused 7× within a minute: channel full (5 of 5)");
    expect(textOf(await stage.press(trace, "Back to the causes"))).toContain("Why connections failed");
  });

  it("explains one channel", async () => {
    const stage = room();
    const text = await stage.read(stage.ann, "/media why stage");
    expect(text).toContain("Why connections failed in stage in the last hour, project demo");
    expect(text).toContain("Most likely: channel full (5 of 5) in stage");
    expect(text).not.toContain("ICE timeout");
  });

  it("covers the last hour again when it is refreshed later, in place", async () => {
    let later = 0;
    const stage = await startWithCauses({ now: () => Date.now() + later });
    const message = await stage.ask(stage.ann, "/media why");
    later = 52 * 60_000;
    const refreshed = await stage.press(message, "Refresh");
    expect(refreshed.ts).toBe(message.ts);
    expectWords(refreshed, "*Failed*\n0 (3 before)", "*Refused*\n7");
  });

  it("says that nothing failed, and offers a longer time", async () => {
    const stage = await stageWith("events", created(), failure({ minutesAgo: 90 }));
    const message = await stage.ask(stage.ann, "/media why");
    expect(textOf(message)).toContain("Nothing failed: 1 connection was made");
    expect(labelsOf(message)).toEqual(["Refresh", "Last 24 hours", "Share here"]);
    expect(textOf(await stage.press(message, "Last 24 hours"))).toContain("Most likely: ICE timeout");
  });

  it("is shared with the same figures, who shared it, and times in UTC", async () => {
    let later = 0;
    const stage = await startWithCauses({ now: () => Date.now() + later });
    const { slack, ann, bob, general } = stage;
    const message = await stage.ask(ann, "/media why");
    await ann.press(message, "Share here", { times: 2 });
    const own = await slack.until(() => ann.sees(general).find((one) => textOf(one).includes("Shared with everyone")));
    expect(own.ts).toBe(message.ts);
    await stage.settled();
    const [posted, ...others] = bob.sees(general);
    expect(others).toEqual([]);
    expect(textOf(posted ?? [])).toContain(`Shared by @${ann.id}`);
    expect(textOf(posted ?? [])).toMatch(/Period: .* UTC/);
    expect(textOf(posted ?? [])).not.toContain("in the last hour");
    later = 52 * 60_000;
    const closer = await stage.press(posted ?? message, "Look closer", bob);
    expect(closer.isOnlyVisibleToYou).toBe(true);
    expect(textOf(closer)).toContain("*Failed*\n3");
  });
});

const period = { since: "2026-11-21T13:05:30.123Z", until: "2026-11-21T14:05:30.124Z" };

const cause = (more: Partial<WhyCause> = {}): WhyCause => ({
  outcome: "failed",
  reason: "ice-timeout",
  mediaReason: "ICE-TIMEOUT",
  count: 45,
  before: 2,
  detail: undefined,
  clients: [],
  clientCount: 0,
  nodes: [],
  channels: [],
  where: { outcome: { eq: "failed" } },
  ...more,
});

it.each<[Partial<WhyCause>, string | undefined, string]>([
  [{ outcome: "refused", reason: "channel-full" }, undefined, "outcome:refused reason:channel-full"],
  [{}, "lobby", "channel:lobby type:connection.* outcome:failed reason:ice-timeout media-reason:ICE-TIMEOUT"],
  [
    { reason: undefined, mediaReason: undefined },
    undefined,
    "type:connection.* outcome:failed -reason:* -media-reason:*",
  ],
  [
    { mediaReason: "A*B" },
    "main hall@demo",
    'channel:"main hall@demo" type:connection.* outcome:failed reason:ice-timeout media-reason:"A*B"',
  ],
])("the events of a cause are listed by a command, in all of the period: %o in %s", (more, channel, filters) => {
  const command = linesOf(cause(more), period, { channel, in: "demo" });
  const text = `logs events ${filters} since:2026-11-21T13:05:30.123Z until:2026-11-21T14:05:30.124Z in:demo`;
  expect(language.write(command)).toBe(text);
  expect(language.parse(text, { now: Date.parse(period.until) })).toEqual({ ok: true, command });
});

it.each([
  [cause(), "ICE timeout (45)"],
  [cause({ reason: "other", mediaReason: "SFU-ODD", count: 1200 }), "SFU-ODD (1,200)"],
  [cause({ reason: undefined, mediaReason: undefined }), expect.stringMatching(/\(45\)$/)],
])("the label of a cause has its reason and how often: %#", (one, label) => {
  expect(causeLabel(one)).toEqual(label);
});

describe("a cause's worst", () => {
  const clients = [{ name: "c1", count: 30 }];
  const channels = [{ name: "lobby@demo", count: 45 }];

  it.each([
    ["client, if it has at least half", { clients, channels }, "trace c1 is:client"],
    ["channel, if no client has so many", { clients: [{ name: "c1", count: 22 }], channels }, "trace lobby@demo"],
    ["channel, if clients have no ids", { channels }, "trace lobby@demo"],
  ])("is the %s", (_, more, text) => {
    const view = worstOf(cause(more), period, "demo");
    expect(view?.command).toMatchObject({ what: text.split(" ")[1], in: "demo" });
    expect(view && language.write(view.command)).toContain(
      "since:2026-11-21T13:05:30.123Z until:2026-11-21T14:05:30.124Z",
    );
  });

  it("is none if all have few", () => {
    expect(worstOf(cause({ clients: [{ name: "c1", count: 3 }] }), period, "demo")).toBeUndefined();
  });
});
