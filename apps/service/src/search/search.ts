import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { CountLogsRequest, ListWebhookLogsRequest, LogCounts } from "@media-ops/contract";
import { LRUCache } from "lru-cache";
import type { Counter } from "prom-client";
import { z } from "zod";
import { parseJson } from "../json.js";
import { type LogKind, type LogName, logKinds, MAX_ENTRIES } from "../logs/log-store.js";
import type { ReadCaller, ReadLoad, Work } from "../reads/pace.js";
import type { EntryRow } from "./columns.js";
import { type Conditions, compileWhere, InvalidSearch, matching, parseRange, type Where } from "./conditions.js";
import { count, parseCount } from "./count.js";
import { END_OF_TIME, type KeyRange, later, momentOf } from "./moments.js";
import { DeletedPart, type Order, type Position, type SegmentStore, type SeqRange } from "./segment-store.js";
import { LogWalk, writtenIn } from "./walk.js";

/** The body of a listing, valid by the contract's schema for its log. */
export type SearchBody = Omit<ListWebhookLogsRequest, "where"> & { readonly where?: Where };

/** A page of a log. */
export interface SearchPage {
  readonly entries: readonly string[];
  /** The cursor of the next page; undefined if this is the last one. */
  readonly nextCursor?: string | undefined;
  /** The cursor with which the caller follows the log; only of a first page, newest first and without an end. */
  readonly followCursor?: string | undefined;
  /** The time up to which the log was searched; undefined if the log is followed. */
  readonly searchedTo?: string;
  readonly isHeld: boolean;
}

/** A caller that follows logs with too many calls at once. */
export class TooManyFollowers extends Error {
  override readonly name = "TooManyFollowers";
  readonly retryAfterSeconds = HELD_RETRY_S;

  constructor() {
    super(
      `This API key has ${MAX_HELD} calls that are held. Try again in ${HELD_RETRY_S} seconds, or leave wait_s out.`,
    );
  }
}

interface LogSearchOptions {
  readonly reader: SegmentStore;
  readonly load: ReadLoad;
  /** Counts searches that have ended. @default they are not counted */
  readonly ended?: Counter<"kind" | "outcome">;
  now(): number;
}

// A team has some dozens of terminals and channels that follow a log.
const MAX_HELD = 100;
const HELD_RETRY_S = 5;
// Followers receive an entry within a second of its commit, also if another process commits it.
const LOOK_EVERY_MS = 250;
const MAX_FOLLOWED = 10_000;
// How many entries are looked for at once, in the order of writing.
const WRITTEN = 4000;

/** Searches logs, follows them, and counts their entries. */
export class LogSearch {
  readonly #options: LogSearchOptions;
  /** How many entries followed logs had a moment ago. Callers that wait for the same log share one query. */
  readonly #heads: LRUCache<string, number, LogName>;
  readonly #held = new Map<string, number>();

