import { messageOf } from "@media-ops/database";
import type { Logger } from "pino";
import { MinuteLog, shownUrl } from "../log.js";
import type { Refusal, RefusalKind } from "../refusal.js";
import { redact } from "../secrets/redact.js";

/** An answer, for its line in the log. */
interface LoggedAnswer {
  readonly call: {
    readonly id: string;
    readonly url: string;
    readonly request: { readonly method?: string | undefined };
  };
  readonly status: number;
  readonly elapsedMs: number;
  /** Why the call was refused, if it was. */
  readonly refusal?: Refusal | undefined;
}

/** A time in which something that calls need, such as the database, is unavailable. */
interface Outage {
  readonly since: number;
  /** The paths of the calls that were refused. */
  readonly paths: Set<string>;
  refused: number;
  lastRefusedAt: number;
  readonly line: MinuteLog;
}

// A caller must not be able to fill a disk with what it sends.
const MAX_REASON = 512;
// Calls that fail intermittently are one outage, not many.
const QUIET_MS = 5000;

/**
 * Logs each answer in one line, with the reason if it is a refusal. During an outage, it logs the cause with its stack
 * once, the number of refused calls once a minute, and the end.
 */
export class AnswerLog {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #outages = new Map<RefusalKind, Outage>();

  /** @param now A monotonic clock in milliseconds. */
  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** Logs an answer; a success only at the level "debug". */
  answered(answer: LoggedAnswer): void {
    const { status, refusal } = answer;
    if (status < 400) {
      if (this.#outages.size > 0) this.#noteSuccess(pathOf(answer));
      if (this.#log.level === "debug" || this.#log.level === "trace") this.#log.debug(lineOf(answer), "answered");
      return;
    }
    if (refusal?.isQuiet) return;
    const line = { ...lineOf(answer), ...(refusal && { reason: reasonOf(refusal) }) };
    const cause = status < 500 ? undefined : refusal?.cause;
    if (status < 500) this.#log.info(line, "refused");
    // Faults of the service itself are logged each time, because each may have another cause.
    else if (status === 500) this.#log.error({ ...line, err: cause }, "failed");
    else this.#log.warn(line, "failed");
    if (refusal && cause !== undefined && status !== 500) this.#noteOutage(refusal, pathOf(answer));
  }

  #noteOutage({ kind, cause, status }: Refusal, path: string): void {
    const now = this.#now();
    const known = this.#outages.get(kind);
    const line = known?.line ?? new MinuteLog(this.#now);
    const outage = known ?? { since: now, paths: new Set(), refused: 0, lastRefusedAt: now, line };
    this.#outages.set(kind, outage);
    outage.paths.add(path);
    outage.refused += 1;
    outage.lastRefusedAt = now;
    line.note((count) => {
      if (known) this.#log.error({ status, refused: count, reason: messageOf(cause) }, "calls are still refused");
      else this.#log.error({ err: cause, status }, "calls are refused; until this is mended, each has one line");
    });
  }

  #noteSuccess(path: string): void {
    const now = this.#now();
    for (const [kind, { paths, since, refused, lastRefusedAt }] of this.#outages) {
      if (!paths.has(path) || now - lastRefusedAt < QUIET_MS) continue;
      this.#outages.delete(kind);
      const seconds = Math.round((now - since) / 1000);
      this.#log.info({ refused, seconds }, "calls are answered again");
    }
  }
}

const pathOf = ({ call }: LoggedAnswer): string => shownUrl(call.url).split("?", 1)[0] ?? "";

const lineOf = ({ call, status, elapsedMs }: LoggedAnswer) => ({
  request_id: call.id,
  method: call.request.method,
  url: shownUrl(call.url),
  status,
  ms: Math.round(elapsedMs * 10) / 10,
});

function reasonOf({ message, cause }: Refusal): string {
  const why = cause === undefined ? "" : messageOf(cause);
  const reason = message.includes(why) ? message : `${message} Cause: ${why}`;
  // Secrets are removed first: a cut could leave a part of one that is no longer recognised.
  return redact(reason).slice(0, MAX_REASON).toWellFormed();
}
