import type { LogKind } from "../logs/log-store.js";
import { failedTest } from "./failures.js";
import { logFields } from "./fields.js";
import { Histogram } from "./histogram.js";
import { ByteReader, ByteWriter } from "./varints.js";

/** An entry, as its JSON text was parsed. */
export type ParsedEntry = Readonly<Record<string, unknown>>;

/** A field that is counted. */
export type Measure = "count" | "total_received_bytes" | "total_sent_bytes" | "elapsed_time_ms" | "duration_min";

/** Whether a log's entries have a field that is counted. */
export const hasMeasure = (kind: LogKind, measure: Measure): boolean =>
  logFields[kind].some(({ name }) => name === measure);

/** The field whose distribution is counted: each log has one. */
export const distributed = (kind: LogKind): "elapsed_time_ms" | "duration_min" =>
  hasMeasure(kind, "duration_min") ? "duration_min" : "elapsed_time_ms";

const isCounted = (value: number): boolean => value >= 0 && Number.isSafeInteger(value);

/**
 * The counts of some entries of a log. Sums are exact up to 2^53 - 1; a greater one is not below that, whatever the
 * order of the additions.
 */
export class Tally {
  entries = 0;
  /** How many calls the entries stand for. */
  count = 0;
  /** How many of `count` failed. */
  failed = 0;
  receivedBytes = 0;
  sentBytes = 0;
  /** The processing times in milliseconds, or the durations in minutes. */
  readonly values = new Histogram();

  /** Adds an entry. NaN stands for a field that it does not have; only whole numbers from 0 on are counted. */
  add(hasFailed: boolean, count: number, receivedBytes: number, sentBytes: number, value: number): void {
    const calls = count >= 1 && Number.isSafeInteger(count) ? count : 1;
    this.entries += 1;
    this.count += calls;
    if (hasFailed) this.failed += calls;
    if (isCounted(receivedBytes)) this.receivedBytes += receivedBytes;
    if (isCounted(sentBytes)) this.sentBytes += sentBytes;
    if (isCounted(value)) this.values.add(value);
  }

  /** Adds the entries of another tally. */
  merge(other: Tally): void {
    this.entries += other.entries;
    this.count += other.count;
    this.failed += other.failed;
    this.receivedBytes += other.receivedBytes;
    this.sentBytes += other.sentBytes;
    this.values.merge(other.values);
  }
}

/** Returns a function that adds parsed entries of a log to a tally. */
export function entryAdder(kind: LogKind): (tally: Tally, entry: ParsedEntry) => void {
  const read = (measure: Measure) => (hasMeasure(kind, measure) ? measure : undefined);
  const hasFailed = failedTest(kind);
  const [count, value] = [read("count"), distributed(kind)];
  const [received, sent] = [read("total_received_bytes"), read("total_sent_bytes")];
  return (tally, entry) =>
    tally.add(
      hasFailed(entry),
      numberIn(entry, count),
      numberIn(entry, received),
      numberIn(entry, sent),
      numberIn(entry, value),
    );
}

function numberIn(entry: ParsedEntry, name: Measure | undefined): number {
  const value = name === undefined ? undefined : entry[name];
  return typeof value === "number" ? value : Number.NaN;
}

/** How long the periods of a rollup are. Counts by periods that are multiples of it are answered from rollups. */
export const ROLLUP_MS = 3_600_000;

/**
 * Counts a segment's entries by UTC hour, those that failed apart, as bytes that {@link addRollup} reads.
 *
 * @param entries in any order
 */
export function buildRollup(kind: LogKind, entries: Iterable<ParsedEntry>): Uint8Array {
  const add = entryAdder(kind);
  const hasFailed = failedTest(kind);
  /** By hour, as in the text of a timestamp, and whether they failed. */
  const tallies = new Map<string, [others: Tally, failed: Tally]>();
  for (const entry of entries) {
    const hour = String(entry.timestamp).slice(0, "2026-04-01T09".length);
    let ofHour = tallies.get(hour);
    if (!ofHour) {
      ofHour = [new Tally(), new Tally()];
      tallies.set(hour, ofHour);
    }
    const [others, failed] = ofHour;
    add(hasFailed(entry) ? failed : others, entry);
  }
  const bytes = new ByteWriter();
  let last = 0;
  for (const [hour, both] of [...tallies].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const number = Date.parse(`${hour}:00:00Z`) / ROLLUP_MS;
    for (const [failed, tally] of both.entries()) {
      if (tally.entries === 0) continue;
      bytes.write((number - last) * 2 + failed);
      last = number;
      bytes.write(tally.entries);
      bytes.write(tally.count);
      bytes.write(Math.min(tally.receivedBytes, Number.MAX_SAFE_INTEGER));
      bytes.write(Math.min(tally.sentBytes, Number.MAX_SAFE_INTEGER));
      tally.values.write(bytes);
    }
  }
  return bytes.toBytes();
}

/**
 * Adds the counts of a segment to tallies.
 *
 * @param tallyFor Returns the tally for the entries of an hour, which begins at `startMs` since 1970.
 */
export function addRollup(rollup: Uint8Array, tallyFor: (startMs: number, hasFailed: boolean) => Tally): void {
  const bytes = new ByteReader(rollup);
  let hour = 0;
  while (!bytes.isAtEnd) {
    const head = bytes.read();
    const hasFailed = head % 2 === 1;
    hour += Math.floor(head / 2);
    const tally = tallyFor(hour * ROLLUP_MS, hasFailed);
    tally.entries += bytes.read();
    const count = bytes.read();
    tally.count += count;
    if (hasFailed) tally.failed += count;
    tally.receivedBytes += bytes.read();
    tally.sentBytes += bytes.read();
    tally.values.read(bytes);
  }
}