  constructor(options: LogSearchOptions) {
    this.#options = options;
    this.#heads = new LRUCache({
      max: MAX_FOLLOWED,
      ttl: LOOK_EVERY_MS,
      fetchMethod: (_, __, { context: log }) => options.reader.seqOf(log),
    });
  }

  /** Lists a page, or holds the call until there are new entries. @throws {InvalidSearch | TooManyFollowers} */
  async search(caller: ReadCaller, kind: LogKind, body: SearchBody): Promise<SearchPage> {
    const query = parseSearch(caller.projectId, kind, body, this.#options.now());
    const { cursor } = query;
    if (cursor && "written" in cursor) return this.#follow(caller, query, cursor.written);
    return this.#paced(caller, (pace) => this.#page(query, pace, cursor?.position));
  }

  async count(caller: ReadCaller, body: CountLogsRequest): Promise<LogCounts> {
    const query = parseCount(caller.projectId, body, this.#options.now());
    const counts = await this.#paced(caller, (pace) => count(this.#options.reader, query, pace));
    this.#countEnded("count", counts.complete);
    return counts;
  }

  /** Runs a search, and once more from the start if a segment that it read has been deleted meanwhile. */
  #paced<Result>(caller: ReadCaller, search: (pace: Work) => Promise<Result>): Promise<Result> {
    return this.#options.load.run(caller, (pace) =>
      search(pace).catch((error: unknown) => {
        if (error instanceof DeletedPart) return search(pace);
        throw error;
      }),
    );
  }

  async #page(query: SearchQuery, pace: Work, after: Position | undefined): Promise<SearchPage> {
    const { reader } = this.#options;
    const { log, order, limit, until, fingerprint } = query;
    const canFollow = !after && order === "newest" && until === END_OF_TIME;
    // Later entries are left to the follow cursor: a caller that lists a page and follows receives each entry once.
    const written = canFollow ? await reader.seqOf(log) : undefined;
    const seqs = written === undefined ? undefined : { after: 0, upTo: written };
    const walk = new LogWalk({ ...query, reader, pace, seqs });
    const found: EntryRow[] = [];
    let next: Position | undefined;
    for await (const { rows, upTo } of walk.steps(after)) {
      for (const row of rows) found.push(row);
      if (found.length > limit) next = found[limit - 1];
      else if (pace.isOver && !walk.isEnd(upTo)) next = upTo;
      if (next || pace.isOver) break;
    }
    this.#countEnded("listing", next === undefined || found.length >= limit);
    return {
      isHeld: false,
      entries: found.slice(0, limit).map(({ entry }) => entry),
      searchedTo: this.#searchedTo(query, next),
      nextCursor: next && formatCursor({ position: next }, fingerprint),
      followCursor: written === undefined ? undefined : formatCursor({ written }, fingerprint),
    };
  }

  #countEnded(kind: "listing" | "count", isComplete: boolean): void {
    this.#options.ended?.labels(kind, isComplete ? "complete" : "partial").inc();
  }

  #searchedTo({ order, from, until }: SearchQuery, next: Position | undefined): string {
    if (order === "newest") return momentOf(next ? later(next.at, from) : from);
    if (next) return momentOf(next.at);
    return until === END_OF_TIME ? new Date(this.#options.now()).toISOString() : momentOf(until);
  }

  async #follow(caller: ReadCaller, query: SearchQuery, written: number): Promise<SearchPage> {
    const { reader, load } = this.#options;
    const { waitSeconds, log, limit, fingerprint } = query;
    const endsAt = performance.now() + waitSeconds * 1000;
    const mustEnd = (): boolean => caller.signal.aborted || load.isStopped || performance.now() >= endsAt;
    const release = waitSeconds > 0 ? this.#hold(caller.keyId) : () => {};
    const found: EntryRow[] = [];
    let last = written;
    try {
      for (;;) {
        const head = await reader.seqOf(log);
        // A restored database has fewer entries than when the cursor was made.
        last = await this.#collectWritten(caller, query, { after: Math.min(last, head), upTo: head }, found);
        if (found.length > 0 || mustEnd()) break;
        for (let isNew = last !== head; !isNew && !mustEnd(); ) {
          const ms = Math.min(LOOK_EVERY_MS, endsAt - performance.now());
          await setTimeout(Math.max(0, ms), undefined, { signal: caller.signal }).catch(() => {});
          isNew = !mustEnd() && (await this.#heads.forceFetch(log.join(), { context: log })) !== head;
        }
      }
    } finally {
      release();
    }
    const page = found.slice(0, limit);
    const next = { written: found.length > limit ? (page.at(-1)?.seq ?? last) : last };
    return {
      isHeld: waitSeconds > 0,
      entries: page.map(({ entry }) => entry),
      nextCursor: formatCursor(next, fingerprint),
    };
  }

  /** Adds the matches with these seqs, in the order of writing. Returns the seq up to which it got. */
  #collectWritten(
    caller: ReadCaller,
    query: SearchQuery,
    { after, upTo }: SeqRange,
    found: EntryRow[],
  ): Promise<number> {
    const { reader } = this.#options;
    const { kind, conditions, limit } = query;
    let last = after;
    return this.#paced(caller, async (pace) => {
      while (last < upTo && found.length < limit && !pace.isOver) {
        // Without conditions all of them match, and no more than a page are needed.
        const most = conditions.all.length === 0 ? limit - found.length : WRITTEN;
        const seqs = { after: last, upTo: Math.min(upTo, last + most) };
        // They are mostly the newest ones, so the log is read backwards.
        const walk = new LogWalk({ ...query, order: "newest", conditions: writtenIn(seqs), seqs, reader, pace });
        const rows: EntryRow[] = [];
        for await (const step of walk.steps()) {
          rows.push(...step.rows);
          if (rows.length === seqs.upTo - seqs.after) break;
        }
        rows.sort((one, other) => one.seq - other.seq);
        found.push(...(await matching(conditions, { kind, rows }, () => pace.pause())));
        last = seqs.upTo;
      }
      return last;
    });
  }

  #hold(keyId: string): () => void {
    const held = this.#held.get(keyId) ?? 0;
    if (held >= MAX_HELD) throw new TooManyFollowers();
    this.#held.set(keyId, held + 1);
    return () => {
      const others = (this.#held.get(keyId) ?? 1) - 1;
      if (others === 0) this.#held.delete(keyId);
      else this.#held.set(keyId, others);
    };
  }
}

