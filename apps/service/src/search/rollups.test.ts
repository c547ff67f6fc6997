import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLogKind, type LogKind, logKinds } from "../logs/log-store.js";
import { addRollup, buildRollup, entryAdder, type ParsedEntry, ROLLUP_MS, Tally } from "./rollups.js";

const start = Date.parse("2026-03-31T22:00:00Z");
const number = fc.option(fc.oneof(fc.nat(20_000), fc.maxSafeInteger().map(Math.abs)), { nil: undefined });
const entry: fc.Arbitrary<ParsedEntry> = fc.record({
  timestamp: fc.nat(5 * ROLLUP_MS).map((ms) => new Date(start + ms).toISOString()),
  status: fc.option(fc.constantFrom(0, 200, 399, 400, 503), { nil: undefined }),
  outcome: fc.option(fc.constantFrom("ok", "refused", "failed", null), { nil: undefined }),
  count: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  elapsed_time_ms: number,
  duration_min: number,
  total_received_bytes: number,
  total_sent_bytes: fc.oneof(number, fc.constantFrom("many", null, -1, 0.5)),
});

const byStatus = ({ status }: ParsedEntry): boolean => status === 0 || Number(status) >= 400;
const hasFailedIn: Readonly<Record<LogKind, (entry: ParsedEntry) => boolean>> = {
  sessions: () => false,
  connections: () => false,
  api: byStatus,
  "media-api": byStatus,
  webhooks: byStatus,
  events: ({ outcome }) => outcome === "refused" || outcome === "failed",
};

const shown = ({ entries, count, failed, receivedBytes, sentBytes, values }: Tally) => ({
  entries,
  count,
  failed,
  sums: [receivedBytes, sentBytes, values.sum].map((sum) => Math.min(sum, Number.MAX_SAFE_INTEGER)),
  values: [values.count, values.max, ...values.percentiles([0.5, 0.99])],
});

describe.each(Object.keys(logKinds).filter(isLogKind))("the rollups of %s", (kind) => {
  it("count as the entries themselves do, by hour and by whether they failed", () => {
    fc.assert(
      fc.property(fc.array(fc.array(entry, { maxLength: 60 }), { maxLength: 4 }), (segments) => {
        const [expected, found] = [new Map<string, Tally>(), new Map<string, Tally>()];
        const tallyIn = (tallies: Map<string, Tally>, ms: number, hasFailed: boolean) => {
          const name = `${new Date(ms).toISOString()} ${hasFailed}`;
          const tally = tallies.get(name) ?? new Tally();
          tallies.set(name, tally);
          return tally;
        };
        const add = entryAdder(kind);
        for (const one of segments.flat()) {
          const time = Date.parse(String(one.timestamp));
          const hasFailed = hasFailedIn[kind](one);
          add(tallyIn(expected, time - (time % ROLLUP_MS), hasFailed), one);
        }
        for (const segment of segments) {
          addRollup(buildRollup(kind, segment), (ms, hasFailed) => tallyIn(found, ms, hasFailed));
        }
        const all = (tallies: Map<string, Tally>) => [...tallies].map(([name, tally]) => [name, shown(tally)]).sort();
        expect(all(found)).toEqual(all(expected));
      }),
    );
  });
});

it("a sum beyond 2^53 - 1 is never below it", () => {
  const huge = { timestamp: "2026-04-01T09:00:00Z", total_received_bytes: Number.MAX_SAFE_INTEGER };
  const tally = new Tally();
  for (let i = 0; i < 3; i++) addRollup(buildRollup("connections", [huge, huge]), () => tally);
  expect(tally.receivedBytes).toBeGreaterThanOrEqual(Number.MAX_SAFE_INTEGER);
});

it("the rollup of a full segment has about 2 KB", () => {
  const entries = Array.from({ length: 16_384 }, (_, i) => ({
    timestamp: new Date(start + i * 260).toISOString(),
    status: i % 50 === 0 ? 503 : 200,
    elapsed_time_ms: Math.round(20 + 1000 / (1 + (i % 1000))),
  }));
  expect(buildRollup("webhooks", entries).length).toBeLessThan(3000);
});
