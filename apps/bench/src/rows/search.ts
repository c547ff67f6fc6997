import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makeDatabase, startServer } from "@media-ops/testing/server";
import {
  DAY_MS,
  HOUR_MS,
  listings,
  longSessions,
  type MeasuredKind,
  makeEntries,
  measured,
  perKind,
  RARE_STATUS,
  type StoredEntry,
} from "../entries.js";
import { post } from "../load.js";
import {
  compare,
  figures,
  type Goal,
  goal,
  type Result,
  type Row,
  type RowOptions,
  show,
  takeTurns,
} from "../measure.js";
import { type Build, ended, mediaOps, type Sandbox, type Service, startService, withSandbox } from "../programs.js";
import { LogFile, type LogStore, PostgresLogs } from "../stores.js";

const INDEXING_MS = HOUR_MS;
const SCANNED_A_SECOND = 1_000_000;
const COUNT_BY_HOUR = "counts per hour of 30 days";
// As docs/operating.md advises.
const POSTGRES = { fsync: "on", shared_buffers: "1GB", max_wal_size: "8GB" };

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
      const sqlite = builds.map(async (build, at): Promise<Store> => {
        const file = join(sandbox.folder, `logs-${at}.db`);
        return { build, ...(await projectIn(build, `sqlite:${file}`)), logs: new LogFile(file) };
      });
      const databases: DatabaseKind[] = [{ name: "SQLite", indexedMs: 10, stores: await Promise.all(sqlite) }];
      if (server) {
        const postgres = builds.map(async (build): Promise<Store> => {
          const { url } = await makeDatabase(server.url);
          return { build, ...(await projectIn(build, url)), logs: await PostgresLogs.open(url, from) };
        });
        databases.push({ name: "PostgreSQL", indexedMs: 20, stores: await Promise.all(postgres) });
      }
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

async function projectIn(build: Build, databaseUrl: string): Promise<Pick<Store, "databaseUrl" | "key">> {
  const { api_key: key } = await mediaOps(build, databaseUrl, "projects", "create", measured.projectId);
  return { databaseUrl, key };
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
    const rates = scanned && figures(times, (ms) => scanned / (ms / 1000));
    const unit = rates ? "entries a second" : "p50, ms";
    return compare({ measure: `${name}: ${measure}: ${unit}`, goal }, rates || times);
  };
  const results: Result[] = [];
  for (const question of questions) {
    const found = truth.answers(question);
    const options = {
      indexed: { tries: 400, goal: goal("ours", "≤", indexedMs, "ms") },
      rare: { tries: 400, goal: goal("ours", "≤", 50, "ms") },
      scan: { tries: 10, goal: goal("ours", "≥", SCANNED_A_SECOND), scanned: truth.counts[question.kind] },
    };
    const asked = report({ measure: question.name, ...options[question.cost] }, (service, nth) => {
      const [value, texts] = found[nth % found.length] ?? assert.fail();
      return find(service, question, value, texts);
    });
    results.push(...(await asked));
  }
  const counted = { measure: COUNT_BY_HOUR, tries: 200, goal: goal("ours", "≤", 50, "ms") };
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

type Fields = StoredEntry["fields"];

/** A question about the entries of a log. */
interface Question {
  readonly name: string;
  readonly kind: MeasuredKind;
  /** How an answer is found: by an index, rarely among very many entries, or by looking at every entry. */
  readonly cost: "indexed" | "rare" | "scan";
  /** What an entry would be found by, such as its channel; undefined if nobody asks for it. */
  keyOf(fields: Fields, isSample: boolean): string | undefined;
  /** The conditions of the listing. */
  where(value: string): object;
}

// So many that not each try asks for the same.
const VALUES = 40;
const numbered = (name: string, end = "") => new Set(Array.from({ length: VALUES }, (_, at) => `${name}-${at}${end}`));

/** A question for the connections with an id: one of those given, or of a sample. */
const byId = (name: string, field: string, asked?: ReadonlySet<string>): Question => ({
  name: `by ${name}`,
  kind: "connections",
  cost: "indexed",
  keyOf(fields, isSample) {
    const id = String(fields[field]);
    return (asked ? asked.has(id) : isSample) ? id : undefined;
  },
  where: (id) => ({ [field]: { eq: id } }),
});

const isFailed = ({ status }: Fields): boolean => status === 0 || Number(status) >= 400;
const bytesOf = (fields: Fields): number => Number(fields.total_received_bytes) + Number(fields.total_sent_bytes);
// One entry of 200 million has more.
const MOST_BYTES = 1_990_000_000;

