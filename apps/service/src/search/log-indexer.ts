import { setImmediate } from "node:timers/promises";
import type { Statement } from "@media-ops/database";
import { type RawBuilder, sql } from "kysely";
import { allHeads, type LogKind, type LogName } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";
import {
  type Column,
  ColumnsBuilder,
  type EntryRow,
  type FieldRange,
  failureFields,
  logFields,
  SEQ_COLUMN,
} from "./columns.js";
import { END_OF_TIME, type KeyRange, keyAfter, keyOfMs } from "./moments.js";
import { buildIdPages, columnBytes, compress, failedBytes, PART } from "./segment-format.js";
import { deleteParts, isOf, kindOf, type Readable, type Segment, SegmentStore } from "./segment-store.js";
import { buildRollup } from "./tally.js";

/** How many entries segments have. */
export interface SegmentSizes {
  /** How many entries without a segment are enough for one. */
  readonly smallest: number;
  /** Small segments are merged into one of this size, and one never has twice as many. */
  readonly full: number;
  /** How many late entries of a log are enough to build their segments again at once. */
  readonly late: number;
  /** A segment has the texts of the entries that failed if these have no more characters in all. */
  readonly failed: number;
}

// That many characters of failed entries are read in about two milliseconds: some 2,000 entries.
export const DEFAULT_SIZES: SegmentSizes = { smallest: 1024, full: 16_384, late: 1024, failed: 500_000 };

/** Options of {@link LogIndexer}. */
export interface LogIndexerOptions {
  readonly database: Readable;
  /** Writes all or nothing; returns the rows of the statements that return rows. */
  write(statements: readonly Statement[]): Promise<unknown[][]>;
  now(): number;
  /** Called between pieces of work of a few milliseconds. @default no pauses */
  pause?(): Promise<void>;
  sizes?: SegmentSizes;
}

// Newer entries wait: most that arrive late do so within this time.
const FRESH_MS = 2000;
const KEEP_REPLACED_MS = 30_000;
const ROWS = 1000;
// Parsing so many takes about a millisecond.
const ROWS_PER_PIECE = 200;
const SEGMENTS = 256;
const ALL = { from: "", until: END_OF_TIME };
// More than there are small segments at a log's end.
const LAST_SEGMENTS = 64;

/** The entries up to a seq, from which segments are built; they are written unless another process has written meanwhile. */
interface Base {
  readonly seq: number;
  readonly build: number;
}

interface Ranged extends KeyRange {
  readonly built: BuiltSegment;
}

/** Builds the segments of logs. */
export class LogIndexer {
  readonly #options: LogIndexerOptions;
  readonly #store: SegmentStore;
  readonly #sizes: SegmentSizes;
  readonly #pause: () => Promise<void>;
  /** Logs that have no parts but those of their segments, and of `#replaced`. */
  readonly #known = new Set<string>();
  /** Segments whose parts are still stored. */
  #replaced: { readonly log: LogName; readonly build: number; readonly at: number }[] = [];

  constructor(options: LogIndexerOptions) {
    this.#options = options;
    this.#store = new SegmentStore(options.database);
    this.#sizes = options.sizes ?? DEFAULT_SIZES;
    this.#pause = options.pause ?? (async () => {});
  }

  /** Indexes all entries that are old enough, and late ones. Returns false if another process indexes this log. */
  async indexLog(log: LogName): Promise<boolean> {
    return (await this.sealTail(log)) && (await this.rebuildLate(log));
  }

