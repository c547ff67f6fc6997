import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makeDatabase, startServer } from "@media-ops/testing/server";
import { DAY_MS, HOUR_MS, listings, measured } from "../harness/entries.js";
import { connectionEvents } from "../harness/events.js";
import { post } from "../harness/http.js";
import { Load, type Rate, toPost } from "../harness/load.js";
import { LogFile } from "../harness/log-file.js";
import { PostgresLogs } from "../harness/postgres-logs.js";
import { type Build, mediaOps, type Service, startService, startServices } from "../harness/programs.js";
import { race } from "../harness/race.js";
import {
  compare,
  type Goal,
  type Goals,
  oursAtLeast,
  oursAtMost,
  type Result,
  type Row,
  type RowOptions,
  ratioAtLeast,
  ratioAtMost,
  single,
} from "../harness/report.js";
import { ended, type Sandbox, show, withSandbox } from "../harness/sandbox.js";
import { figures, quantile, takeTurns } from "../harness/turns.js";
import { generate, JsonLines, type Truth } from "./search-data.js";
import { duckDb, type Peer, plainScript } from "./search-peers.js";
import { type Question, questions } from "./search-questions.js";

const INDEXING_MS = HOUR_MS;
const SCANNED_A_SECOND = 1_000_000;
// As docs/operating.md advises.
const POSTGRES = { fsync: "on", shared_buffers: "1GB", max_wal_size: "8GB" };
const row = "search";

/** Measures questions about all 30 days of a project's logs, in SQLite and in PostgreSQL. */
export const search: Row = (options) =>
  withSandbox(async (sandbox) => {
    const { builds, isQuick } = options;
    const entries = Number(process.env.BENCH_ENTRIES ?? (isQuick ? 20_000 : 10_000_000));
    // First, since another checkout may turn out not to run.
    const results = await intakeBeside(sandbox, options);
    const until = Date.now();
    const from = until - 29.9 * DAY_MS;
    return withStores(sandbox, builds[0], from, async (stores) => {
      const lines = new JsonLines(sandbox.folder);
      const truth = await generate([...stores.map(({ logs }) => logs), lines], entries, from, until);
      await lines.close();
      // DuckDB is not installed for a mere check of the row.
      const peers = [plainScript(sandbox.folder), ...(isQuick ? [] : await duckDb(sandbox))];
      const answers = await askPeers(peers, truth);
      for (const store of stores) results.push(...(await measure(sandbox, options, store, { truth, answers, from })));
      return results;
    });
  });

/** A database with the entries, its goals, and the key of its project. */
export interface Store {
  readonly name: string;
  readonly databaseUrl: string;
  readonly key: string;
  readonly logs: LogFile | PostgresLogs;
  /** How long a search that an index answers may take, in ms. */
  readonly indexedMs: number;
}

/**
 * Runs work with a database of each kind, whose logs are empty.
 *
 * @param from The time of the oldest entry.
 */
export async function withStores<T>(
  { folder }: Sandbox,
  build: Build,
  from: number,
  work: (stores: readonly Store[]) => Promise<T>,
): Promise<T> {
  const createProject = async (databaseUrl: string): Promise<string> =>
    (await mediaOps(build, databaseUrl, "projects", "create", measured.projectId)).api_key;
  const server = await startServer(POSTGRES);
  try {
    const file = join(folder, "logs.db");
    const sqlite = { name: "SQLite", databaseUrl: `sqlite:${file}`, indexedMs: 10 };
    const postgres = { name: "PostgreSQL", databaseUrl: (await makeDatabase(server.url)).url, indexedMs: 20 };
    return await work([
      { ...sqlite, key: await createProject(sqlite.databaseUrl), logs: new LogFile(file) },
      {
        ...postgres,
        key: await createProject(postgres.databaseUrl),
        logs: await PostgresLogs.open(postgres.databaseUrl, from),
      },
    ]);
  } finally {
    await server.release();
  }
}

const COUNT_BY_HOUR = "counts per hour of 30 days";

/** The milliseconds of each peer for each question. */
type PeerTimes = ReadonlyMap<string, { readonly name: string; readonly rounds: readonly number[] }[]>;

