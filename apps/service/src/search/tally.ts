import type { LogKind } from "../logs/log-store.js";
import type { ParsedEntry } from "./conditions.js";
import { type FailureField, failureFields, hasField } from "./fields.js";
import { secondOf } from "./moments.js";
import type { Column } from "./segments.js";

/** The names of the fields of a log's entries that are counted; undefined for those that it doesn't have. */
export function countedFields(kind: LogKind) {
  const known = (name: string): string | undefined => (hasField(kind, name) ? name : undefined);
  const minutes = known("duration_min");
  return {
    failure: failureFields[kind],
    count: known("count"),
    received: known("total_received_bytes"),
    sent: known("total_sent_bytes"),
    minutes,
    /** The field whose distribution is counted: each log has one. */
    value: minutes ?? "elapsed_time_ms",
  };
}

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
  const { failure, count, received, sent, value } = countedFields(kind);
  const numberIn = (entry: ParsedEntry, name: string | undefined): number => {
    const found = name === undefined ? undefined : entry[name];
    return typeof found === "number" ? found : Number.NaN;
  };
  return (tally, entry) =>
    tally.add(
      failure?.hasFailed(entry[failure.name]) === true,
      numberIn(entry, count),
      numberIn(entry, received),
      numberIn(entry, sent),
      numberIn(entry, value),
    );
}

/** Returns a function that adds the entry at a position of a segment to a tally. */
export function columnAdder(kind: LogKind, column: (name: string) => Column): (tally: Tally, at: number) => void {
  const { failure, ...names } = countedFields(kind);
  const numbers = (name: string | undefined): ArrayLike<number> | undefined => {
    const found = name === undefined ? undefined : column(name);
    return found?.type === "number" ? found.values : undefined;
  };
  const failed = failure && failedIn(failure, column(failure.name));
  const [count, received, sent, value] = [names.count, names.received, names.sent, names.value].map(numbers);
  return (tally, at) =>
    tally.add(
      failed?.[at] === 1,
      count?.[at] ?? Number.NaN,
      received?.[at] ?? Number.NaN,
      sent?.[at] ?? Number.NaN,
      value?.[at] ?? Number.NaN,
    );
}

/** Which entries of a segment failed: 1 for each that did. */
function failedIn({ hasFailed }: FailureField, column: Column): Uint8Array {
  if (column.type === "number") {
    const { values } = column;
    const failed = new Uint8Array(values.length);
    // Uint8Array.from takes ten times as long.
    for (let at = 0; at < values.length; at++) if (hasFailed(values[at])) failed[at] = 1;
    return failed;
  }
  const { dictionary, codes } = column;
  const ofCodes = dictionary.map(hasFailed);
  const failed = new Uint8Array(codes.length);
  for (let at = 0; at < codes.length; at++) if (ofCodes[codes[at] ?? 0]) failed[at] = 1;
  return failed;
}

const MICROS = 1e6;

/** Returns a function that returns the whole second since 1970 of the entry at a position of a segment. */
export function secondsIn(timestamps: Column): (at: number) => number {
  if (timestamps.type === "number") return (at) => Math.floor((timestamps.values[at] ?? 0) / MICROS);
  return (at) => secondOf(timestamps.dictionary[timestamps.codes[at] ?? 0] ?? "");
}

/** How long the periods of a rollup are. Counts by periods that are multiples of it are answered from rollups. */
export const ROLLUP_S = 3600;

/** Counts a segment's entries by UTC hour, those that failed apart, as bytes that {@link addRollup} reads. */
export function buildRollup(kind: LogKind, entries: number, column: (name: string) => Column): Uint8Array {
  const failure = failureFields[kind];
  const failed = failure && failedIn(failure, column(failure.name));
  const secondAt = secondsIn(column("timestamp"));
  const add = columnAdder(kind, column);
  /** By twice the number of the hour, and one more for those that failed. */
  const tallies = new Map<number, Tally>();
  for (let at = 0; at < entries; at++) {
    const name = Math.floor(secondAt(at) / ROLLUP_S) * 2 + (failed?.[at] ?? 0);
    let tally = tallies.get(name);
    if (!tally) {
      tally = new Tally();
      tallies.set(name, tally);
    }
    add(tally, at);
  }
  const bytes = new ByteWriter();
  let last = 0;
  for (const [name, tally] of [...tallies].sort(([a], [b]) => a - b)) {
    const hour = Math.floor(name / 2);
    const sums = [tally.receivedBytes, tally.sentBytes].map((sum) => Math.min(sum, Number.MAX_SAFE_INTEGER));
    bytes.write(name - 2 * last, tally.entries, tally.count, ...sums);
    tally.values.write(bytes);
    last = hour;
  }
  return bytes.toBytes();
}

/**
 * Adds the counts of a segment to tallies.
 *
 * @param tallyFor Returns the tally for the entries of an hour, which begins at this second since 1970.
 */
export function addRollup(rollup: Uint8Array, tallyFor: (second: number, hasFailed: boolean) => Tally): void {
  const bytes = new ByteReader(rollup);
  let hour = 0;
  while (!bytes.isAtEnd) {
    const head = bytes.read();
    const hasFailed = head % 2 === 1;
    hour += Math.floor(head / 2);
    const tally = tallyFor(hour * ROLLUP_S, hasFailed);
    tally.entries += bytes.read();
    const count = bytes.read();
    tally.count += count;
    if (hasFailed) tally.failed += count;
    tally.receivedBytes += bytes.read();
    tally.sentBytes += bytes.read();
    tally.values.read(bytes);
  }
}

