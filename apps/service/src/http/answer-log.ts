import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from "fastify";
import { messageOf } from "../text/message-of.js";
import type { Refusal, RefusalKind } from "./refusal.js";
import { shownUrl } from "./shown-url.js";

/** A call that has been answered, as the log shows it. */
export interface AnswerLine {
  readonly request_id: string;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly status: number;
  readonly ms: number;
}

/** Options of {@link AnswerLog}. */
export interface AnswerLogOptions {
  readonly log: FastifyBaseLogger;
  /** A monotonic clock in milliseconds. @default performance.now */
  now?(): number;
}

/** Something that calls need and that cannot be used, such as the database. */
interface Outage {
  readonly since: number;
  /** Where calls were refused for it. */
  readonly paths: Set<string>;
  refused: number;
  lastRefusedAt: number;
  toldAt: number;
  refusedUntold: number;
}

// A caller must not fill a disk by what it sends.
const MAX_REASON = 512;
const TELL_EVERY_MS = 60_000;
// Calls that fail now and then are one outage, not many.
const QUIET_MS = 5000;

/**
 * Logs each answer in one line, with the reason if it is a refusal. If calls are refused because something cannot be
 * used, the cause is logged with its stack when that begins, how many were refused once a minute, and when it is over.
 */
export class AnswerLog {
  readonly #log: FastifyBaseLogger;
  readonly #now: () => number;
  readonly #outages = new Map<RefusalKind, Outage>();

  constructor({ log, now = () => performance.now() }: AnswerLogOptions) {
    this.#log = log;
    this.#now = now;
  }

  /** Logs an answer; one that went well only at the level "debug". */
  answered(line: AnswerLine, refusal?: Refusal): void {
    const { status } = line;
    if (status < 400) {
      if (this.#outages.size > 0) this.#noteSuccess(line);
      if (this.#log.level === "debug" || this.#log.level === "trace") this.#log.debug(shown(line), "answered");
      return;
    }
    const told = { ...shown(line), ...(refusal && { reason: reasonOf(refusal) }) };
    const cause = status < 500 ? undefined : refusal?.cause;
    if (status < 500) this.#log.info(told, "refused");
    // A fault of the service itself: each may be another one.
    else if (status === 500) this.#log.error({ ...told, err: cause }, "failed");
    else this.#log.warn(told, "failed");
    if (refusal && cause !== undefined && status !== 500) this.#noteOutage(refusal, line);
  }

  /** Logs that a call got no answer because of a fault of the service. */
  unanswered(error: unknown): void {
    this.#log.error({ err: error }, "a call could not be answered");
  }

  #noteOutage({ kind, cause }: Refusal, { url, status }: AnswerLine): void {
    const now = this.#now();
    const known = this.#outages.get(kind);
    const outage = known ?? {
      since: now,
      paths: new Set(),
      refused: 0,
      lastRefusedAt: now,
      toldAt: now,
      refusedUntold: 0,
    };
    this.#outages.set(kind, outage);
    outage.paths.add(pathOf(url));
    outage.refused += 1;
    outage.refusedUntold += 1;
    outage.lastRefusedAt = now;
    if (!known) this.#log.error({ err: cause, status }, "calls are refused; until this is mended, each has one line");
    else if (now - outage.toldAt >= TELL_EVERY_MS) {
      this.#log.error({ status, refused: outage.refusedUntold, reason: messageOf(cause) }, "calls are still refused");
    } else return;
    outage.toldAt = now;
    outage.refusedUntold = 0;
  }

  #noteSuccess({ url }: AnswerLine): void {
    const now = this.#now();
    const path = pathOf(url);
    for (const [kind, { paths, since, refused, lastRefusedAt }] of this.#outages) {
      if (!paths.has(path) || now - lastRefusedAt < QUIET_MS) continue;
      this.#outages.delete(kind);
      const seconds = Math.round((now - since) / 1000);
      this.#log.info({ refused, seconds }, "calls are answered again");
    }
  }
}

const pathOf = (url = ""): string => shownUrl(url).split("?", 1)[0] ?? "";

const shown = (line: AnswerLine) => ({ ...line, url: shownUrl(line.url ?? ""), ms: Math.round(line.ms * 10) / 10 });

function reasonOf({ message, cause }: Refusal): string {
  const why = cause === undefined ? "" : messageOf(cause);
  const reason = message.includes(why) ? message : `${message} Cause: ${why}`;
  return reason.slice(0, MAX_REASON).toWellFormed();
}

/** Lets the framework log one line for each answer instead of two for each request. */
export class FrameworkLog extends LogController {
  readonly #answers: AnswerLog;
  readonly #refusals = new WeakMap<FastifyRequest, Refusal>();

  constructor(answers: AnswerLog) {
    super();
    this.#answers = answers;
  }

  /** Notes why a call is refused, for its line. */
  refused(request: FastifyRequest, refusal: Refusal): void {
    this.#refusals.set(request, refusal);
  }

  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override defaultErrorLog(): void {}

  override requestCompleted(_: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { id: request_id, method, url } = request;
    const line = { request_id, method, url, status: reply.statusCode, ms: reply.elapsedTime };
    this.#answers.answered(line, this.#refusals.get(request));
  }
}