/** Asks all peers all questions. Throws if an answer is wrong. */
async function askPeers(peers: readonly Peer[], truth: Truth): Promise<PeerTimes> {
  const times = new Map<string, { name: string; rounds: number[] }[]>();
  const ask = async (measure: string, { name, tries }: Peer, one: (nth: number) => Promise<void>): Promise<void> => {
    const rounds: number[] = [];
    for (let nth = 0; nth < tries; nth++) {
      const started = performance.now();
      await one(nth);
      rounds.push(performance.now() - started);
    }
    times.set(measure, [...(times.get(measure) ?? []), { name, rounds: [quantile(rounds, 0.5)] }]);
  };
  for (const peer of peers) {
    for (const question of questions) {
      const answers = truth.answers(question);
      await ask(question.name, peer, async (nth) => {
        const [value, texts] = answers[nth % answers.length] ?? assert.fail();
        assert.equal(await peer.find(question, value), texts.length, `${peer.name}: ${question.name}`);
      });
    }
    const hours = [...truth.hours.values()];
    await ask(COUNT_BY_HOUR, peer, async () => {
      const counted = await peer.countByHour();
      assert.equal(counted.hours, hours.length);
      assert.equal(counted.entries, truth.counts.webhooks);
      assert.equal(counted.failed, truth.failed);
    });
    show(`search: ${peer.name}: measured`);
  }
  return times;
}

interface Known {
  readonly truth: Truth;
  readonly answers: PeerTimes;
  /** The time of the oldest entry. */
  readonly from: number;
}

/** Starts the service on a filled database, and measures it. */
async function measure(
  sandbox: Sandbox,
  { builds, isQuick }: RowOptions,
  { name, databaseUrl, key, logs, indexedMs }: Store,
  { truth, answers, from }: Known,
): Promise<Result[]> {
  const results: Result[] = [];
  const entries = Object.values(truth.counts).reduce((sum, count) => sum + count, 0);
  if (logs instanceof PostgresLogs) await logs.settle();
  const before = await logs.bytes();
  const service = { ...(await startService(sandbox, builds[0], databaseUrl)), key };
  const seconds = await indexed(service);
  results.push(...single({ row, measure: `${name}: indexing, entries a second` }, entries / seconds));
  const disk = { row, measure: `${name}: disk of an entry, bytes`, goal: ratioAtMost(1.25) };
  results.push(...single(disk, (await logs.bytes()) / entries, "not indexed", before / entries));
  show(`search: ${name}: indexed in ${seconds.toFixed(0)} s`);

  const report = (measure: string, times: readonly number[], goal: Goal, scanned?: number): void => {
    const toFigure = (ms: number): number => (scanned === undefined ? ms : scanned / (ms / 1000));
    const theirs = (answers.get(measure) ?? []).map((peer) => ({ ...peer, rounds: peer.rounds.map(toFigure) }));
    const ours = { name, rounds: [toFigure(quantile(times, 0.5))] };
    const figure = scanned === undefined ? "p50, ms" : "entries a second";
    const goals = { [theirs[0]?.name ?? ""]: goal };
    results.push(...compare({ row, measure: `${name}: ${measure}: ${figure}`, goals }, [ours, ...theirs]));
    if (scanned === undefined)
      results.push(...single({ row, measure: `${name}: ${measure}: p99, ms` }, quantile(times, 0.99)));
  };
  for (const question of questions) {
    const found = truth.answers(question);
    const times: number[] = [];
    const { isScan, isRare, kind } = question;
    const tries = isQuick ? 2 : isScan ? 10 : 400;
    for (let nth = 0; nth < tries; nth++) {
      const [value, texts] = found[nth % found.length] ?? assert.fail();
      times.push(await ask(service, question, value, texts));
    }
    if (isScan) report(question.name, times, oursAtLeast(SCANNED_A_SECOND), truth.counts[kind]);
    else report(question.name, times, oursAtMost(isRare ? 50 : indexedMs, "ms"));
  }
  const times: number[] = [];
  for (let nth = 0; nth < (isQuick ? 2 : 200); nth++) times.push(await countByHour(service, truth, from));
  report(COUNT_BY_HOUR, times, oursAtMost(50, "ms"));
  show(`search: ${name}: questions measured`);
  results.push(...(await listingsBeside(service, name, isQuick)));
  await ended(service.child, "SIGTERM");
  await logs.close();
  return results;
}

type KeyedService = Service & { readonly key: string };

