import type { WhyCause } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { language } from "../language.js";
import { causeLabel, linesOf, worstOf } from "./why.js";

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

describe("the events of a cause", () => {
  it.each<[WhyCause["where"], string]>([
    [{ outcome: { eq: "refused" }, reason: { eq: "channel-full" } }, "outcome:refused reason:channel-full"],
    [
      { channel: { eq: "lobby" }, type: { starts_with: "connection." }, outcome: { eq: "failed" } },
      "channel:lobby type:connection.* outcome:failed",
    ],
    [{ reason: { not: { like: "*" } }, media_reason: { not: { like: "*" } } }, "-reason:* -media-reason:*"],
    [
      { channel_id: { eq: "main hall@demo" }, media_reason: { eq: "A*B" } },
      'channel:"main hall@demo" media-reason:"A*B"',
    ],
  ])("are listed by a command with its condition, in all of the period: %o", (where, filters) => {
    const command = linesOf(cause({ where }), period, "demo");
    const text = `logs events ${filters} since:2026-11-21T13:05:30.123Z until:2026-11-21T14:05:30.124Z in:demo`;
    expect(command && language.write(command)).toBe(text);
    expect(language.parse(text, { now: Date.parse(period.until) })).toEqual({ ok: true, command });
  });

  it.each<WhyCause["where"]>([
    { outcome: { eq: ["failed", "refused"] } },
    { outcome: { not: { eq: "ok" } } },
    { elapsed_time_ms: { gt: 5 } },
    { failed: true },
  ])("have no command if it could not say the condition: %o", (where) => {
    expect(linesOf(cause({ where }), period, "demo")).toBeUndefined();
  });
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
