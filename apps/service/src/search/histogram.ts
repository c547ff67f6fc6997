import type { ByteReader, ByteWriter } from "./varints.js";

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
    to.write(Math.min(this.sum, Number.MAX_SAFE_INTEGER));
    to.write(this.max);
    let buckets = 0;
    this.#forEach(() => {
      buckets += 1;
    });
    to.write(buckets);
    let last = 0;
    this.#forEach((bucket, count) => {
      to.write(bucket - last);
      to.write(count);
      last = bucket;
    });
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
