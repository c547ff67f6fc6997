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
import type { Rule } from "./rule.js";

const MINUTE = 60_000;
const START = Date.parse("2026-07-28T10:00:00Z");

const rule = (more: Partial<Rule> = {}): Rule => ({
  kind: "webhooks",
  where: {},
  measure: "count",
  limit: 0,
  orEqual: false,
  overMs: 5 * MINUTE,
  ...more,
});

/** Feeds entries at minutes after the start, then moves on to a minute; returns the changes with their minutes. */
function play(
  of: Rule,
  entries: readonly (Partial<Omit<SeenEntry, "at">> & { readonly at: number })[],
  until: number,
  memory: WatchMemory = newMemory("rule"),
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

const each = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

describe("a watch that fires at the first entry", () => {
  it("begins with it, and ends when the window has none any more", () => {
    const { changes, memory } = play(rule(), [{ at: 1 }, { at: 3 }], 8.5);
    expect(changes).toEqual(["began 1", "ended 8.5"]);
    expect(memory.incident).toMatchObject({ began: START + MINUTE, lastBad: START + 3 * MINUTE, count: 2, times: 1 });
  });

  it("counts flapping as one incident", () => {
    const { changes, memory } = play(rule(), [{ at: 0 }, { at: 12 }, { at: 24 }], 30);
    expect(changes).toEqual(["began 0", "ended 12", "came back 12", "ended 24", "came back 24", "ended 30"]);
    expect(memory.incident).toMatchObject({ count: 3, times: 3, began: START });
  });

  it("begins a new incident once the last one is over for ten minutes", () => {
    const { changes, memory } = play(rule(), [{ at: 0 }, { at: 40 }], 41);
    expect(changes).toEqual(["began 0", "ended 40", "closed 40", "began 40"]);
    expect(memory.incident).toMatchObject({ count: 1, times: 1, began: START + 40 * MINUTE });
  });
});

it("a log that is read long after it was written has the same incidents", () => {
  const entries = [0, 1, 2, 40, 41, 100].map((at) => ({ at }));
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
  const slow = each(0, 60, 1).map((at) => ({ at }));
  expect(play(rule({ limit: 10 }), slow, 60).changes).toEqual([]);
  const fast = each(0, 2, 0.1).map((at) => ({ at }));
  expect(play(rule({ limit: 10 }), fast, 2).changes[0]).toMatch(/^began 1/);
});

it("an entry that stands for many counts as many", () => {
  const { memory } = play(rule({ limit: 20 }), [{ at: 1, weight: 300 }], 1);
  expect(memory.incident).toMatchObject({ count: 300 });
});

describe("a share of failures", () => {
  const share = rule({ measure: "failed", limit: 0.05, overMs: 10 * MINUTE });

  it("is not taken of a few entries", () => {
    expect(
      play(
        share,
        each(0, 5, 0.5).map((at) => ({ at })),
        5,
      ).changes,
    ).toEqual([]);
  });

  it("fires above the limit, and has failures and all entries", () => {
    const entries = each(0, 9.9, 0.1).map((at, index) => ({ at, isBad: index % 10 === 0 }));
    const { memory } = play(share, entries, 9.9);
    expect(memory.incident).toMatchObject({ count: 10, total: 100 });
    expect(
      play(
        share,
        entries.map((entry, index) => ({ ...entry, isBad: index % 50 === 1 })),
        9.9,
      ).changes,
    ).toEqual([]);
  });
});

it("a percentile is exact to two percent, and ends when calls are fast again", () => {
  const slow = rule({ kind: "api", measure: "p95", limit: 2000 });
  const calls = each(0, 4, 0.05).map((at, index) => {
    const elapsedMs = index % 10 === 0 ? 3000 : 50;
    return { at, elapsedMs, isBad: elapsedMs > 2000 };
  });
  const { changes, memory } = play(
    slow,
    [...calls, ...each(4.05, 12, 0.05).map((at) => ({ at, elapsedMs: 50, isBad: false }))],
    12,
  );
  expect(changes[0]).toMatch(/^began/);
  expect(changes.at(-1)).toMatch(/^ended/);
  expect(memory.incident?.worst).toBeGreaterThan(2940);
  expect(memory.incident?.worst).toBeLessThan(3060);
});

it("describes causes, places and the course of an incident of hours in at most twenty periods", () => {
  const entries = each(0, 300, 1).map((at) => ({
    at,
    groups: { status: at % 3 === 0 ? "500" : "503", failed: "true" },
  }));
  const { memory } = play(rule(), entries, 300);
  const { incident } = memory;
  if (!incident) throw new Error("There is no incident.");
  const shown = describeIncident(rule(), { ...memory, incident }, START + 300 * MINUTE);
  expect(shown.isFailure).toBe(true);
  expect(shown.overTime.length).toBeGreaterThan(8);
  expect(shown.overTime.length).toBeLessThanOrEqual(20);
  expect(shown.overTime.reduce((sum, { count }) => sum + count, 0)).toBe(301);
  expect(shown.groups).toEqual([
    {
      field: "status",
      tallies: [
        { name: "503", count: 200 },
        { name: "500", count: 101 },
      ],
    },
  ]);
});

it("remembers the most frequent of many names in bounded memory", () => {
  const entries = each(0, 4, 0.001).map((at, index) => ({
    at,
    groups: { client_id: index % 2 === 0 ? "busy" : `client-${index}` },
  }));
  const { memory } = play(rule(), entries, 4);
  expect(Object.keys(memory.incident?.groups.client_id ?? {}).length).toBeLessThanOrEqual(20);
  expect(memory.incident?.groups.client_id?.busy).toBe(2001);
  expect(JSON.stringify(memory).length).toBeLessThan(20_000);
});

it("goes on from its stored form", () => {
  const first = play(rule(), [{ at: 0 }], 2);
  const stored = JSON.parse(JSON.stringify(first.memory)) as WatchMemory;
  expect(play(rule(), [{ at: 3 }], 10, stored).changes).toEqual(["ended 10"]);
  expect(stored.incident).toMatchObject({ count: 2, began: START });
});
