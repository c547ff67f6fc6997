import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makeDatabase, startServer } from "@media-ops/testing/server";
import { DAY_MS, HOUR_MS, listings, measured } from "../entries.js";
import { post } from "../load.js";
import {
  compare,
  figures,
  type Goal,
  oursAtLeast,
  oursAtMost,
  quantile,
  type Result,
  type Row,
  type RowOptions,
  show,
  takeTurns,
} from "../measure.js";
import { type Build, ended, mediaOps, type Sandbox, type Service, startService, withSandbox } from "../programs.js";
import { LogFile, type LogStore, PostgresLogs } from "../stores.js";
import { generate, type Question, questions, type Truth } from "./search-questions.js";

const INDEXING_MS = HOUR_MS;
const SCANNED_A_SECOND = 1_000_000;
const COUNT_BY_HOUR = "counts per hour of 30 days";
// As docs/operating.md advises.
const POSTGRES = { fsync: "on", shared_buffers: "1GB", max_wal_size: "8GB" };
const row = "search";

/** Measures questions about all 30 days of a project's logs, in SQLite and in PostgreSQL. */
export const search: Row = (options) =>
  withSandbox(async (sandbox) => {
    const { builds, isQuick } = options;
    const entries = Number(process.env.BENCH_ENTRIES ?? (isQuick ? 8000 : 10_000_000));
    const until = Date.now();
    const from = until - 29.9 * DAY_MS;
    // A mere check of the row does without the second database.
    const server = isQuick ? undefined : await startServer(POSTGRES);
    try {
      const sqlite = { name: "SQLite", indexedMs: 10, stores: await sqliteStores(sandbox, builds) };
      const postgres = server && {
        name: "PostgreSQL",
        indexedMs: 20,
        stores: await postgresStores(server.url, builds, from),
      };
      const databases = postgres ? [sqlite, postgres] : [sqlite];
      const logs = databases.flatMap(({ stores }) => stores.map((store) => store.logs));
      const truth = await generate(logs, entries, from, until);
      for (const log of logs) await log.close();
      const results: Result[] = [];
      for (const database of databases) results.push(...(await measure(sandbox, options, database, truth, from)));
      return results;
    } finally {
      await server?.release();
    }
  });

/** A database for one build, with a project whose logs are written to directly. */
interface Store {
  readonly build: Build;
  readonly databaseUrl: string;
  readonly key: string;
  readonly logs: LogStore;
}

const keyOf = async (build: Build, databaseUrl: string): Promise<string> =>
  (await mediaOps(build, databaseUrl, "projects", "create", measured.projectId)).api_key;

async function sqliteStores({ folder }: Sandbox, builds: readonly Build[]): Promise<Store[]> {
  const stores: Store[] = [];
  for (const [at, build] of builds.entries()) {
    const file = join(folder, `logs-${at}.db`);
    const databaseUrl = `sqlite:${file}`;
    stores.push({ build, databaseUrl, key: await keyOf(build, databaseUrl), logs: new LogFile(file) });
  }
  return stores;
}

async function postgresStores(serverUrl: string, builds: readonly Build[], from: number): Promise<Store[]> {
  const stores: Store[] = [];
  for (const build of builds) {
    const { url: databaseUrl } = await makeDatabase(serverUrl);
    const key = await keyOf(build, databaseUrl);
    stores.push({ build, databaseUrl, key, logs: await PostgresLogs.open(databaseUrl, from) });
  }
  return stores;
}

/** The stores of one kind of database, and how long a search that an index answers may take there, in ms. */
interface DatabaseKind {
  readonly name: string;
  readonly indexedMs: number;
  readonly stores: readonly Store[];
}

