import type { LogKind } from "@media-ops/sdk";
import { HOUR_MS, longSessions, makeEntries, measured, perKind, RARE_STATUS, type StoredEntry } from "../entries.js";
import { show } from "../measure.js";
import type { LogStore } from "../stores.js";

type Fields = StoredEntry["fields"];

/** A question about the entries of a log. */
export interface Question {
  readonly name: string;
  readonly kind: LogKind;
  /** How an answer is found: by an index, rarely among very many entries, or by looking at every entry. */
  readonly cost: "indexed" | "rare" | "scan";
  /** What an entry would be found by, such as its channel; undefined if nobody asks for it. */
  keyOf(fields: Fields, isSample: boolean): string | undefined;
  /** The conditions of the listing. */
  where(value: string): object;
}

// So many that not each try asks for the same.
const VALUES = 40;
const valuesOf = (name: (at: number) => string) => new Set(Array.from({ length: VALUES }, (_, at) => name(at)));

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

/** A question with one value. */
const about = (
  { name, kind, cost }: Pick<Question, "name" | "kind" | "cost">,
  where: object,
  matches: (fields: Fields) => boolean,
): Question => ({ name, kind, cost, where: () => where, keyOf: (fields) => (matches(fields) ? "" : undefined) });

/** Whether a call has failed. */
const isFailed = ({ status }: Fields): boolean => status === 0 || Number(status) >= 400;

// One entry of 200 million has more.
const MOST_BYTES = 1_990_000_000;
const ELAPSED_MS = 123;
const IN_ID = "ZZZZ";

/** What is asked. */
export const questions: readonly Question[] = [
  about({ name: "newest 1000 that failed", kind: "webhooks", cost: "indexed" }, { failed: true }, isFailed),
  byId(
    "channel",
    "channel_id",
    valuesOf((at) => `room-${at}@${measured.projectId}`),
  ),
  byId("session", "session_id", new Set(longSessions.slice(0, VALUES))),
  byId(
    "client",
    "client_id",
    valuesOf((at) => `camera-${at}`),
  ),
  byId("connection", "connection_id"),
  about(
    { name: "a status of 1 in 100,000", kind: "webhooks", cost: "rare" },
    { status: { eq: RARE_STATUS } },
    ({ status }) => status === RARE_STATUS,
  ),
  about(
    { name: "elapsed_time_ms and failed", kind: "webhooks", cost: "scan" },
    { elapsed_time_ms: { eq: ELAPSED_MS }, failed: true },
    (fields) => fields.elapsed_time_ms === ELAPSED_MS && isFailed(fields),
  ),
  about({ name: "url contains", kind: "webhooks", cost: "scan" }, { url: { contains: "MOVED" } }, ({ url }) =>
    String(url).includes("moved"),
  ),
  about(
    { name: "total_bytes", kind: "connections", cost: "scan" },
    { total_bytes: { gt: MOST_BYTES } },
    (fields) => Number(fields.total_received_bytes) + Number(fields.total_sent_bytes) > MOST_BYTES,
  ),
  about(
    { name: "session_id contains", kind: "connections", cost: "scan" },
    { session_id: { contains: IN_ID } },
    ({ session_id }) => String(session_id).includes(IN_ID),
  ),
];

const BATCH = 5000;
/** How many entries an answer has at most. */
const LISTED = 1000;

/** What the generator knows about its entries: the answer to each question. */
export class Truth {
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
export async function generate(
  stores: readonly LogStore[],
  count: number,
  from: number,
  until: number,
): Promise<Truth> {
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
