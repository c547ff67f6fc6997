import assert from "node:assert/strict";

const END_OF_HEAD = "\r\n\r\n";
/** What an answer without a length and without a body consists of behind its head. */
const NO_CHUNK = "0\r\n\r\n";

/** Finds where each answer on a connection ends, without looking at what stands in it. */
export class AnswerReader {
  /** How many bytes the bodies of all answers had. */
  bytes = 0;
  #head = "";
  /** Of the body that is being read; undefined while its head is. */
  #left: number | undefined;
  #isAtStart = false;
  readonly #onStart: (start: Buffer) => void;

  /** @param onStart Shown the first piece of each body. */
  constructor(onStart: (start: Buffer) => void = () => {}) {
    this.#onStart = onStart;
  }

  /** Whether an answer has come to its end; one that is not 200 is thrown. */
  read(chunk: Buffer): boolean {
    let body = chunk;
    if (this.#left === undefined) {
      const before = this.#head.length;
      this.#head += chunk.toString("latin1");
      const end = this.#head.indexOf(END_OF_HEAD);
      if (end === -1) return false;
      assert(this.#head.startsWith("HTTP/1.1 200 "), this.#head);
      body = chunk.subarray(end + END_OF_HEAD.length - before);
      this.#left = this.#lengthBehind(this.#head.slice(0, end + 2));
      this.#head = "";
      this.#isAtStart = true;
    }
    if (this.#isAtStart && body.length > 0) {
      this.#isAtStart = false;
      this.#onStart(body);
    }
    this.#left -= body.length;
    assert(this.#left >= 0, "An answer has no more than its length.");
    if (this.#left > 0) return false;
    this.#left = undefined;
    return true;
  }

  /** How many bytes come behind a head. */
  #lengthBehind(head: string): number {
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      assert.match(head, /\r\ntransfer-encoding: *chunked/i, "An answer has no length.");
      // Of answers in chunks, only those without a body are known here; another one has more than this.
      return NO_CHUNK.length;
    }
    this.bytes += Number(length);
    return Number(length);
  }
}