// What has no segment, because each of the six logs waits for this many.
const UNINDEXED = 6 * 1024;

/** Waits until the service has found that old entries are not indexed, and until they are. Returns the seconds. */
export async function indexed({ internalUrl }: Service): Promise<number> {
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
async function ask(service: KeyedService, question: Question, value: string, texts: readonly string[]) {
  const { kind, isScan } = question;
  const found: string[] = [];
  const started = performance.now();
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const body = JSON.stringify({ where: question.where(value), ...(cursor && { cursor }) });
    const { headers, body: page } = await post(service, listings[kind], body);
    if (page.length > "[]".length) found.push(page.subarray(1, -1).toString());
    cursor = headers["x-next-cursor"]?.toString();
    isLast = !isScan || cursor === undefined;
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
  for (const [name, share] of [
    ["p50", 0.5],
    ["p95", 0.95],
    ["p99", 0.99],
  ] as const) {
    const [counted, exact] = [total.elapsed_ms[name], truth.elapsedQuantile(share)];
    assert(Math.abs(counted - exact) <= 0.02 * exact, `${name} is within 2%: ${counted}, exactly ${exact}`);
  }
  return ms;
}

const LISTERS = 16;
const SEARCHERS = 2;

/** Measures plain listings alone, and while two searches that no index answers run all the time. */
async function listingsBeside(service: KeyedService, name: string, isQuick: boolean): Promise<Result[]> {
  const [rounds, roundMs] = isQuick ? [1, 50] : [7, 3000];
  const load = await Load.open(service.url, LISTERS);
  const request = toPost(listings.webhooks, service.key, "{}", ["Accept-Encoding: identity"]);
  function* lines() {
    for (const end = performance.now() + roundMs; performance.now() < end; ) yield [request];
  }
  const scans = questions.filter(({ isScan }) => isScan);
  let searched = 0;
  const searchUntil = async (isOver: () => boolean, question: Question): Promise<void> => {
    const body = JSON.stringify({ where: question.where("") });
    for (; !isOver(); searched++) await post(service, listings[question.kind], body);
  };
  const besideSearches = async (): Promise<Rate> => {
    let isOver = false;
    const searches = Array.from({ length: SEARCHERS }, (_, at) =>
      searchUntil(() => isOver, scans.at(-1 - at) ?? assert.fail()),
    );
    const rate = await load.rate(lines());
    isOver = true;
    await Promise.all(searches);
    return rate;
  };
  const times = await takeTurns(
    [
      { name, turn: besideSearches },
      { name: "no searches", turn: () => load.rate(lines()) },
    ],
    rounds,
    isQuick ? 0 : 1,
  );
  load.close();
  show(`search: ${name}: listings measured beside ${searched} searches`);
  const measure = `${name}: listings beside ${SEARCHERS} searches`;
  const line = (what: string, figure: (rate: Rate) => number, goals?: Goals): Result[] =>
    compare({ row, measure: `${measure}: ${what}`, goals }, figures(times, figure));
  return [
    ...line("p50, ms", (rate) => quantile(rate.times, 0.5)),
    ...line("p99, ms", (rate) => quantile(rate.times, 0.99), { "no searches": ratioAtMost(2) }),
    ...line("a second", ({ perSecond }) => perSecond),
  ];
}

/** Measures the intake of this checkout, which indexes meanwhile, beside another's. */
async function intakeBeside(sandbox: Sandbox, { builds, isQuick }: RowOptions): Promise<Result[]> {
  if (builds.length === 1) return [];
  // Short rounds: the service closes connections that send nothing while another has its turn.
  const [rounds, events] = isQuick ? [1, 600] : [9, 30_000];
  const services = await startServices(sandbox, builds, measured.projectId);
  const racers = services.map(({ internalUrl, intakeKey, ...service }) => ({
    ...service,
    url: internalUrl,
    lines: () => Array.from({ length: events }, () => [connectionEvents(measured.projectId, intakeKey, 10).end]),
  }));
  const goals = Object.fromEntries(builds.slice(1).map((build) => [build.name, ratioAtLeast(0.85)]));
  const results = await race(
    { row, name: "intake of entries", unit: "events", connections: 256, rounds, goals },
    racers,
  );
  // They would take CPU from what is measured next.
  await Promise.all(services.map(({ child }) => ended(child, "SIGTERM")));
  return results;
}
