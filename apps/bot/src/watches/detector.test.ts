import { describe, expect, it } from "vitest";
import {
  advance,
  type Change,
  describeIncident,
  newMemory,
  observe,
  type SeenEntry,
  type WatchMemory,
} from "./detector.js";
import { nextTime } from "./digest.js";
import { isQuiet, type Rule } from "./watch-store.js";

const MINUTE = 60_000;
const START = Date.parse("2026-07-28T10:00:00Z");

type Seen = Partial<Omit<SeenEntry, "at">>;

const rule = (more: Partial<Rule> = {}): Rule => ({
  ...{ kind: "webhooks", where: {}, measure: "count", limit: 0, orEqual: false, overMs: 5 * MINUTE },
  ...more,
});

/** Feeds entries at minutes after the start, then moves on to a minute; returns the changes with their minutes. */
function play(
  of: Rule,
  entries: readonly (Seen & { readonly at: number })[],
  until: number,
  memory = newMemory("rule"),
) {
  const changes: string[] = [];
  const note = (at: number) => (change: Change) => void changes.push(`${change} ${at}`);
  for (const { at, ...entry } of [...entries].sort((a, b) => a.at - b.at)) {
    const time = START + at * MINUTE;
    advance(of, memory, time, note(at));
    observe(of, memory, { at: time, weight: 1, isBad: true, groups: {}, ...entry });
    advance(of, memory, time, note(at));
  }
  advance(of, memory, START + until * MINUTE, note(until));
  return { changes, memory };
}

/** Entries from a minute to another one. */
const each = (from: number, to: number, step: number, entry: (index: number) => Seen = () => ({})) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => ({ at: from + at * step, ...entry(at) }));

const at = (...minutes: number[]) => minutes.map((at) => ({ at }));

it.each([
  [
    "begins with it, and ends when the window has none any more",
    ...[at(1, 3), 8.5, ["began 1", "ended 8.5"]],
    { began: START + MINUTE, lastBad: START + 3 * MINUTE, count: 2, times: 1 },
  ],
  [
    "counts flapping as one incident",
    ...[at(0, 12, 24), 30, ["began 0", "ended 12", "came back 12", "ended 24", "came back 24", "ended 30"]],
    { count: 3, times: 3, began: START },
  ],
  [
    "begins a new incident once the last one is over for ten minutes",
    ...[at(0, 40), 41, ["began 0", "ended 40", "closed 40", "began 40"]],
    { count: 1, times: 1, began: START + 40 * MINUTE },
  ],
] as [string, { at: number }[], number, string[], object][])(
  "a watch that fires at the first entry %s",
  (_, entries, until, changes, incident) => {
    const played = play(rule(), entries, until);
    expect(played.changes).toEqual(changes);
    expect(played.memory.incident).toMatchObject(incident);
  },
);

it("a log that is read long after it was written has the same incidents", () => {
  const entries = at(0, 1, 2, 40, 41, 100);
  const live = play(rule(), entries, 200).changes.map((change) => change.replace(/ .*/, ""));
  // Without any look in between: each entry moves the window on itself.
  const memory = newMemory("rule");
  const late: string[] = [];
  for (const { at } of entries) {
    advance(rule(), memory, START + at * MINUTE, (change) => void late.push(change));
    observe(rule(), memory, { at: START + at * MINUTE, weight: 1, isBad: true, groups: {} });
  }
  advance(rule(), memory, START + 200 * MINUTE, (change) => void late.push(change));
  expect(late).toEqual(live.map((change) => change.replace(/came/, "came back")));
});

it("fires when more than the limit are within the window, not over a longer time", () => {
  expect(play(rule({ limit: 10 }), each(0, 60, 1), 60).changes).toEqual([]);
  expect(play(rule({ limit: 10 }), each(0, 2, 0.1), 2).changes[0]).toMatch(/^began 1/);
});

it("an entry that stands for many counts as many", () => {
  const { memory } = play(rule({ limit: 20 }), [{ at: 1, weight: 300 }], 1);
  expect(memory.incident).toMatchObject({ count: 300 });
});

describe("a share of failures", () => {
  const share = rule({ measure: "failed", limit: 0.05, overMs: 10 * MINUTE });

  it("is not taken of a few entries", () => {
    expect(play(share, each(0, 5, 0.5), 5).changes).toEqual([]);
  });

  it("fires above the limit, and has failures and all entries", () => {
    const oneIn = (many: number) =>
      play(
        share,
        each(0, 9.9, 0.1, (index) => ({ isBad: index % many === 0 })),
        9.9,
      );
    expect(oneIn(10).memory.incident).toMatchObject({ count: 10, total: 100 });
    expect(oneIn(50).changes).toEqual([]);
  });
});

