import assert from "node:assert/strict";
import { coreCommands, defineLanguage, matcher } from "@media-ops/commands";
import type { WebhookLogEntry } from "@media-ops/sdk";
import { entries, now } from "../format/entries.js";
import { race } from "../measure.js";
import { compare, oursAtMost, type Result } from "../report.js";

/** What a person who types a filter may wait for it. */
const GOAL_MS = 1;

const typed = "logs webhooks status>=400 elapsed>100ms url~hooks type:session.* -status:404 since:1h";

/** What it costs to read 1000 entries through five filters and a time, beside the same conditions written by hand. */
export async function benchFilter(): Promise<Result[]> {
  const parsed = defineLanguage(coreCommands).parse(typed, { now });
  assert.ok(parsed.ok && parsed.command.name === "logs");
  const matches = matcher(parsed.command);
  const since = now - 3_600_000;
  const byHand = ({ status, elapsed_time_ms, url, type, timestamp }: WebhookLogEntry): boolean =>
    status >= 400 &&
    elapsed_time_ms > 100 &&
    url.toLowerCase().includes("hooks") &&
    type.startsWith("session.") &&
    status !== 404 &&
    Date.parse(timestamp) >= since;
  const expected = entries.filter(byHand);
  assert.ok(expected.length > 0);
  assert.deepEqual(entries.filter(matches), expected);

  const { filters, hand } = await race(
    { hand: async () => entries.filter(byHand), filters: async () => entries.filter(matches) },
    { rounds: 60, calls: 20, warmUp: 300 },
  );
  const ms = (us: number): number => us / 1000;
  return [
    compare(
      {
        name: "filter",
        measure: "1000 entries through five filters and a time, ms",
        against: "the same conditions written by hand",
        goal: oursAtMost(GOAL_MS, "ms"),
      },
      filters.rounds.map(ms),
      hand.rounds.map(ms),
    ),
  ];
}
