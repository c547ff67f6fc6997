import { checkBlocks } from "@media-ops/fake-slack";
import type { Why, WhyCause } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import * as slack from "./slack/index.js";
import { calmWhy, causes, now, partialWhy, why } from "./test/samples.js";
import { previewOf } from "./test/slack-preview.js";
import { whyCauseWords, whyParts } from "./why.js";

const { expiredToken, fullChannel, iceTimeouts } = causes;
const wordsOf = (given: Why): string => whyParts(given, { now }).words;

describe("a cause in one line", () => {
  it.each<[words: string, cause: WhyCause]>([
    ["token expired in lobby: client c7 was refused once", { ...expiredToken, count: 1 }],
    ["ICE timeout on node-2: 1 connection of client viewer-1 failed", { ...iceTimeouts, count: 1, clientCount: 1 }],
    [
      "no token: 1 attempt was refused",
      { ...fullChannel, reason: "no-token", detail: undefined, count: 1, clients: [], clientCount: 0, channels: [] },
    ],
    // Most of them are on one node, or on none.
    [
      "ICE timeout mostly on node-2: 45 connections of 44 clients failed",
      {
        ...iceTimeouts,
        nodes: [
          { name: "node-2", count: 36 },
          { name: "node-1", count: 9 },
        ],
      },
    ],
    [
      "ICE timeout in lobby: 45 connections of 44 clients failed",
      {
        ...iceTimeouts,
        nodes: [
          { name: "node-2", count: 35 },
          { name: "node-1", count: 10 },
        ],
        channels: [{ name: "lobby@demo", count: 45 }],
      },
    ],
    ["ICE timeout: 45 connections of 44 clients failed", { ...iceTimeouts, nodes: [] }],
    // The newest one's "5 of 5" is not that of the other channels.
    [
      "channel full: 12 attempts of 2 clients were refused",
      {
        ...fullChannel,
        channels: [
          { name: "a@demo", count: 6 },
          { name: "b@demo", count: 6 },
        ],
      },
    ],
    // Clients without an id are not counted.
    [
      "ICE timeout on node-2: 45 connections of 2 clients and others without an id failed",
      {
        ...iceTimeouts,
        clients: [
          { name: "a", count: 30 },
          { name: "b", count: 10 },
        ],
        clientCount: 2,
      },
    ],
    [
      "ICE timeout on node-2: 45 connections of 12 clients and others without an id failed",
      { ...iceTimeouts, clientCount: 12 },
    ],
    [
      "SOLAR-FLARE on node-2: 45 connections of 44 clients failed",
      { ...iceTimeouts, reason: undefined, mediaReason: "SOLAR-FLARE" },
    ],
    [
      "reason not known on node-2: 45 connections of 44 clients failed",
      { ...iceTimeouts, reason: undefined, mediaReason: undefined },
    ],
  ])("is %j", (words, cause) => {
    expect(whyCauseWords(cause)).toBe(words);
  });

  it("is on one line and of limited length, whatever its names are", () => {
    const long = `a\n<!channel>${"x".repeat(5000)}`;
    const shares = [{ name: long, count: 12 }];
    const cause: WhyCause = {
      ...fullChannel,
      mediaReason: long,
      detail: long,
      clients: shares,
      clientCount: 1,
      nodes: shares,
      channels: shares,
    };
    for (const outcome of ["failed", "refused"] as const) {
      expect(whyCauseWords({ ...cause, outcome })).not.toContain("\n");
      expect(whyCauseWords({ ...cause, outcome }).length).toBeLessThan(400);
    }
  });
});

describe("an explanation", () => {
  it.each<[words: string, given: Partial<Why>]>([
    [
      "Most likely: token expired in lobby: client c7 was refused 1,666 times, none in the 20 min before.",
      { causes: [expiredToken, iceTimeouts] },
    ],
    [
      "Most likely: channel full (5 of 5) in stage 2 & backstage: 12 attempts of 2 clients were refused.",
      { causes: [fullChannel] },
    ],
    [
      "Most likely: ICE timeout on node-2: 45 connections of 44 clients failed, 2 in the 45 s before.",
      { since: "2026-11-21T14:04:45.2Z" },
    ],
    [
      "Most likely: ICE timeout on node-2: 45 connections of 44 clients failed, 2 in the 1 h 30 min before.",
      { since: "2026-11-21T12:35:30Z" },
    ],
    [
      "Most likely: ICE timeout on node-2: 45 connections of 44 clients failed, 2 in the hour before.",
      { since: "2026-11-21T13:05:30.2Z" },
    ],
    ["Most likely: ICE timeout on node-2: 45 connections of 44 clients failed, 2 in the time before.", { since: "?" }],
    [
      "3 attempts failed or were refused, for reasons that are not known.",
      { causes: [], counts: { connected: 9, ok: 9, failed: 1, refused: 2 } },
    ],
    [
      "1 attempt failed or was refused, for a reason that is not known.",
      { causes: [], counts: { connected: 9, ok: 9, failed: 1, refused: 0 } },
    ],
  ])("begins with the most likely cause: %s", (words, given) => {
    expect(wordsOf({ ...why, ...given })).toBe(words);
  });

  it("says that nothing failed, and of how many", () => {
    expect(wordsOf({ ...calmWhy, counts: { connected: 1, ok: 0, failed: 0, refused: 0 } })).toBe(
      "Nothing failed: 1 connection was made, none ended, and no client was refused.",
    );
    expect(wordsOf({ ...calmWhy, counts: { connected: 0, ok: 0, failed: 0, refused: 0 } })).toBe(
      "Nothing failed, and nothing happened: no connection was made, ended, failed or was refused.",
    );
  });

  it("compares no part of a period with the whole one before", () => {
    const { incomplete, words, totals, causes, period } = whyParts({ ...why, complete: false, since: "?" }, { now });
    expect(incomplete).toBe("Incomplete: only a part was counted.");
    expect(words).toBe("Most likely, of what was counted: ICE timeout on node-2: 45 connections of 44 clients failed.");
    expect(totals.map(({ before }) => before)).toEqual(Array(4).fill("–"));
    expect(causes[0]?.text).toBe("ICE timeout on node-2: 45 connections of 44 clients failed");
    expect(period).toBe("");
    const nothing = { ...partialWhy, since: partialWhy.until };
    expect(whyParts(nothing, { now }).incomplete).toBe("Incomplete: only a part was counted.");
  });

  it("gives the share of a name only if it has more than every other", () => {
    const nodes = ["node-1", "node-2"].map((name) => ({ name, count: 15 }));
    const [first] = whyParts({ ...why, causes: [{ ...iceTimeouts, nodes }] }, { now }).causes;
    expect(first?.details).toContain("Nodes: node-1 (15×), node-2 (15×)");
  });

  it("names its period in the reader's zone, and what it is compared with", () => {
    expect(whyParts({ ...why, before: undefined }, { now, timeZone: "Asia/Tokyo" }).period).toBe("22:45:30–23:05:30");
    expect(whyParts({ ...why, since: "?" }, { now }).period).toBe("");
  });
});

describe("an explanation in Slack", () => {
  it("says how many causes do not fit", () => {
    const name = `c${"x".repeat(300)}`;
    const clients = Array.from({ length: 10 }, () => ({ name, count: 1 }));
    const causes = Array.from({ length: 100 }, () => ({ ...fullChannel, clients, channels: clients, nodes: clients }));
    const { blocks, shown } = slack.formatWhy({ ...why, causes }, { now });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    expect(shown).toBeGreaterThan(3);
    expect(previewOf(blocks)).toContain(`${100 - shown} more causes are not shown.`);
  });
});
