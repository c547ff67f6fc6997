import { StringDecoder } from "node:string_decoder";
import * as secrets from "@media-ops/secrets";
import type { Logger } from "pino";
import { redact } from "./secrets/redact.js";

/** Options of {@link createLog}. */
export type LogOptions = Omit<secrets.LogOptions, "redact">;

/** The service's log. Secrets are removed from every line. */
export const createLog = (options: LogOptions): Logger => secrets.createLog({ ...options, redact });

const MINUTE_MS = 60_000;

/** Writes at most one line a minute for events that a flood of requests can cause. */
export class MinuteLog {
  readonly #now: () => number;
  #writtenAt: number | undefined;
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts an event. `line` logs the first one, and then the count once a minute. */
  note(line: (count: number) => void): void {
    this.#count += 1;
    const now = this.#now();
    const since = this.#writtenAt === undefined ? MINUTE_MS : Math.abs(now - this.#writtenAt);
    if (since < MINUTE_MS) return;
    this.#writtenAt = now;
    line(this.#count);
    this.#count = 0;
  }
}

// Enough for every URL of the service. A caller must not be able to fill a disk with longer ones.
const MAX_URL_BYTES = 512;

/** A URL as the logs show it: without secrets, and at most 512 bytes long in UTF-8. */
export function shownUrl(url: string): string {
  // Secrets are removed first: a cut could leave a part of one that is no longer recognised.
  const bytes = Buffer.from(redact(url)).subarray(0, MAX_URL_BYTES);
  // Omits a trailing character of which only the first bytes are left.
  return new StringDecoder().write(bytes);
}