// Values below this have a bucket of their own. From there on, each doubling is divided into half as many buckets, so
// that a bucket's middle deviates from its values by at most 1 in 64.
const EXACT = 64;
const PER_DOUBLING = EXACT / 2;
// The largest power of two that the bit operations of JavaScript can shift.
const MAX_BITS = 2 ** 31;
const SHIFTED_AT_ONCE = 26;

/** The bucket of a whole number from 0 on. */
function bucketOf(value: number): number {
  if (value < EXACT) return Math.trunc(value);
  if (value >= MAX_BITS) {
    return bucketOf(Math.floor(value / 2 ** SHIFTED_AT_ONCE)) + SHIFTED_AT_ONCE * PER_DOUBLING;
  }
  const shift = 26 - Math.clz32(value);
  return shift * PER_DOUBLING + (value >>> shift);
}

/** The whole number in the middle of a bucket. */
function middleOf(bucket: number): number {
  if (bucket < EXACT) return bucket;
  const width = 2 ** (Math.floor(bucket / PER_DOUBLING) - 1);
  return (PER_DOUBLING + (bucket % PER_DOUBLING)) * width + Math.floor((width - 1) / 2);
}

// A count by a field has up to 100,000 groups, most of them with a few entries.
const FEW = 16;
const NONE = new Float64Array(0);

/**
 * The distribution of whole numbers from 0 on. Percentiles deviate from the true value by at most 1 in 64; the number
 * of values, their sum and the maximum are exact. Histograms can be merged without further deviation.
 */
export class Histogram {
  /** How many values it has. */
  count = 0;
  sum = 0;
  max = 0;
  /** The buckets of its values, one for each, as long as they are few. */
  #few: number[] | undefined = [];
  /** How many values each bucket has, from `#first` on. */
  #counts: Float64Array = NONE;
  #first = 0;

  add(value: number): void {
    this.sum += value;
    if (value > this.max) this.max = value;
    this.#addTo(bucketOf(value), 1);
  }

  /** Adds the values of another histogram. */
  merge(other: Histogram): void {
    this.sum += other.sum;
    this.max = Math.max(this.max, other.max);
    other.#forEach((bucket, count) => this.#addTo(bucket, count));
  }

  /**
   * For each share of all values, from 0 to 1 and ascending, the lowest value such that this share is not above it; 0 if
   * there are no values.
   */
  percentiles(shares: readonly number[]): number[] {
    const found: number[] = [];
    let seen = 0;
    this.#forEach((bucket, count) => {
      seen += count;
      while (found.length < shares.length && seen >= Math.ceil((shares[found.length] ?? 1) * this.count)) {
        found.push(Math.min(middleOf(bucket), this.max));
      }
    });
    return shares.map((_, i) => found[i] ?? 0);
  }

  write(to: ByteWriter): void {
    const buckets: number[] = [];
    let last = 0;
    this.#forEach((bucket, count) => {
      buckets.push(bucket - last, count);
      last = bucket;
    });
    to.write(Math.min(this.sum, Number.MAX_SAFE_INTEGER), this.max, buckets.length / 2, ...buckets);
  }

  /** Adds the values of a histogram that was written. */
  read(from: ByteReader): void {
    this.sum += from.read();
    this.max = Math.max(this.max, from.read());
    let bucket = 0;
    for (let left = from.read(); left > 0; left--) {
      bucket += from.read();
      this.#addTo(bucket, from.read());
    }
  }

  #addTo(bucket: number, count: number): void {
    this.count += count;
    if (this.#few) {
      if (count === 1 && this.#few.length < FEW) {
        this.#few.push(bucket);
        return;
      }
      const few = this.#few;
      this.#few = undefined;
      for (const one of few) this.#raise(one, 1);
    }
    this.#raise(bucket, count);
  }

  #raise(bucket: number, count: number): void {
    const at = bucket - this.#first;
    if (at >= 0 && at < this.#counts.length) {
      this.#counts[at] = (this.#counts[at] ?? 0) + count;
      return;
    }
    this.#widenTo(bucket);
    this.#raise(bucket, count);
  }

  #widenTo(bucket: number): void {
    const [start, end] =
      this.#counts.length === 0 ? [bucket, bucket + 1] : [this.#first, this.#first + this.#counts.length];
    const first = Math.floor(Math.min(start, bucket) / PER_DOUBLING) * PER_DOUBLING;
    // Up to the largest value, which is known by now: the array seldom grows again.
    const top = Math.max(end, bucket + 1, bucketOf(this.max) + 1);
    const least = Math.ceil((top - first) / PER_DOUBLING) * PER_DOUBLING;
    const length = Math.max(least, 2 * this.#counts.length);
    const counts = new Float64Array(length);
    counts.set(this.#counts, this.#counts.length === 0 ? 0 : this.#first - first);
    this.#counts = counts;
    this.#first = first;
  }

  /** Visits the buckets that have values, in ascending order. */
  #forEach(visit: (bucket: number, count: number) => void): void {
    if (this.#few) {
      this.#few.sort((a, b) => a - b);
      for (const bucket of this.#few) visit(bucket, 1);
      return;
    }
    for (let at = 0; at < this.#counts.length; at++) {
      const count = this.#counts[at] ?? 0;
      if (count > 0) visit(this.#first + at, count);
    }
  }
}

/** Writes whole numbers from 0 to 2^53 - 1; small ones take fewer bytes. */
export class ByteWriter {
  readonly #bytes: number[] = [];

  write(...values: readonly number[]): void {
    for (let rest of values) {
      for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes.push((rest % 128) + 128);
      this.#bytes.push(rest);
    }
  }

  toBytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** Reads what {@link ByteWriter} has written. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  read(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
    }
  }
}
