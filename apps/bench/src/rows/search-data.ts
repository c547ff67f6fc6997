import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import type { LogKind } from "@media-ops/sdk";
import { HOUR_MS, kinds, makeEntries, perKind, type StoredEntry } from "../harness/entries.js";
import { show } from "../harness/sandbox.js";
import { isFailed, type Question, questions } from "./search-questions.js";

const BATCH = 5000;
/** How many entries an answer has at most. */
export const LISTED = 1000;

/** The counts of an hour, as the service and the peers should return them. */
export interface Hour {
  entries: number;
  failed: number;
}

/** What the generator knows about its entries: the answer to each question. */
export class Truth {
  /** By question, then by value: the newest entries that match, oldest first. */
  readonly #answers = new Map<Question, Map<string, string[]>>(questions.map((question) => [question, new Map()]));
  readonly counts = perKind(() => 0);
  /** The webhooks of each hour, by its start. */
  readonly hours = new Map<number, Hour>();
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

  /** How many webhooks failed. */
  get failed(): number {
    return [...this.hours.values()].reduce((sum, { failed }) => sum + failed, 0);
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

/** A place that the entries are written to. */
export interface Sink {
  append(entries: readonly StoredEntry[]): void | Promise<void>;
}

/** Files of JSON lines, one for each log. */
export class JsonLines implements Sink {
  readonly #files: Record<LogKind, WriteStream>;

  constructor(folder: string) {
    this.#files = perKind((kind) => createWriteStream(linesOf(folder, kind)));
  }

  async append(entries: readonly StoredEntry[]): Promise<void> {
    for (const kind of kinds) {
      const lines = entries.filter((entry) => entry.kind === kind).map(({ text }) => `${text}\n`);
      await new Promise<void>((resolve) => this.#files[kind].write(lines.join(""), () => resolve()));
    }
  }

  async close(): Promise<void> {
    for (const file of Object.values(this.#files)) await finished(file.end());
  }
}

/** The file with the entries of a log. */
export const linesOf = (folder: string, kind: LogKind): string => join(folder, `${kind}.jsonl`);

/** Writes entries of a time to several places, and returns what is known about them. */
export async function generate(sinks: readonly Sink[], count: number, from: number, until: number): Promise<Truth> {
  const truth = new Truth(count);
  function* known() {
    for (const entry of makeEntries(count, from, until, 100)) {
      truth.add(entry);
      yield entry;
    }
  }
  await writeEntries("search", sinks, known());
  return truth;
}

/** Writes entries to several places, in batches. */
export async function writeEntries(row: string, sinks: readonly Sink[], entries: Iterable<StoredEntry>): Promise<void> {
  let batch: StoredEntry[] = [];
  let done = 0;
  const flush = async (): Promise<void> => {
    done += batch.length;
    for (const sink of sinks) await sink.append(batch);
    batch = [];
    if (done % 1_000_000 === 0) show(`${row}: ${done} entries written`);
  };
  for (const entry of entries) {
    batch.push(entry);
    if (batch.length === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
}