  /** Builds segments of all old entries, and merges small ones. Returns false if another process does. */
  async sealTail(log: LogName, onSegment: (entries: number) => Promise<void> = async () => {}): Promise<boolean> {
    await this.#findLeftParts(log);
    for (;;) {
      const from = await this.#store.indexedUntil(log);
      const until = keyOfMs(this.#options.now() - FRESH_MS);
      if ((await this.#count(log, { from, until })) < this.#sizes.smallest) {
        await this.#correctCount(log, from);
        return true;
      }
      const base = await this.#mark(log, until);
      const next = base && (await this.#build(log, { from, until }, base.seq, this.#sizes.full).next());
      if (!next || next.done) return true;
      const { built } = next.value;
      // Just after its last entry, so that entries after that are not late.
      const range = { from, until: keyAfter(built.lastAt) };
      if (!(await this.#replace(log, base, range, [{ ...range, built }], []))) return false;
      await onSegment(built.entries);
      if (!(await this.#mergeLast(log))) return false;
    }
  }

  /** Deletes the parts of segments that were replaced some time ago: searches that know these segments have ended. */
  async deleteReplaced(): Promise<void> {
    const until = this.#options.now() - KEEP_REPLACED_MS;
    const old = this.#replaced.filter(({ at }) => at <= until);
    for (const { log, build } of old) {
      await this.#write([deleteParts(log, build)]);
      await this.#pause();
    }
    this.#replaced = this.#replaced.filter((one) => !old.includes(one));
  }

  /** Builds a log's segments with late entries again. Returns false if another process builds segments of this log. */
  async rebuildLate(log: LogName): Promise<boolean> {
    for (let from = ""; ; ) {
      const at = await this.#firstLate(log, from);
      const [segment] =
        at === undefined ? [] : await this.#store.segments(log, { from: at, until: keyAfter(at) }, "oldest", 1);
      if (!segment) return true;
      const base = await this.#mark(log, "");
      if (!base || !(await this.#rebuild(log, base, [segment]))) return false;
      from = segment.untilAt;
    }
  }

  /** Finds the parts that a process left behind when it ended before deleting them. */
  async #findLeftParts(log: LogName): Promise<void> {
    if (this.#known.has(log.join())) return;
    const left = new Set<number>();
    let build = await this.#store.nextBuild(log, 0);
    for (; build !== undefined; build = await this.#store.nextBuild(log, build + 1)) {
      left.add(build);
      await this.#pause();
    }
    // Read after the parts: those of a segment that another process writes meanwhile are not among them.
    for (let from = "", isLast = false; !isLast; ) {
      const segments = await this.#store.segments(log, { from, until: END_OF_TIME }, "oldest", SEGMENTS);
      for (const segment of segments) left.delete(segment.build);
      isLast = segments.length < SEGMENTS;
      from = segments.at(-1)?.untilAt ?? from;
      if (!isLast) await this.#pause();
    }
    const at = this.#options.now();
    for (const build of left) this.#replaced.push({ log, build, at });
    this.#known.add(log.join());
  }

  /** Merges the small segments at the end once they have enough entries. */
  async #mergeLast(log: LogName): Promise<boolean> {
    const { full } = this.#sizes;
    const last = await this.#store.segments(log, ALL, "newest", LAST_SEGMENTS);
    const end = last.findIndex(({ entries }) => entries * 2 >= full);
    const small = (end === -1 ? last : last.slice(0, end)).reverse();
    let entries = 0;
    const enough = small.findIndex((segment) => {
      entries += segment.entries;
      return entries >= full;
    });
    if (enough === -1) return true;
    const base = await this.#mark(log, "");
    return base !== undefined && this.#rebuild(log, base, small.slice(0, enough + 1));
  }

  /** Builds neighbouring segments again, as one or more of about the full size. */
  async #rebuild(log: LogName, base: Base, segments: readonly Segment[]): Promise<boolean> {
    const [first, last] = [segments[0], segments.at(-1)];
    if (!first || !last) return true;
    const range = { from: first.fromAt, until: last.untilAt };
    const entries = segments.reduce((sum, segment) => sum + segment.entries, 0);
    const most = Math.max(1, Math.round(entries / this.#sizes.full));
    // A little more than that, for the late entries: if they are not many, one segment has all of them.
    const size = Math.max(Math.ceil((entries / most) * 1.05), most === 1 ? 1.5 * this.#sizes.full : 0);
    const built: Ranged[] = [];
    for await (const next of this.#build(log, range, base.seq, size)) built.push(next);
    return this.#replace(log, base, range, built, segments);
  }

  /** Has entries before a sort key noted as late from now on; those up to the returned seq are committed. */
  async #mark(log: LogName, until: string): Promise<Base | undefined> {
    const mark = sql`update log_head set sealed_at = case when sealed_at < ${until} then ${until} else sealed_at end
      where ${isOf(log)} returning seq, build`;
    const [rows = []] = await this.#write([mark]);
    return rows[0] as Base | undefined;
  }

  /** Builds segments of a size of the entries up to a seq in a range. Entries with the same time stay together. */
  async *#build(log: LogName, { from, until }: KeyRange, seq: number, size: number): AsyncGenerator<Ranged> {
    const newBuilder = () => new SegmentBuilder(kindOf(log), this.#sizes.failed);
    let builder = newBuilder();
    let start = from;
    let rows: readonly EntryRow[];
    let last: EntryRow | undefined;
    do {
      rows = await this.#store.rows(log, { from, until }, "oldest", ROWS, last);
      last = rows.at(-1);
      for (const [at, row] of rows.entries()) {
        if (at % ROWS_PER_PIECE === 0) await this.#pause();
        if (row.seq > seq) continue;
        if (builder.entries >= size && row.at !== builder.lastAt) {
          yield { from: start, until: row.at, built: await builder.finish(this.#pause) };
          builder = newBuilder();
          start = row.at;
        }
        builder.add(row);
      }
    } while (rows.length === ROWS);
    if (builder.entries > 0) yield { from: start, until, built: await builder.finish(this.#pause) };
  }

  /** Replaces the segments of a range. Returns false, and changes nothing, if another process has written meanwhile. */
  async #replace(
    log: LogName,
    { seq, build }: Base,
    { from, until }: KeyRange,
    built: readonly Ranged[],
    replaced: readonly Segment[],
  ): Promise<boolean> {
    const own = isOf(log);
    const sum = (counts: readonly { entries: number }[]): number =>
      counts.reduce((all, { entries }) => all + entries, 0);
    const added = sum(built.map((one) => one.built)) - sum(replaced);
    // Inserts select from the log's row, so that Citus runs them in its shard.
    const unchanged = sql`log_head where ${own} and build = ${build}`;
    const isUnchanged = sql`exists (select 1 from ${unchanged})`;
    const rows = await this.#write([
      // First, since it locks the log's row until the end.
      sql`update log_head set indexed = indexed + ${added} where ${own} and build = ${build}`,
      sql`delete from log_segment where ${own} and until_at > ${from} and until_at <= ${until} and ${isUnchanged}`,
      ...built.flatMap((one, at) => this.#insert(one, { seq, build: build + 1 + at }, unchanged)),
      sql`delete from log_late where ${own} and at >= ${from} and at < ${until} and seq <= ${seq} and ${isUnchanged}`,
      sql`update log_head set build = ${build + built.length} where ${own} and build = ${build} returning build`,
    ]);
    if (rows.at(-1)?.length !== 1) return false;
    const at = this.#options.now();
    for (const segment of replaced) this.#replaced.push({ log, build: segment.build, at });
    return true;
  }

  #insert({ from, until, built }: Ranged, { seq, build }: Base, head: RawBuilder<unknown>): RawBuilder<unknown>[] {
    const { entries, firstSeq, lastSeq, firstAt, lastAt, fields, pages, parts } = built;
    const columns = sql`project_id, kind, until_at, from_at, seq, entries, first_seq, last_seq, first_at, last_at, fields, build, pages`;
    const range = [until, from, seq, entries, firstSeq, lastSeq, firstAt, lastAt];
    const values = sql.join([...range, JSON.stringify(fields), build, pages]);
    return [
      sql`insert into log_segment (${columns}) select project_id, kind, ${values} from ${head}`,
      this.#store.insertParts({ build }, parts, head),
    ];
  }

  async #firstLate(log: LogName, from: string): Promise<string | undefined> {
    const { database } = this.#options;
    const first = sql<{ at: string }>`select at from log_late where ${isOf(log)} and at >= ${from} order by at limit 1`;
    return (await first.execute(database.query)).rows[0]?.at;
  }

  /** Counts the entries of a range, up to as many as are enough for a segment. */
  async #count(log: LogName, { from, until }: KeyRange): Promise<number> {
    const counted = sql<{ entries: number }>`select count(*) as entries from (
      select seq from log_entry where ${isOf(log)} and at >= ${from} and at < ${until} limit ${this.#sizes.smallest}
    ) as found`;
    return Number((await counted.execute(this.#options.database.query)).rows[0]?.entries ?? 0);
  }

  /** Corrects the count of indexed entries: some may have been deleted before they were. */
  async #correctCount(log: LogName, from: string): Promise<void> {
    const { smallest } = this.#sizes;
    const heads = sql<{ seq: number; indexed: number }>`select seq, indexed from log_head where ${isOf(log)}`;
    const [head] = (await heads.execute(this.#options.database.query)).rows;
    if (!head || head.seq - head.indexed < smallest) return;
    // After the seq: entries that are written meanwhile count as not indexed.
    const waiting = await this.#count(log, { from, until: END_OF_TIME });
    if (waiting >= smallest) return;
    await this.#write([
      sql`update log_head set indexed = ${head.seq - waiting} where ${isOf(log)} and indexed = ${head.indexed}`,
    ]);
  }

  #write(statements: readonly RawBuilder<unknown>[]): Promise<unknown[][]> {
    const { database, write } = this.#options;
    return write(statements.map((statement) => toStatement(statement, database.query)));
  }
}

/** Only what can be passed to another thread. */
function toStatement(statement: RawBuilder<unknown>, query: Storage["query"]): Statement {
  const { sql: text, parameters } = statement.compile(query);
  return { sql: text, parameters };
}

// Their parts are a few megabytes, so that other writers are not blocked for long.
const DROPPED_AT_ONCE = 8;

/** Deletes the segments whose entries were all created before a day, in ms since 1970, and late entries before it. */
export async function dropSegments(storage: Storage, day: number, signal: AbortSignal): Promise<void> {
  const before = keyOfMs(day);
  for await (const heads of allHeads(storage.query)) {
    for (const { project_id, kind } of heads) {
      while (!signal.aborted && (await dropFirst(storage, [project_id, kind], before))) await setImmediate();
    }
    if (signal.aborted) return;
    await setImmediate();
  }
}

async function dropFirst(storage: Storage, log: LogName, before: string): Promise<boolean> {
  const range = { from: "", until: before };
  const first = await new SegmentStore(storage).segments(log, range, "oldest", DROPPED_AT_ONCE);
  const old = first.filter(({ lastAt }) => lastAt < before);
  const last = old.at(-1);
  if (!last) return false;
  const own = isOf(log);
  const statements = [
    // First, since it locks the log's row until the end. A build that has begun is not written any more.
    sql`update log_head set build = build + 1 where ${own}`,
    sql`delete from log_segment where ${own} and until_at <= ${last.untilAt}`,
    // Late entries of the time before it belong to the first segment.
    sql`update log_segment set from_at = '' where ${own} and until_at =
      (select min(until_at) from log_segment where ${own})`,
    sql`delete from log_late where ${own} and at < ${before}`,
    ...old.map(({ build }) => deleteParts(log, build)),
  ];
  await storage.writeAll(statements.map((statement) => toStatement(statement, storage.query)));
  return old.length === DROPPED_AT_ONCE;
}

/** A segment that was built, with its parts by their numbers. */
export interface BuiltSegment extends Omit<Segment, "fromAt" | "untilAt" | "seq" | "build"> {
  readonly parts: ReadonlyMap<number, Uint8Array>;
}

/** Builds a segment of a log's entries, which are added in the order of their times. */
export class SegmentBuilder {
  readonly #kind: LogKind;
  readonly #maxFailed: number;
  readonly #columns: ColumnsBuilder;
  /** Those that failed; undefined if their texts are too long, or if nothing fails in the log. */
  #failed: EntryRow[] | undefined;
  #failedLength = 0;
  #entries = 0;
  #firstAt = "";
  #lastAt = "";

  constructor(kind: LogKind, maxFailed: number) {
    this.#kind = kind;
    this.#maxFailed = maxFailed;
    this.#columns = new ColumnsBuilder(kind);
    if (failureFields[kind]) this.#failed = [];
  }

  get entries(): number {
    return this.#entries;
  }

  get lastAt(): string {
    return this.#lastAt;
  }

  add(row: EntryRow): void {
    if (this.#entries === 0) this.#firstAt = row.at;
    this.#lastAt = row.at;
    this.#entries += 1;
    const entry = this.#columns.add(row);
    const failure = failureFields[this.#kind];
    if (!this.#failed || !failure?.hasFailed(entry[failure.name])) return;
    this.#failed.push(row);
    this.#failedLength += row.entry.length;
    if (this.#failedLength > this.#maxFailed) this.#failed = undefined;
  }

  async finish(pause: () => Promise<void>): Promise<BuiltSegment> {
    const parts = new Map<number, Uint8Array>();
    const keep = async (part: number, bytes: Uint8Array): Promise<void> => {
      parts.set(part, await compress(bytes));
      await pause();
    };
    await keep(PART.seqs, columnBytes(this.#columns.column(SEQ_COLUMN)));
    const fields: Record<string, FieldRange> = {};
    const columns = new Map<string, Column>();
    for (const [at, { name }] of logFields[this.#kind].entries()) {
      const column = this.#columns.column(name);
      columns.set(name, column);
      fields[name] = this.#columns.range(name);
      await keep(PART.firstField + at, columnBytes(column));
    }
    const failure = failureFields[this.#kind];
    if (this.#failed && failure) {
      fields[failure.name] = { ...fields[failure.name], hasFailedTexts: true };
      await keep(PART.failed, failedBytes(this.#failed));
    }
    const columnOf = (name: string): Column => columns.get(name) ?? this.#columns.column(name);
    parts.set(PART.rollup, buildRollup(this.#kind, this.#entries, columnOf));
    await pause();
    const ids = logFields[this.#kind].flatMap(({ name, isId }) => {
      const column = columnOf(name);
      return isId && column.type === "text" ? [{ name, column }] : [];
    });
    const times = columnOf("timestamp");
    // Without pages, columns are read instead: the times may be too exact for the index.
    const index = times.type === "number" && ids.length > 0 ? await buildIdPages(ids, times.values, pause) : undefined;
    for (const [page, bytes] of index?.pages ?? []) parts.set(PART.firstPage + page, bytes);
    const { min: firstSeq = 0, max: lastSeq = 0 } = this.#columns.range(SEQ_COLUMN);
    const [entries, firstAt, lastAt] = [this.#entries, this.#firstAt, this.#lastAt];
    return { entries, firstSeq, lastSeq, firstAt, lastAt, fields, pages: index?.count ?? 0, parts };
  }
}
