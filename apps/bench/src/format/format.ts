import assert from "node:assert/strict";
import * as csv from "@media-ops/formatters/csv";
import * as slack from "@media-ops/formatters/slack";
import * as terminal from "@media-ops/formatters/terminal";
import Table from "cli-table3";
import { stringify } from "csv-stringify/sync";
import { type Contestant, type Measured, race } from "../measure.js";
import type { Result } from "../report.js";
import { entries, now } from "./entries.js";

/** What a person on call waits for: the issue of the whole log in Slack. */
const SLACK_GOAL_MS = 3;

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
  const measured = await race(contestants, { rounds: 25, calls: 4, warmUp: 40 });
  const floor = { name: "JSON.stringify", measured: measured["JSON.stringify"] };
  const slackMs = measured.slack.us / 1000;
  return [
    row("1000 entries to Slack blocks, ms", measured.slack, floor, {
      goal: `≤ ${SLACK_GOAL_MS} ms`,
      met: slackMs <= SLACK_GOAL_MS,
      note: "as many entries as one message holds",
    }),
    row("1000 entries to Slack blocks, on as many messages as it takes, ms", measured["slack, every entry"], floor),
    row("1000 entries to a summary for Slack, ms", measured["slack, summary"], floor),
    row("1000 entries to the terminal, ms", measured.terminal, floor),
    faster("1000 entries to the terminal, ms", measured.terminal, {
      name: "cli-table3",
      measured: measured["cli-table3"],
    }),
    row("1000 entries to CSV, ms", measured.csv, floor),
    faster("1000 entries to CSV, ms", measured.csv, { name: "csv-stringify", measured: measured["csv-stringify"] }),
  ];
}

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
  assert.equal(await contestants["slack, every entry"]?.(), entries.length);
  assert.equal(await contestants.csv?.(), await contestants["csv-stringify"]?.());
  const lines = String(await contestants.terminal?.()).split("\n");
  assert.equal(lines.length, entries.length + 1);
  assert.ok(lines.every((line, at) => at === 0 || line.includes(String(entries[at - 1]?.status))));
}

interface Other {
  name: string;
  measured: Measured;
}

function row(
  measure: string,
  { us, ratio, spread: [low, high] }: Measured,
  floor: Other,
  { goal = null, met = null, note = "" }: Partial<Pick<Result, "goal" | "met" | "note">> = {},
): Result {
  const spread = `middle half ${low.toFixed(2)}–${high.toFixed(2)}`;
  const [ours, theirs] = [us / 1000, floor.measured.us / 1000];
  return {
    name: "format",
    measure,
    against: floor.name,
    ours,
    theirs,
    ratio,
    goal,
    met,
    note: note ? `${note}; ${spread}` : spread,
  };
}

function faster(measure: string, ours: Measured, peer: Other): Result {
  const ratio = ours.us / peer.measured.us;
  return {
    name: "format",
    measure,
    against: peer.name,
    ours: ours.us / 1000,
    theirs: peer.measured.us / 1000,
    ratio,
    goal: "< 1",
    met: ratio < 1,
    note: "medians of the same run",
  };
}
