import assert from "node:assert/strict";
import { summarize } from "@media-ops/reports";
import Table from "cli-table3";
import { stringify } from "csv-stringify/sync";
import { webhookEntries } from "../harness/entries.js";
import { type Build, importFrom } from "../harness/programs.js";
import { compare, type Goals, oursAtMost, type Result, type Row, ratioAtMost } from "../harness/report.js";
import { figures, takeTurns, timed } from "../harness/turns.js";

const now = Date.UTC(2026, 3, 1);
const entries = webhookEntries(1000, now);
const STRINGIFY = "JSON.stringify";

type Call = () => unknown;

/** Measures formatting of 1000 entries, compared with JSON.stringify and other libraries. */
export const format: Row = async ({ builds, isQuick }) => {
  const rounds = isQuick ? 1 : 15;
  const printers = await Promise.all(builds.map(printersOf));
  for (const own of printers) check(own);
  const results: Result[] = [];
  const measure = async (name: keyof Printers, calls: number, peers: Record<string, Call>, goals: Goals = {}) => {
    const own = builds.map((build, at): [string, Call] => [build.name, printers[at]?.[name] ?? assert.fail()]);
    const contestants = [...own, ...Object.entries(peers)].map(([name, call]) => ({ name, turn: timed(call, calls) }));
    const ms = figures(await takeTurns(contestants, rounds, 2), (us) => us / 1000);
    results.push(...compare({ row: "format", measure: `1000 entries: ${name}, ms`, goals }, ms));
  };
  const json = { [STRINGIFY]: () => JSON.stringify(entries) };
  await measure("Slack blocks, one message", 10, json, { [STRINGIFY]: oursAtMost(3, "ms") });
  await measure("Slack blocks, all messages", 2, json);
  await measure("summary for Slack", 10, json);
  await measure("terminal", 2, { ...json, "cli-table3": cliTable }, { "cli-table3": ratioAtMost(1) });
  await measure("CSV", 10, { ...json, "csv-stringify": csv }, { "csv-stringify": ratioAtMost(1) });
  return results;
};

type Printers = Awaited<ReturnType<typeof printersOf>>;

/** Loads the formatters of a build. */
async function printersOf(build: Build) {
  const load = (file: string) => importFrom(build, "formatters", file);
  const slack: typeof import("@media-ops/formatters/slack") = await load("slack/index.js");
  const terminal: typeof import("@media-ops/formatters/terminal") = await load("terminal/index.js");
  const csvPrinter: typeof import("@media-ops/formatters/csv") = await load("csv/index.js");
  return {
    "Slack blocks, one message": () => slack.formatLogs("webhooks", entries, { now }),
    "Slack blocks, all messages": () => {
      let done = 0;
      while (done < entries.length) done += slack.formatLogs("webhooks", entries.slice(done), { now }).shown;
      return done;
    },
    "summary for Slack": () => slack.formatSummary(summarize("webhooks", entries), { now }),
    terminal: () => terminal.formatLogs("webhooks", entries, { now, width: 120, color: true }),
    CSV: () => csvPrinter.formatLogs("webhooks", entries),
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
  const shown = JSON.stringify(printers["Slack blocks, one message"]()).matchAll(/"(\d+) ms"/g);
  const times = [...shown].map(([, ms]) => Number(ms));
  assert.ok(times.length > 0);
  const stored = entries.map((entry) => entry.elapsed_time_ms);
  assert.deepEqual(times, stored.slice(0, times.length));
  assert.equal(printers["Slack blocks, all messages"](), entries.length);
  assert.match(JSON.stringify(printers["summary for Slack"]()), /1,?000/);
  assert.equal(printers.CSV(), csv());
  assert.equal(printers.terminal().split("\n").length, entries.length + 1);
}
