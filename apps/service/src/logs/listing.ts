import { promisify } from "node:util";
import { constants, gzip, gzipSync } from "node:zlib";
import type { ReadyAnswer } from "../http/send-answer.js";
import { MAX_ENTRIES } from "./log-store.js";
import { sortKey } from "./sort-key.js";

const [OPEN, COMMA, CLOSE] = [Buffer.from("["), Buffer.from(","), Buffer.from("]")];

// Below this, compressing takes less time than the way to another thread and back.
const MIN_ELSEWHERE_BYTES = 192 * 1024;

/** A log as it was read, newest entry first, and where its entries stand in the text. */
export class Listing implements ReadyAnswer {
  /** How many entries had been written to the log when it was read. */
  readonly seq: number;
  readonly body: Buffer;
  /** How many bytes each entry has. */
  readonly #lengths: readonly number[];
  #oldest: string | undefined;
  #gzipped: Promise<Buffer> | undefined;

  constructor(seq: number, body: Buffer, lengths: readonly number[]) {
    this.seq = seq;
    this.body = body;
    this.#lengths = lengths;
  }

  /** What it takes in memory with its gzipped form, which is the smaller part. */
  get size(): number {
    return Math.ceil(this.body.length * 1.25) + this.#lengths.length * 8;
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
    // Entries are much alike: the fastest level makes them small, and a slower one not much smaller.
    const options = { level: constants.Z_BEST_SPEED };
    this.#gzipped ??=
      this.body.length < MIN_ELSEWHERE_BYTES
        ? Promise.resolve(gzipSync(this.body, options))
        : promisify(gzip)(this.body, options);
    return this.#gzipped;
  }
}

/** What so many entries take in the text, each with what stands behind it. */
function bytesOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length + 1, 0);
}

function sortKeyOf(entry: Buffer): string {
  const { timestamp } = JSON.parse(entry.toString()) as { timestamp: string };
  return sortKey(timestamp);
}
