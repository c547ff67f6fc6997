import assert from "node:assert/strict";
import type { MeasuredLog } from "./measured-log.js";

// No server is so fast that it needs more in a round; what is left of them is thrown away.
const MOST_PER_MS = 8;

/** The same request again and again, until the round is over. */
export function* again(request: Buffer, roundMs: number): Generator<readonly Buffer[]> {
  const end = performance.now() + roundMs;
  while (performance.now() < end) yield [request];
}

/** Requests before each of which one more entry is committed; its answer must begin with what was written last. */
export class AskedAfterCommits {
  readonly #log: MeasuredLog;
  readonly #request: Buffer;
  readonly #roundMs: number;
  /** The timestamp of the entry that was committed before a request. */
  readonly #committed = new WeakMap<Buffer, string>();

  constructor(log: MeasuredLog, request: Buffer, roundMs: number) {
    this.#log = log;
    this.#request = request;
    this.#roundMs = roundMs;
  }

  lines(): Iterable<readonly Buffer[]> {
    const ready = Array.from({ length: this.#roundMs * MOST_PER_MS }, () => this.#log.next());
    return this.#ask(ready);
  }

  readonly look = (request: Buffer, start: Buffer): void => {
    const timestamp = this.#committed.get(request);
    assert(
      timestamp !== undefined && start.includes(timestamp),
      "what was committed before a request is in its answer",
    );
  };

  *#ask(ready: readonly ReturnType<MeasuredLog["next"]>[]): Generator<readonly Buffer[]> {
    const end = performance.now() + this.#roundMs;
    for (const { timestamp, commit } of ready) {
      if (performance.now() >= end) return;
      commit();
      // The same bytes, but a thing of its own.
      const request = this.#request.subarray();
      this.#committed.set(request, timestamp);
      yield [request];
    }
  }
}
