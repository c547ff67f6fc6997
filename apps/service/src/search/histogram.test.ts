import fc from "fast-check";
import { expect, it } from "vitest";
import { Histogram } from "./histogram.js";
import { ByteReader, ByteWriter } from "./varints.js";

const value = fc.oneof(
  fc.integer({ min: 0, max: 200 }),
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 2 ** 31 - 100, max: 2 ** 31 + 100 }),
  fc.maxSafeInteger().map(Math.abs),
);
const values = fc.array(value, { minLength: 1, maxLength: 200 });
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
const shown = (histogram: Histogram) => ({
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
      const whole = shown(histogramOf(parts.flat()));
      const [merged, restored] = [new Histogram(), new Histogram()];
      for (const part of parts.map(histogramOf)) {
        merged.merge(part);
        const bytes = new ByteWriter();
        part.write(bytes);
        restored.read(new ByteReader(bytes.toBytes()));
      }
      expect(shown(merged)).toEqual(whole);
      expect(shown(restored)).toEqual(whole);
    }),
  );
});