interface SearchQuery extends KeyRange {
  readonly kind: LogKind;
  readonly log: LogName;
  readonly conditions: Conditions;
  readonly order: Order;
  readonly limit: number;
  readonly cursor: Cursor | undefined;
  /** How long the call is held until an entry matches, in seconds. */
  readonly waitSeconds: number;
  /** The same for all pages of a search. */
  readonly fingerprint: string;
}

function parseSearch(projectId: string, kind: LogKind, body: SearchBody, now: number): SearchQuery {
  const { since, until, where, order = "newest", limit = MAX_ENTRIES, wait_s } = body;
  const log: LogName = [projectId, logKinds[kind].number];
  const range = parseRange(body, now);
  const fingerprint = fingerprintOf([...log, since, until, where, order]);
  const cursor = body.cursor === undefined ? undefined : parseCursor(body.cursor, fingerprint);
  if (wait_s !== undefined && !(cursor && "written" in cursor)) {
    const detail =
      "Needs a cursor that follows the log. Send an x-follow-cursor as cursor, or the x-next-cursor of a listing with one; or leave wait_s out.";
    throw new InvalidSearch({ pointer: "/wait_s", detail });
  }
  const conditions = compileWhere(kind, projectId, where);
  return { kind, log, conditions, ...range, order, limit, cursor, waitSeconds: wait_s ?? 0, fingerprint };
}

/** Where a listing continues: at a position of the log, or after an entry in the order of writing. */
type Cursor = { readonly position: Position } | { readonly written: number };

/** A short text that differs for different searches. */
export function fingerprintOf(search: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(search)))
    .digest("base64url")
    .slice(0, 12);
}

/** A JSON value with its members in alphabetical order, since clients may send them in any. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

/** A cursor as clients receive it. */
export function formatCursor(cursor: Cursor, fingerprint: string): string {
  const place = "written" in cursor ? [cursor.written] : [cursor.position.at, cursor.position.seq];
  return Buffer.from(JSON.stringify([fingerprint, ...place])).toString("base64url");
}

// A position's text is a sort key, or the end of a range of them.
const seq = z.int().nonnegative();
const cursorParts = z.union([
  z.tuple([z.string(), seq]).transform(([own, written]) => ({ own, cursor: { written } })),
  z
    .tuple([z.string(), z.string().regex(/^[\dT:. ~-]*$/), seq])
    .transform(([own, at, seq]) => ({ own, cursor: { position: { at, seq } } })),
]);

/** Parses the cursor of a search. Throws `InvalidSearch` if it isn't a cursor, or is that of another search. */
export function parseCursor(text: string, fingerprint: string): Cursor {
  const { own, cursor } = cursorParts.safeParse(parseJson(Buffer.from(text, "base64url").toString())).data ?? {};
  if (cursor && own === fingerprint) return cursor;
  const detail = cursor
    ? "Belongs to a listing with other members or of another log. Send it with the same since, until, where and order, or leave it out."
    : "Must be an x-next-cursor or x-follow-cursor of an earlier answer, unchanged. To begin anew, leave it out.";
  throw new InvalidSearch({ pointer: "/cursor", detail });
}