/** Starts the service of each build on its filled database, and asks them by turns. */
async function measure(
  sandbox: Sandbox,
  { isQuick }: RowOptions,
  { name, indexedMs, stores }: DatabaseKind,
  truth: Truth,
  from: number,
): Promise<Result[]> {
  const services: KeyedService[] = [];
  for (const { build, databaseUrl, key } of stores) {
    const service = { ...(await startService(sandbox, build, databaseUrl)), key, name: build.name };
    show(`search: ${name}: ${build.name}: indexed in ${(await indexed(service)).toFixed(0)} s`);
    services.push(service);
  }
  /** Asks the services by turns. A figure is the milliseconds, or with `scanned`, the entries a second. */
  const report = async (
    { measure, tries, goal, scanned }: { measure: string; tries: number; goal: Goal; scanned?: number },
    ask: (service: KeyedService, nth: number) => Promise<number>,
  ): Promise<Result[]> => {
    const contestants = services.map((service) => {
      let asked = 0;
      return { name: service.name, turn: () => ask(service, asked++) };
    });
    const times = await takeTurns(contestants, isQuick ? 2 : tries);
    const labels = { row, measure: `${name}: ${measure}` };
    if (scanned !== undefined) {
      const rates = figures(times, (ms) => scanned / (ms / 1000));
      return compare({ ...labels, measure: `${labels.measure}: entries a second`, goal }, rates);
    }
    const p99s = times.map((one) => ({ name: one.name, rounds: [quantile(one.rounds, 0.99)] }));
    return [
      ...compare({ ...labels, measure: `${labels.measure}: p50, ms`, goal }, times),
      ...compare({ ...labels, measure: `${labels.measure}: p99, ms` }, p99s),
    ];
  };
  const results: Result[] = [];
  for (const question of questions) {
    const found = truth.answers(question);
    const options = {
      indexed: { tries: 400, goal: oursAtMost(indexedMs, "ms") },
      rare: { tries: 400, goal: oursAtMost(50, "ms") },
      scan: { tries: 10, goal: oursAtLeast(SCANNED_A_SECOND), scanned: truth.counts[question.kind] },
    };
    const asked = report({ measure: question.name, ...options[question.cost] }, (service, nth) => {
      const [value, texts] = found[nth % found.length] ?? assert.fail();
      return find(service, question, value, texts);
    });
    results.push(...(await asked));
  }
  const counted = { measure: COUNT_BY_HOUR, tries: 200, goal: oursAtMost(50, "ms") };
  results.push(...(await report(counted, (service) => countByHour(service, truth, from))));
  show(`search: ${name}: measured`);
  // They would take CPU from what is measured next.
  await Promise.all(services.map(({ child }) => ended(child, "SIGTERM")));
  return results;
}

type KeyedService = Service & { readonly key: string; readonly name: string };

// What has no segment, because each of the six logs waits for this many.
const UNINDEXED = 6 * 1024;

/** Waits until the service has found that old entries are not indexed, and until they are. Returns the seconds. */
async function indexed({ internalUrl }: Service): Promise<number> {
  const deadline = performance.now() + INDEXING_MS;
  let started = Number.NaN;
  while (performance.now() < deadline) {
    const text = await (await fetch(`${internalUrl}/metrics`)).text();
    const waiting = Number(/^media_log_entries_unindexed (\d+)$/m.exec(text)?.[1]);
    if (Number.isNaN(started) && waiting > UNINDEXED) started = performance.now();
    if (waiting <= UNINDEXED && !Number.isNaN(started)) return (performance.now() - started) / 1000;
    await setTimeout(50);
  }
  throw new Error(`The logs were not indexed within ${INDEXING_MS / 60_000} minutes.`);
}

/** Returns the milliseconds until a question is answered, with all pages if it is a scan. */
async function find(service: KeyedService, question: Question, value: string, texts: readonly string[]) {
  const { kind, cost } = question;
  const found: string[] = [];
  const started = performance.now();
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const body = JSON.stringify({ where: question.where(value), ...(cursor && { cursor }) });
    const { headers, body: page } = await post(service, listings[kind], body);
    if (page.length > "[]".length) found.push(page.subarray(1, -1).toString());
    cursor = headers["x-next-cursor"]?.toString();
    isLast = cost !== "scan" || cursor === undefined;
  }
  const ms = performance.now() - started;
  assert.equal(found.join(), texts.join(), `${question.name} "${value}": the newest entries that match`);
  return ms;
}

/** Returns the milliseconds until the webhooks of 30 days are counted by hour. */
async function countByHour(service: KeyedService, truth: Truth, from: number): Promise<number> {
  const since = new Date(from).toISOString();
  const started = performance.now();
  const { body } = await post(service, "/orgs/count-logs", JSON.stringify({ kind: "webhooks", since, every: 3600 }));
  const ms = performance.now() - started;
  const { total, periods, complete } = JSON.parse(body.toString());
  assert(complete);
  type Period = { readonly start: string; readonly entries: number; readonly failed: number };
  assert.deepEqual(
    periods.map(({ start, entries, failed }: Period) => [Date.parse(start), { entries, failed }]),
    [...truth.hours],
  );
  for (const [name, share] of Object.entries({ p50: 0.5, p95: 0.95, p99: 0.99 })) {
    const [counted, exact] = [total.elapsed_ms[name], truth.elapsedQuantile(share)];
    assert(Math.abs(counted - exact) <= 0.02 * exact, `${name} is within 2%: ${counted}, exactly ${exact}`);
  }
  return ms;
}
