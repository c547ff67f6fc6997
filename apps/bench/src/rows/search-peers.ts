import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { kinds } from "../harness/entries.js";
import { type Sandbox, show } from "../harness/sandbox.js";
import { LISTED, linesOf } from "./search-data.js";
import type { Question } from "./search-questions.js";

/** What one might use instead of the service: it answers the same questions about the same entries. */
export interface Peer {
  readonly name: string;
  /** How many times each question is asked. */
  readonly tries: number;
  /** Returns how many entries match, of which at most the newest 1000 count. */
  find(question: Question, value: string): Promise<number>;
  /** Returns the entries of the webhook log by hour: how many, and how many failed. */
  countByHour(): Promise<{ hours: number; entries: number; failed: number }>;
}

/** A script that reads the log from the start to the end. */
export function plainScript(folder: string): Peer {
  const lines = (file: string) =>
    createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  return {
    name: "a script over JSON lines",
    tries: 1,
    async find(question, value) {
      const found: string[] = [];
      for await (const line of lines(linesOf(folder, question.kind))) {
        // Each entry is a sample, so that its own value decides.
        if (question.keyOf(JSON.parse(line), true) !== value) continue;
        found.push(line);
        if (found.length > LISTED) found.shift();
      }
      return found.length;
    },
    async countByHour() {
      const hours = new Map<string, { entries: number; failed: number }>();
      for await (const line of lines(linesOf(folder, "webhooks"))) {
        const { timestamp, status } = JSON.parse(line);
        const name = timestamp.slice(0, 13);
        const hour = hours.get(name) ?? { entries: 0, failed: 0 };
        hours.set(name, hour);
        hour.entries += 1;
        if (status === 0 || status >= 400) hour.failed += 1;
      }
      const all = [...hours.values()];
      const sum = (figure: (hour: (typeof all)[number]) => number) => all.reduce((sum, hour) => sum + figure(hour), 0);
      return { hours: hours.size, entries: sum(({ entries }) => entries), failed: sum(({ failed }) => failed) };
    },
  };
}

// Not a dependency: 70 MB, for this row alone.
const DUCKDB = "@duckdb/node-api@1.5.6-r.1";

interface DuckDb {
  DuckDBInstance: { create(file: string): Promise<{ connect(): Promise<DuckConnection> }> };
}

interface DuckConnection {
  runAndReadAll(sql: string): Promise<{ getRowsJson(): unknown[][] }>;
}

/** DuckDB, in this process, over Parquet files; none if it cannot be installed. */
export async function duckDb({ folder }: Sandbox): Promise<Peer[]> {
  const home = join(folder, "duckdb");
  await mkdir(home);
  await writeFile(join(home, "package.json"), "{}");
  show(`search: installs ${DUCKDB} in a temporary folder`);
  try {
    await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", DUCKDB], { cwd: home });
  } catch (error) {
    show(
      `search: goes on without DuckDB, which could not be installed: ${error instanceof Error ? error.message : error}`,
    );
    return [];
  }
  const { DuckDBInstance }: DuckDb = createRequire(join(home, "package.json"))("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const run = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  for (const kind of kinds) {
    const file = join(folder, `${kind}.parquet`);
    await run(`copy (from read_json('${linesOf(folder, kind)}', format = 'newline_delimited')) to '${file}'`);
    await run(`create view "${kind}" as from read_parquet('${file}')`);
  }
  const peer: Peer = {
    name: "DuckDB over Parquet",
    tries: 20,
    async find({ kind, sql }, value) {
      return (await run(`from "${kind}" where ${sql(value)} order by timestamp desc limit ${LISTED}`)).length;
    },
    async countByHour() {
      const rows = await run(`
        select date_trunc('hour', timestamp), count(*), count(*) filter (where status = 0 or status >= 400),
          approx_quantile(elapsed_time_ms, [0.5, 0.95, 0.99])
        from webhooks group by all`);
      const sum = (column: number) => rows.reduce((sum, row) => sum + Number(row[column]), 0);
      return { hours: rows.length, entries: sum(1), failed: sum(2) };
    },
  };
  return [peer];
}
