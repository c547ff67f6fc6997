import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LogKind, logKindNames, sortKey } from "../logs/log-store.js";
import { unhurried } from "../reads/along.js";
import { entriesOf, hasFailed as hasFailedIn } from "../test/search-model.js";
import type { ParsedEntry } from "./columns.js";
import { SegmentBuilder } from "./log-indexer.js";
import { PART } from "./segment-format.js";
import { addRollup, Histogram, ROLLUP_S, Tally } from "./tally.js";

const ROLLUP_MS = 1000 * ROLLUP_S;
const start = Date.parse("2026-03-31T22:00:00Z");

const shown = ({ entries, count, failed, receivedBytes, sentBytes, values }: Tally) => ({
  entries,
  count,
  failed,
  sums: [receivedBytes, sentBytes, values.sum].map((sum) => Math.min(sum, Number.MAX_SAFE_INTEGER)),
  values: [values.count, values.max, ...values.percentiles([0.5, 0.99])],
});

/** The rollup of a segment with these entries. */
async function rollupOf(kind: LogKind, entries: readonly ParsedEntry[]): Promise<Uint8Array> {
  const rows = entries.map((one, seq) => ({ at: sortKey(String(one.timestamp)), seq, entry: JSON.stringify(one) }));
  const builder = new SegmentBuilder(kind, 0);
  for (const row of rows.sort((one, other) => (one.at < other.at ? -1 : 1))) builder.add(row);
  const { parts } = await builder.finish(unhurried.pause);
  return parts.get(PART.rollup) ?? expect.unreachable("a segment without a rollup");
}

describe.each(logKindNames)("the rollups of %s", (kind) => {
  it("count as the entries themselves do, by hour and by whether they failed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entriesOf(kind), { maxLength: 4 }), async (written) => {
        const segments = written.map((entries) => entries.map(({ text }): ParsedEntry => JSON.parse(text)));
        const [expected, found] = [new Map<string, Tally>(), new Map<string, Tally>()];
        const tallyIn = (tallies: Map<string, Tally>, ms: number, hasFailed: boolean) => {
          const name = `${new Date(ms).toISOString()} ${hasFailed}`;
          const tally = tallies.get(name) ?? new Tally();
          tallies.set(name, tally);
          return tally;
        };
        const value = ["sessions", "connections"].includes(kind) ? "duration_min" : "elapsed_time_ms";
        for (const one of segments.flat()) {
          const time = Date.parse(String(one.timestamp));
          const hasFailed = hasFailedIn(one) ?? false;
          const [count = 0, received = 0, sent = 0, elapsed = 0] = [
            ...["count", "total_received_bytes", "total_sent_bytes", value].map((name) => one[name]),
          ].map((number) => (typeof number === "number" ? number : Number.NaN));
          tallyIn(expected, time - (time % ROLLUP_MS), hasFailed).add(hasFailed, count, received, sent, elapsed);
        }
        for (const segment of segments) {
          const rollup = await rollupOf(kind, segment);
          addRollup(rollup, (second, hasFailed) => tallyIn(found, 1000 * second, hasFailed));
        }
        const all = (tallies: Map<string, Tally>) => [...tallies].map(([name, tally]) => [name, shown(tally)]).sort();
        expect(all(found)).toEqual(all(expected));
      }),
    );
  });
});

it("a sum beyond 2^53 - 1 is never below it", async () => {
  const huge = { timestamp: "2026-04-01T09:00:00Z", total_received_bytes: Number.MAX_SAFE_INTEGER };
  const tally = new Tally();
  for (let i = 0; i < 3; i++) addRollup(await rollupOf("connections", [huge, huge]), () => tally);
  expect(tally.receivedBytes).toBeGreaterThanOrEqual(Number.MAX_SAFE_INTEGER);
});

it("the rollup of a full segment has about 2 KB", async () => {
  const entries = Array.from({ length: 16_384 }, (_, i) => ({
    timestamp: new Date(start + i * 260).toISOString(),
    status: i % 50 === 0 ? 503 : 200,
    elapsed_time_ms: Math.round(20 + 1000 / (1 + (i % 1000))),
  }));
  expect((await rollupOf("webhooks", entries)).length).toBeLessThan(3000);
});

const anyValue = fc.oneof(
  fc.integer({ min: 0, max: 200 }),
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 2 ** 31 - 100, max: 2 ** 31 + 100 }),
  fc.maxSafeInteger().map(Math.abs),
);
const values = fc.array(anyValue, { minLength: 1, maxLength: 200 });
const share = fc.constantFrom(0.5, 0.95, 0.99, 1);

function histogramOf(all: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const one of all) histogram.add(one);
  return histogram;
}

/** The lowest value such that a share of all values is not above it. */
const exactPercentile = (all: readonly number[], part: number): number =>
  [...all].sort((a, b) => a - b)[Math.ceil(part * all.length) - 1] ?? 0;

/** What can be asked of a histogram. */
const shownHistogram = (histogram: Histogram) => ({
  count: histogram.count,
  sum: Math.min(histogram.sum, Number.MAX_SAFE_INTEGER),
  max: histogram.max,
  percentiles: histogram.percentiles([0.1, 0.5, 0.95, 0.99, 1]),
});

it("a percentile deviates from the true one by at most 2%, and not at all below 64", () => {
  fc.assert(
    fc.property(values, share, (all, part) => {
      const exact = exactPercentile(all, part);
      const [found = Number.NaN] = histogramOf(all).percentiles([part]);
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact < 64 ? 0 : exact * 0.02);
      expect(found).toBeLessThanOrEqual(Math.max(...all));
    }),
    { numRuns: 1000 },
  );
});

it("the maximum, the number and the sum of values are exact", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1e9 }), { maxLength: 100 }), (all) => {
      const { count, sum, max } = histogramOf(all);
      expect([count, sum, max]).toEqual([all.length, all.reduce((a, b) => a + b, 0), Math.max(0, ...all)]);
    }),
  );
});

it("merged and stored histograms are the same as one histogram of all values", () => {
  fc.assert(
    fc.property(fc.array(values, { maxLength: 5 }), (parts) => {
      const whole = shownHistogram(histogramOf(parts.flat()));
      const [merged, restored] = [new Histogram(), new Histogram()];
      for (const part of parts.map(histogramOf)) {
        merged.merge(part);
        const stored = part.numbers();
        restored.addNumbers(() => stored.shift() ?? Number.NaN);
      }
      expect(shownHistogram(merged)).toEqual(whole);
      expect(shownHistogram(restored)).toEqual(whole);
    }),
  );
});