/** What each question with one value finds, in plain code: the conditions' own would not see that it is wrong. */
const isFound = {
  "newest 1000 that failed": isFailed,
  "a status of 1 in 100,000": ({ status }: Fields) => status === RARE_STATUS,
  "elapsed_time_ms and failed": (fields: Fields) => fields.elapsed_time_ms === 123 && isFailed(fields),
  "url contains": ({ url }: Fields) => String(url).includes("moved"),
  total_bytes: (fields: Fields) => bytesOf(fields) > MOST_BYTES,
  "session_id contains": ({ session_id }: Fields) => String(session_id).includes("ZZZZ"),
};

/** A question with one value. */
const about = (name: keyof typeof isFound, kind: MeasuredKind, cost: Question["cost"], where: object): Question => ({
  name,
  kind,
  cost,
  where: () => where,
  keyOf: (fields) => (isFound[name](fields) ? "" : undefined),
});

/** What is asked. */
const questions: readonly Question[] = [
  about("newest 1000 that failed", "webhooks", "indexed", { failed: true }),
  byId("channel", "channel_id", numbered("room", `@${measured.projectId}`)),
  byId("session", "session_id", new Set(longSessions.slice(0, VALUES))),
  byId("client", "client_id", numbered("camera")),
  byId("connection", "connection_id"),
  about("a status of 1 in 100,000", "webhooks", "rare", { status: { eq: RARE_STATUS } }),
  about("elapsed_time_ms and failed", "webhooks", "scan", { elapsed_time_ms: { eq: 123 }, failed: true }),
  about("url contains", "webhooks", "scan", { url: { contains: "MOVED" } }),
  about("total_bytes", "connections", "scan", { total_bytes: { gt: MOST_BYTES } }),
  about("session_id contains", "connections", "scan", { session_id: { contains: "ZZZZ" } }),
];

const BATCH = 5000;
/** How many entries an answer has at most. */
const LISTED = 1000;

/** What the generator knows about its entries: the answer to each question. */
class Truth {
  /** By question, then by value: the newest entries that match, oldest first. */
  readonly #answers = new Map<Question, Map<string, string[]>>(questions.map((question) => [question, new Map()]));
  /** How many entries each log has. */
  readonly counts = perKind(() => 0);
  /** The webhooks of each hour, by its start: how many, and how many failed. */
  readonly hours = new Map<number, { entries: number; failed: number }>();
  /** How many webhooks took how many milliseconds. */
  readonly #elapsed: number[] = [];
  readonly #sampleEvery: number;

  constructor(entries: number) {
    this.#sampleEvery = Math.ceil(entries / 500);
  }

  add({ kind, timestamp, fields, text }: StoredEntry): void {
    this.counts[kind] += 1;
    const isSample = this.counts[kind] % this.#sampleEvery === 0;
    for (const [question, answers] of this.#answers) {
      const value = question.kind === kind ? question.keyOf(fields, isSample) : undefined;
      if (value === undefined) continue;
      const found = answers.get(value) ?? [];
      answers.set(value, found);
      found.push(text);
      if (found.length > 2 * LISTED) found.splice(0, LISTED);
    }
    if (kind !== "webhooks") return;
    const start = Math.floor(Date.parse(timestamp) / HOUR_MS) * HOUR_MS;
    const hour = this.hours.get(start) ?? { entries: 0, failed: 0 };
    this.hours.set(start, hour);
    hour.entries += 1;
    if (isFailed(fields)) hour.failed += 1;
    const elapsed = Number(fields.elapsed_time_ms);
    this.#elapsed[elapsed] = (this.#elapsed[elapsed] ?? 0) + 1;
  }

  /** The milliseconds that this share of the webhooks took at most. */
  elapsedQuantile(share: number): number {
    let left = Math.ceil(this.counts.webhooks * share);
    return this.#elapsed.findIndex((count = 0) => {
      left -= count;
      return left <= 0;
    });
  }

  /** The values that a question can be asked with, each with the newest entries that match, newest first. */
  answers(question: Question): [value: string, texts: string[]][] {
    const answers = [...(this.#answers.get(question) ?? [])];
    if (answers.length === 0) return [["", []]];
    return answers.map(([value, texts]) => [value, texts.slice(-LISTED).reverse()]);
  }
}

/** Writes entries of a time to several stores, in batches, and returns what is known about them. */
async function generate(stores: readonly LogStore[], count: number, from: number, until: number): Promise<Truth> {
  const truth = new Truth(count);
  let batch: StoredEntry[] = [];
  let done = 0;
  for (const entry of makeEntries(count, from, until, 100)) {
    truth.add(entry);
    batch.push(entry);
    done += 1;
    if (batch.length < BATCH && done < count) continue;
    for (const store of stores) await store.append(batch);
    batch = [];
    if (done % 1_000_000 === 0) show(`search: ${done} entries written`);
  }
  return truth;
}
