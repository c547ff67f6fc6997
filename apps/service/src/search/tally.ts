import type { LogKind } from "../logs/log-store.js";
import { type Column, type FailureField, failureFields, hasField, secondsIn } from "./columns.js";

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
    /** The field whose distribution is counted. */
    value: minutes ?? known("elapsed_time_ms"),
  };
}

const isCounted = (value: number): boolean => value >= 0 && Number.isSafeInteger(value);

/** The counts of some entries of a log. Sums are exact up to 2^53 - 1; a greater one is not below that. */
export class Tally {
  entries = 0;
  /** How many calls the entries stand for. */
  count = 0;
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

  merge(other: Tally): void {
    this.entries += other.entries;
    this.count += other.count;
    this.failed += other.failed;
    this.receivedBytes += other.receivedBytes;
    this.sentBytes += other.sentBytes;
    this.values.merge(other.values);
  }
}

/** Returns a function that adds the entry at a position of columns to a tally. */
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

function failedIn({ hasFailed }: FailureField, column: Column): Uint8Array {
  const ofCodes = column.type === "text" ? column.dictionary.map(hasFailed) : [];
  const failed = new Uint8Array((column.type === "text" ? column.codes : column.values).length);
  // Uint8Array.from takes ten times as long.
  for (let at = 0; at < failed.length; at++) {
    if (column.type === "text" ? ofCodes[column.codes[at] ?? 0] : hasFailed(column.values[at])) failed[at] = 1;
  }
  return failed;
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
    const tally = tallies.get(name) ?? new Tally();
    tallies.set(name, tally);
    add(tally, at);
  }
  const bytes: number[] = [];
  let last = 0;
  for (const [name, tally] of [...tallies].sort(([a], [b]) => a - b)) {
    const sums = [tally.receivedBytes, tally.sentBytes].map((sum) => Math.min(sum, Number.MAX_SAFE_INTEGER));
    append(bytes, [name - 2 * last, tally.entries, tally.count, ...sums, ...tally.values.numbers()]);
    last = Math.floor(name / 2);
  }
  return Uint8Array.from(bytes);
}

/** Adds a segment's counts to tallies. `tallyFor` returns that of an hour, which begins at this second since 1970. */
export function addRollup(rollup: Uint8Array, tallyFor: (second: number, hasFailed: boolean) => Tally): void {
  const { next, isAtEnd } = readerOf(rollup);
  for (let hour = 0; !isAtEnd(); ) {
    const head = next();
    const hasFailed = head % 2 === 1;
    hour += Math.floor(head / 2);
    const tally = tallyFor(hour * ROLLUP_S, hasFailed);
    tally.entries += next();
    const count = next();
    tally.count += count;
    if (hasFailed) tally.failed += count;
    tally.receivedBytes += next();
    tally.sentBytes += next();
    tally.values.addNumbers(next);
  }
}

/** Appends whole numbers from 0 to 2^53 - 1; small ones take fewer bytes. */
function append(bytes: number[], numbers: readonly number[]): void {
  for (let rest of numbers) {
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
}

function readerOf(bytes: Uint8Array): { next(): number; isAtEnd(): boolean } {
  let at = 0;
  return {
    isAtEnd: () => at >= bytes.length,
    next() {
      let value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = bytes[at++] ?? 0;
        if (byte < 128) return value + byte * scale;
        value += (byte - 128) * scale;
      }
    },
  };
}

// Values below this have a bucket of their own. From there on, each doubling is divided into half as many buckets, so
// that a bucket's middle deviates from its values by at most 1 in 64.
const EXACT = 64;
const PER_DOUBLING = EXACT / 2;
// The largest power of two that the bit operations of JavaScript can shift.
const MAX_BITS = 2 ** 31;
const SHIFTED_AT_ONCE = 26;

function bucketOf(value: number): number {
  if (value < EXACT) return Math.trunc(value);
  if (value >= MAX_BITS) {
    return bucketOf(Math.floor(value / 2 ** SHIFTED_AT_ONCE)) + SHIFTED_AT_ONCE * PER_DOUBLING;
  }
  const shift = 26 - Math.clz32(value);
  return shift * PER_DOUBLING + (value >>> shift);
}

function middleOf(bucket: number): number {
  if (bucket < EXACT) return bucket;
  const width = 2 ** (Math.floor(bucket / PER_DOUBLING) - 1);
  return (PER_DOUBLING + (bucket % PER_DOUBLING)) * width + Math.floor((width - 1) / 2);
}

// A count by a field has up to 100,000 groups, most of them with a few entries.
const FEW = 16;
const NONE = new Float64Array(0);

/** The distribution of whole numbers from 0 on: percentiles deviate by at most 1 in 64, all else is exact. */
export class Histogram {
  count = 0;
  sum = 0;
  max = 0;
  /** The buckets of its values, one for each, as long as they are few. */
  #few: number[] | undefined = [];
  /** How many values each bucket has. */
  #counts = NONE;

  add(value: number): void {
    this.sum += value;
    if (value > this.max) this.max = value;
    this.#addTo(bucketOf(value), 1);
  }

  merge(other: Histogram): void {
    this.sum += other.sum;
    this.max = Math.max(this.max, other.max);
    other.#forEach((bucket, count) => this.#addTo(bucket, count));
  }

  /** For each share of all values, ascending, the lowest value such that this share is not above it; 0 if none. */
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

  /** All that it has, as numbers that `addNumbers` reads. */
  numbers(): number[] {
    const steps: number[] = [];
    let last = 0;
    this.#forEach((bucket, count) => {
      steps.push(bucket - last, count);
      last = bucket;
    });
    return [Math.min(this.sum, Number.MAX_SAFE_INTEGER), this.max, steps.length / 2, ...steps];
  }

  addNumbers(next: () => number): void {
    this.sum += next();
    this.max = Math.max(this.max, next());
    let bucket = 0;
    for (let left = next(); left > 0; left--) {
      bucket += next();
      this.#addTo(bucket, next());
    }
  }

  #addTo(bucket: number, count: number): void {
    this.count += count;
    if (this.#few) {
      if (count === 1 && this.#few.length < FEW) {
        this.#few.push(bucket);
        return;
      }
      for (const one of this.#few) this.#raise(one, 1);
      this.#few = undefined;
    }
    this.#raise(bucket, count);
  }

  #raise(bucket: number, count: number): void {
    if (bucket >= this.#counts.length) {
      // The largest value is known by now: the array seldom grows again.
      const counts = new Float64Array(Math.max(bucketOf(this.max) + 1, 2 * this.#counts.length));
      counts.set(this.#counts);
      this.#counts = counts;
    }
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
  }

  /** Visits the buckets that have values, in ascending order; a few may be visited twice. */
  #forEach(visit: (bucket: number, count: number) => void): void {
    if (this.#few) {
      for (const bucket of this.#few.sort((a, b) => a - b)) visit(bucket, 1);
      return;
    }
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      const count = this.#counts[bucket] ?? 0;
      if (count > 0) visit(bucket, count);
    }
  }
}
