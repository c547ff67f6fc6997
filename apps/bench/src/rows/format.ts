import assert from "node:assert/strict";
import Table from "cli-table3";
import { stringify } from "csv-stringify/sync";
import { webhookEntries } from "../entries.js";
import { compare, figures, goal, type Labels, type Result, type Row, takeTurns, timed } from "../measure.js";
import { type Build, importFrom } from "../programs.js";

const now = Date.UTC(2026, 3, 1);
const entries = webhookEntries(1000, now);

type Printers = Awaited<ReturnType<typeof printersOf>>;

/** What each format stands beside, and its goal. */
const peers: readonly (Pick<Labels, "goal"> & {
  readonly name: keyof Printers;
  readonly calls: number;
  readonly peer: string;
  print(): string;
})[] = [
  {
    name: "slack",
    calls: 10,
    peer: "JSON.stringify",
    print: () => JSON.stringify(entries),
    goal: goal("ours", "≤", 3, "ms"),
  },
  { name: "terminal", calls: 2, peer: "cli-table3", print: cliTable, goal: goal("ratio", "≤", 1) },
  { name: "csv", calls: 10, peer: "csv-stringify", print: csv, goal: goal("ratio", "≤", 1) },
];
const words = { slack: "Slack blocks, one message", terminal: "terminal", csv: "CSV" };

/** Measures formatting of 1000 entries, compared with JSON.stringify and other libraries. */
export const format: Row = async ({ builds, isQuick }) => {
  const printers = await Promise.all(builds.map(printersOf));
  for (const own of printers) check(own);
  const results: Result[] = [];
  for (const { name, calls, peer, print, goal } of peers) {
    const own = builds.map((build, at) => {
      return { name: build.name, turn: timed(printers[at]?.[name] ?? assert.fail(), calls) };
    });
    const contestants = [...own, { name: peer, turn: timed(print, calls) }];
    const ms = figures(await takeTurns(contestants, isQuick ? 1 : 15, isQuick ? 0 : 2), (us) => us / 1000);
    results.push(...compare({ measure: `1000 entries: ${words[name]}, ms`, goal }, ms));
  }
  return results;
};

/** Loads the formatters of a build. */
async function printersOf(build: Build) {
  const slack: typeof import("@media-ops/formatters/slack") = await importFrom(build, "formatters", "./slack");
  const terminal: typeof import("@media-ops/formatters/terminal") = await importFrom(build, "formatters", "./terminal");
  const csvPrinter: typeof import("@media-ops/formatters/csv") = await importFrom(build, "formatters", "./csv");
  return {
    slack: () => slack.formatLogs("webhooks", entries, { now }),
    terminal: () => terminal.formatLogs("webhooks", entries, { now, width: 120, color: true }),
    csv: () => csvPrinter.formatLogs("webhooks", entries),
  };
}

function csv(): string {
  const columns = ["timestamp", "status", "elapsed_time_ms", "type", "url"];
  return stringify(entries, { header: true, columns, record_delimiter: "\r\n" });
}

function cliTable(): string {
  const table = new Table({ head: ["time", "status", "elapsed", "type", "url"], style: { head: [], border: [] } });
  for (const { timestamp, status, elapsed_time_ms, type, url } of entries) {
    table.push([timestamp, `${status}`, `${elapsed_time_ms} ms`, type, url]);
  }
  return table.toString();
}

function check(printers: Printers): void {
  const shown = JSON.stringify(printers.slack()).matchAll(/"(\d+) ms"/g);
  const times = [...shown].map(([, ms]) => Number(ms));
  assert.ok(times.length > 0);
  const stored = entries.map((entry) => entry.elapsed_time_ms);
  assert.deepEqual(times, stored.slice(0, times.length));
  assert.equal(printers.csv(), csv());
  assert.equal(printers.terminal().split("\n").length, entries.length + 1);
}