it("a percentile is exact to two percent, and ends when calls are fast again", () => {
  const slow = rule({ kind: "api", measure: "p95", limit: 2000 });
  const calls = each(0, 4, 0.05, (index) =>
    index % 10 === 0 ? { elapsedMs: 3000, isBad: true } : { elapsedMs: 50, isBad: false },
  );
  const fast = each(4.05, 12, 0.05, () => ({ elapsedMs: 50, isBad: false }));
  const { changes, memory } = play(slow, [...calls, ...fast], 12);
  expect(changes[0]).toMatch(/^began/);
  expect(changes.at(-1)).toMatch(/^ended/);
  expect(memory.incident?.worst).toBeGreaterThan(2940);
  expect(memory.incident?.worst).toBeLessThan(3060);
});

it("describes causes, places and the course of an incident of hours in at most twenty periods", () => {
  const entries = each(0, 300, 1, (at) => ({ groups: { status: at % 3 === 0 ? "500" : "503", failed: "true" } }));
  const { memory } = play(rule(), entries, 300);
  const { incident = expect.unreachable("there is no incident") } = memory;
  const shown = describeIncident(rule(), { ...memory, incident }, START + 300 * MINUTE);
  expect(shown.isFailure).toBe(true);
  expect(shown.overTime.length).toBeGreaterThan(8);
  expect(shown.overTime.length).toBeLessThanOrEqual(20);
  expect(shown.overTime.reduce((sum, { count }) => sum + count, 0)).toBe(301);
  const [most, least] = [
    { name: "503", count: 200 },
    { name: "500", count: 101 },
  ];
  expect(shown.groups).toEqual([{ field: "status", tallies: [most, least] }]);
});

it("remembers the most frequent of many names in bounded memory", () => {
  const entries = each(0, 4, 0.001, (at) => ({ groups: { client_id: at % 2 === 0 ? "busy" : `client-${at}` } }));
  const { memory } = play(rule(), entries, 4);
  expect(Object.keys(memory.incident?.groups.client_id ?? {}).length).toBeLessThanOrEqual(20);
  expect(memory.incident?.groups.client_id?.busy).toBe(2001);
  expect(JSON.stringify(memory).length).toBeLessThan(20_000);
});

it("goes on from its stored form", () => {
  const first = play(rule(), at(0), 2);
  const stored = JSON.parse(JSON.stringify(first.memory)) as WatchMemory;
  expect(play(rule(), at(3), 10, stored).changes).toEqual(["ended 10"]);
  expect(stored.incident).toMatchObject({ count: 2, began: START });
});

const iso = (text: string): number => Date.parse(text);

it.each([
  ["later the same day", "UTC", "2026-07-28T08:59:30Z", "2026-07-28T09:00:00Z"],
  ["the next day, if it is that minute now", "UTC", "2026-07-28T09:00:10Z", "2026-07-29T09:00:00Z"],
  ["by the clock of the person's zone", "America/New_York", "2026-07-28T12:00:00Z", "2026-07-28T13:00:00Z"],
  ["by that clock, also when it is set forward", "Europe/Berlin", "2026-03-28T09:00:00Z", "2026-03-29T07:00:00Z"],
  ["by that clock, also when it is set back", "Europe/Berlin", "2026-10-24T09:00:00Z", "2026-10-25T08:00:00Z"],
])("the next time of a digest is %s", (_, zone, now, next) => {
  expect(new Date(nextTime(9 * 60, zone, iso(now))).toISOString()).toBe(new Date(iso(next)).toISOString());
});

describe("quiet hours", () => {
  const night = { from: 22 * 60, to: 7 * 60 };
  it.each([
    ["UTC", "2026-07-28T21:59:59Z", false],
    ["UTC", "2026-07-28T22:00:00Z", true],
    ["UTC", "2026-07-29T06:59:59Z", true],
    ["UTC", "2026-07-29T07:00:00Z", false],
    ["Asia/Tokyo", "2026-07-28T13:00:00Z", true],
  ])("go on through midnight in their own zone: %s, %s is %s", (zone, at, expected) => {
    expect(isQuiet(night, zone, iso(at))).toBe(expected);
  });

  it("may be within a day, or not set", () => {
    expect(isQuiet({ from: 60, to: 120 }, "UTC", iso("2026-07-28T01:30:00Z"))).toBe(true);
    expect(isQuiet({ from: 60, to: 120 }, "UTC", iso("2026-07-28T02:30:00Z"))).toBe(false);
    expect(isQuiet(undefined, "UTC", iso("2026-07-28T02:30:00Z"))).toBe(false);
  });
});
