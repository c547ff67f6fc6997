import type { CountLogsRequest, LogCounts } from "@media-ops/contract";
import type { Counter } from "prom-client";
import type { LogKind, LogReader } from "../logs/log-store.js";
import type { ReadCaller, ReadLoad, Work } from "../reads/pace.js";
import { Refusal } from "../refusal.js";
import { count } from "./count.js";
import { readCount } from "./count-request.js";
import { toText } from "./cursor.js";
import { HeadWatch } from "./heads.js";
import { END_OF_TIME, later, momentOf } from "./moments.js";
import { type Question, readQuestion, type SearchBody } from "./question.js";
import { DeletedPart } from "./segment-store.js";
import type { EntryRow, Position, SegmentReader } from "./segments.js";
import { holds, LogWalk } from "./walk.js";
import { findWritten } from "./written.js";

/** A page of a log. */
export interface SearchAnswer {
  /** The JSON texts of the entries. */
  readonly entries: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the call was held for new entries. */
  readonly isHeld: boolean;
}

/** What searches read of one kind of database. */
export interface SearchReaders {
  readonly segments: SegmentReader;
  readonly heads: Pick<LogReader, "seqOf">;
}

interface LogSearchOptions extends SearchReaders {
  readonly load: ReadLoad;
  /** Counts searches that have ended. @default they are not counted */
  readonly ended?: Counter<"kind" | "outcome">;
  /** In ms since 1970. */
  now(): number;
}

// A team has some dozens of terminals and channels that follow a log.
const MAX_HELD = 100;
const HELD_RETRY_S = 5;
// How many entries are looked for at once, in the order of writing.
const WRITTEN = 4000;

/** Searches logs, follows them, and counts their entries. */
export class LogSearch {
  readonly #options: LogSearchOptions;
  readonly #heads: HeadWatch;
  /** How many calls are held by key. */
  readonly #held = new Map<string, number>();

  constructor(options: LogSearchOptions) {
    this.#options = options;
    this.#heads = new HeadWatch(options.heads);
  }

  /** @throws {Refusal} if the body contradicts itself, or the key has made too many long searches. */
  async search(searcher: ReadCaller, kind: LogKind, body: SearchBody): Promise<SearchAnswer> {
    const question = readQuestion(searcher.projectId, kind, body, this.#options.now());
    const { cursor } = question;
    if (cursor && "written" in cursor) return this.#follow(searcher, question, cursor.written);
    return this.#paced(searcher, (pace) => this.#page(question, pace, cursor?.position));
  }

  /** @throws {Refusal} in the same cases. */
  async count(searcher: ReadCaller, body: CountLogsRequest): Promise<LogCounts> {
    const question = readCount(searcher.projectId, body, this.#options.now());
    const counts = await this.#paced(searcher, (pace) => count(this.#options.segments, question, pace));
    this.#countEnded("count", counts.complete);
    return counts;
  }

  /** Runs a search, and once more from the start if a segment that it knew has been deleted meanwhile. */
  #paced<Answer>(searcher: ReadCaller, search: (pace: Work) => Promise<Answer>): Promise<Answer> {
    return this.#options.load.run(searcher, (pace) =>
      search(pace).catch((error: unknown) => {
        if (error instanceof DeletedPart) return search(pace);
        throw error;
      }),
    );
  }

  /** Answers all calls with what they have. */
  stop(): void {
    this.#options.load.stop();
    this.#heads.stop();
  }

