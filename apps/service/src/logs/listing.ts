import { promisify } from "node:util";
import { constants, gzip, gzipSync } from "node:zlib";
import type { ReadyAnswer } from "../http/send-answer.js";
import { MAX_ENTRIES } from "./log-store.js";
import { sortKey } from "./sort-key.js";

const [OPEN, COMMA, CLOSE] = [Buffer.from("["), Buffer.from(","), Buffer.from("]")];

// Below this, compressing takes less time than the way to another thread and back.
const MIN_ELSEWHERE_BYTES = 192 * 1024;

const BYTES_OF_LENGTH = 8;
// The objects themselves and their place in a cache, as measured.
const BYTES_BESIDE = 1024;

/** A log as it was read, newest entry first, and where its entries stand in the text. */
export class Listing implements ReadyAnswer {
  /** How many entries had been written to the log when it was read. */
  readonly seq: number;
  readonly body: Buffer;
  /** How many bytes each entry has. */
  readonly #lengths: readonly number[];
  #oldest: string | undefined;
  #gzipped: Promise<Buffer> | undefined;
  #gzippedBytes = 0;

  constructor(seq: number, body: Buffer, lengths: readonly number[]) {
    this.seq = seq;
    this.body = compact(body);
    this.#lengths = lengths;
  }

  /** What it takes in memory, in bytes. It grows by the gzipped form once that has been asked for. */
  get size(): number {
    return this.body.length + this.#gzippedBytes + this.#lengths.length * BYTES_OF_LENGTH + BYTES_BESIDE;
  }

  /** The sort key of an entry, from 0, the newest, on; or of the oldest, where there are not so many. */
  keyAt(place: number): string | undefined {
    const at = Math.min(place, this.#lengths.length - 1);
    const from = 1 + bytesOf(this.#lengths.slice(0, Math.max(0, at)));
    const length = this.#lengths[at];
    return length === undefined ? undefined : sortKeyOf(this.body.subarray(from, from + length));
  }

  /** The sort key of the oldest entry; undefined where there is none. */
  get oldest(): string | undefined {
    const length = this.#lengths.at(-1);
    if (length !== undefined) this.#oldest ??= sortKeyOf(this.body.subarray(-1 - length, -1));
    return this.#oldest;
  }

  /** The same log with entries instead of its newest; what is then too much falls off its end. */
  withHead(seq: number, entries: readonly Buffer[], replaced: number): Listing {
    const kept = this.#lengths.slice(replaced, replaced + Math.max(0, MAX_ENTRIES - entries.length));
    const from = 1 + bytesOf(this.#lengths.slice(0, replaced));
    const parts = entries.flatMap((entry) => [entry, COMMA]);
    // All that is kept, with the comma behind it, which gives its place to the closing bracket.
    const body = Buffer.concat([OPEN, ...parts, this.body.subarray(from, from + bytesOf(kept))]);
    CLOSE.copy(body, body.length - 1);
    return new Listing(seq, body, entries.map(({ length }) => length).concat(kept));
  }

  gzipped(): Promise<Buffer> {
    this.#gzipped ??= this.#gzip();
    return this.#gzipped;
  }

  async #gzip(): Promise<Buffer> {
    // Entries are much alike: the fastest level makes them small, and a slower one not much smaller.
    const options = { level: constants.Z_BEST_SPEED };
    const isSmall = this.body.length < MIN_ELSEWHERE_BYTES;
    const gzipped = compact(isSmall ? gzipSync(this.body, options) : await promisify(gzip)(this.body, options));
    this.#gzippedBytes = gzipped.length;
    return gzipped;
  }
}

/** The same bytes without what Node has allocated around them. */
function compact(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** What so many entries take in the text, each with what stands behind it. */
function bytesOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length + 1, 0);
}

function sortKeyOf(entry: Buffer): string {
  const { timestamp } = JSON.parse(entry.toString()) as { timestamp: string };
  return sortKey(timestamp);
}
