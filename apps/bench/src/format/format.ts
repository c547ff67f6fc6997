import assert from "node:assert/strict";
import * as csv from "@media-ops/formatters/csv";
import * as slack from "@media-ops/formatters/slack";
import * as terminal from "@media-ops/formatters/terminal";
import Table from "cli-table3";
import { stringify } from "csv-stringify/sync";
import { type Contestant, takeTurns, timed } from "../measure.js";
import { compare, type Goal, oursAtMost, type Result, ratioBelow } from "../report.js";
import { entries, now } from "./entries.js";

/** What a person on call waits for: the issue of the whole log in Slack. */
const SLACK_GOAL_MS = 3;

const WARM_UP = 2;
const ROUNDS = 15;

const fields = ["timestamp", "status", "elapsed_time_ms", "type", "url"] as const;

/** What it costs to make 1000 entries readable, beside JSON.stringify and what else does such a thing. */
export async function benchFormat(): Promise<Result[]> {
  const contestants = {
    "JSON.stringify": async () => JSON.stringify(entries),
    slack: async () => slack.formatLogs("webhooks", entries, { now }),
    "slack, every entry": async () => slackPages(),
    "slack, summary": async () => slack.formatSummary("webhooks", entries, { now }),
    terminal: async () => terminal.formatLogs("webhooks", entries, { now, width: 120, color: true }),
    "cli-table3": async () => cliTable(),
    csv: async () => csv.formatLogs("webhooks", entries),
    "csv-stringify": async () => stringify(entries, { header: true, columns: [...fields], record_delimiter: "\r\n" }),
  } satisfies Record<string, Contestant>;
  await checkAnswers(contestants);
  const turns = {
    "JSON.stringify": timed(contestants["JSON.stringify"], 10),
    slack: timed(contestants.slack, 10),
    "slack, every entry": timed(contestants["slack, every entry"], 1),
    "slack, summary": timed(contestants["slack, summary"], 10),
    terminal: timed(contestants.terminal, 4),
    // A call of it takes as long as dozens of the others.
    "cli-table3": timed(contestants["cli-table3"], 1),
    csv: timed(contestants.csv, 10),
    "csv-stringify": timed(contestants["csv-stringify"], 10),
  } satisfies Record<keyof typeof contestants, unknown>;
  await takeTurns(turns, WARM_UP);
  const measured = await takeTurns(turns, ROUNDS);
  const row = (
    what: string,
    [ours, theirs]: readonly [keyof typeof turns, keyof typeof turns],
    { goal, note = "" }: { goal?: Goal; note?: string } = {},
  ): Result =>
    compare(
      { name: "format", measure: `1000 entries to ${what}, ms`, against: theirs, goal, note },
      measured[ours].map(toMs),
      measured[theirs].map(toMs),
    );
  return [
    row("Slack blocks", ["slack", "JSON.stringify"], {
      goal: oursAtMost(SLACK_GOAL_MS, "ms"),
      note: "as many entries as one message holds",
    }),
    row("Slack blocks, on as many messages as it takes", ["slack, every entry", "JSON.stringify"]),
    row("a summary for Slack", ["slack, summary", "JSON.stringify"]),
    row("the terminal", ["terminal", "JSON.stringify"]),
    row("the terminal", ["terminal", "cli-table3"], { goal: ratioBelow(1) }),
    row("CSV", ["csv", "JSON.stringify"]),
    row("CSV", ["csv", "csv-stringify"], { goal: ratioBelow(1) }),
  ];
}

const toMs = (us: number): number => us / 1000;

function slackPages(): number {
  let done = 0;
  while (done < entries.length) done += slack.formatLogs("webhooks", entries.slice(done), { now }).shown;
  return done;
}

/** The same cells as our own table: what is compared is the table, and not what stands in it. */
function cliTable(): string {
  const [head = "", ...lines] = cells;
  const table = new Table({ head: head.split("\t"), style: { head: [], border: [] } });
  for (const line of lines) table.push(line.split("\t"));
  return table.toString();
}

const cells = terminal
  .formatLogs("webhooks", entries, { now, width: Number.POSITIVE_INFINITY })
  .split("\n")
  .map((line) => line.split(/ {2,}/).join("\t"));

async function checkAnswers(contestants: Record<string, Contestant>): Promise<void> {
  assert.deepEqual(JSON.parse(String(await contestants["JSON.stringify"]?.())), entries);
  const times = [...JSON.stringify(await contestants.slack?.()).matchAll(/"(\d+) ms"/g)].map(([, ms]) => Number(ms));
  assert.ok(times.length > 0);
  assert.deepEqual(
    times,
    entries.slice(0, times.length).map((entry) => entry.elapsed_time_ms),
  );
  assert.equal(await contestants["slack, every entry"]?.(), entries.length);
  assert.match(JSON.stringify(await contestants["slack, summary"]?.()), /1,?000/);
  assert.equal(await contestants.csv?.(), await contestants["csv-stringify"]?.());
  const lines = String(await contestants.terminal?.()).split("\n");
  assert.equal(lines.length, entries.length + 1);
  assert.ok(lines.every((line, at) => at === 0 || line.includes(String(entries[at - 1]?.status))));
  const rows = [...String(await contestants["cli-table3"]?.()).matchAll(/^│(.+)│$/gm)].map(([, row = ""]) => row);
  assert.deepEqual(
    rows.map((row) => row.split("│").map((cell) => cell.trim())),
    cells.map((line) => line.split("\t")),
  );
}
