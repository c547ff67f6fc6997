import assert from "node:assert/strict";

const END_OF_HEAD = "\r\n\r\n";

/** Finds where each answer on a connection ends, without looking at what stands in it. */
export class AnswerReader {
  /** How many bytes the bodies of all answers had. */
  bytes = 0;
  #head = "";
  /** Of the body that is being read; undefined while its head is. */
  #left: number | undefined;

  /** Whether an answer has come to its end; one that is not 200 is thrown. */
  read(chunk: Buffer): boolean {
    let body = chunk.length;
    if (this.#left === undefined) {
      const before = this.#head.length;
      this.#head += chunk.toString("latin1");
      const end = this.#head.indexOf(END_OF_HEAD);
      if (end === -1) return false;
      assert(this.#head.startsWith("HTTP/1.1 200 "), this.#head);
      const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head.slice(0, end + 2))?.[1];
      assert(length !== undefined, "An answer has no length.");
      body = chunk.length - (end + END_OF_HEAD.length - before);
      this.#left = Number(length);
      this.bytes += this.#left;
      this.#head = "";
    }
    this.#left -= body;
    assert(this.#left >= 0, "An answer has no more than its length.");
    if (this.#left > 0) return false;
    this.#left = undefined;
    return true;
  }
}