  async #page(question: Question, pace: Work, after: Position | undefined): Promise<SearchAnswer> {
    const { segments: reader } = this.#options;
    const { log, order, until, fingerprint } = question;
    const canFollow = !after && order === "newest" && until === END_OF_TIME;
    // Entries after this one are left to those who follow: a caller that lists a page and follows has each entry once.
    const writtenUpTo = canFollow ? await this.#heads.seqOf(log) : undefined;
    const walk = new LogWalk({ ...question, reader, pace, writtenUpTo });
    const { rows, next } = await collect(walk, question.limit, after, pace);
    this.#countEnded("listing", next === undefined || rows.length === question.limit);
    return {
      isHeld: false,
      entries: rows.map(({ entry }) => entry),
      headers: {
        "x-searched-to": this.#searchedTo(question, next),
        ...(next && { "x-next-cursor": toText({ position: next }, fingerprint) }),
        ...(writtenUpTo !== undefined && { "x-follow-cursor": toText({ written: writtenUpTo }, fingerprint) }),
      },
    };
  }

  #countEnded(kind: "listing" | "count", isComplete: boolean): void {
    this.#options.ended?.labels(kind, isComplete ? "complete" : "partial").inc();
  }

  #searchedTo({ order, from, until }: Question, next: Position | undefined): string {
    if (order === "newest") return momentOf(next ? later(next.at, from) : from);
    if (next) return momentOf(next.at);
    return until === END_OF_TIME ? new Date(this.#options.now()).toISOString() : momentOf(until);
  }

  async #follow(searcher: ReadCaller, question: Question, written: number): Promise<SearchAnswer> {
    const { waitSeconds, log, limit, fingerprint } = question;
    const endsAt = performance.now() + waitSeconds * 1000;
    const release = waitSeconds > 0 ? this.#hold(searcher.keyId) : () => {};
    const found: EntryRow[] = [];
    let last = written;
    try {
      for (;;) {
        const head = await this.#heads.seqOf(log);
        // A database that was restored has fewer entries than when the cursor was made.
        last = await this.#collectWritten(searcher, question, [Math.min(last, head), head], found);
        const left = endsAt - performance.now();
        if (found.length > 0 || left <= 0 || searcher.signal.aborted || this.#options.load.isStopped) break;
        if (last === head) await this.#heads.wait(log, head, left, searcher.signal);
      }
    } finally {
      release();
    }
    const entries = found.slice(0, limit);
    const cursor = { written: found.length > limit ? (entries.at(-1)?.seq ?? last) : last };
    return {
      isHeld: waitSeconds > 0,
      entries: entries.map(({ entry }) => entry),
      headers: { "x-next-cursor": toText(cursor, fingerprint) },
    };
  }

  /** Adds the matches that were written after one seq and up to another. Returns the seq up to which it got. */
  #collectWritten(
    searcher: ReadCaller,
    { log, from, until, conditions, limit }: Question,
    [after, head]: readonly [number, number],
    found: EntryRow[],
  ): Promise<number> {
    const { segments: reader } = this.#options;
    let last = after;
    return this.#paced(searcher, async (pace) => {
      while (last < head && found.length < limit && !pace.isOver) {
        // Without conditions all of them match, and no more than a page are needed.
        const upTo = Math.min(head, last + (conditions.all.length === 0 ? limit - found.length : WRITTEN));
        for (const row of await findWritten(reader, { log, from, after: last, upTo }, pace)) {
          if (pace.isDue) await pace.pause();
          if (row.at >= from && row.at < until && holds(conditions, row)) found.push(row);
        }
        last = upTo;
      }
      return last;
    });
  }

  /** Counts a held call. Returns a function that ends it. */
  #hold(keyId: string): () => void {
    const held = this.#held.get(keyId) ?? 0;
    if (held >= MAX_HELD) {
      const detail = `This API key has ${MAX_HELD} calls that are held. Try again in ${HELD_RETRY_S} seconds, or leave wait_s out.`;
      throw new Refusal("too-many-requests", detail, { headers: { "retry-after": String(HELD_RETRY_S) } });
    }
    this.#held.set(keyId, held + 1);
    return () => {
      const others = (this.#held.get(keyId) ?? 1) - 1;
      if (others === 0) this.#held.delete(keyId);
      else this.#held.set(keyId, others);
    };
  }
}

/** Collects a page of matches. `next` is where the next page begins; undefined if this is the last one. */
async function collect(
  walk: LogWalk,
  limit: number,
  after: Position | undefined,
  pace: Work,
): Promise<{ rows: EntryRow[]; next: Position | undefined }> {
  const found: EntryRow[] = [];
  for await (const { rows, upTo } of walk.steps(after)) {
    for (const row of rows) found.push(row);
    if (found.length > limit) {
      const page = found.slice(0, limit);
      const { at, seq } = page.at(-1) ?? upTo;
      return { rows: page, next: { at, seq } };
    }
    if (pace.isOver) return { rows: found, next: walk.isEnd(upTo) ? undefined : upTo };
  }
  return { rows: found, next: undefined };
}
