import { type RawBuilder, sql } from "kysely";
import { type LogKind, type LogName, logKindNames, logKinds } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";
import { type Column, type EntryRow, type FieldRange, logFields, SEQ_COLUMN } from "./columns.js";
import { END_OF_TIME, earlier, fromMicros, type KeyRange, keyAfter, later, toMicros } from "./moments.js";
import { PART, pageOfId, readColumn, readFailed, timesInPage } from "./segment-format.js";

/**
 * A part of a log, from one time to another, whose entries were indexed together. Segments are derived from the entries
 * and may be built again at any time. A log's segments follow one another without a gap, from the oldest entry on;
 * entries after the last segment have none yet.
 */
export interface Segment {
  /** The sort key at which it begins: the `untilAt` of the segment before; empty for a log's first segment. */
  readonly fromAt: string;
  /** The sort key before which it ends. */
  readonly untilAt: string;
  /** It has all entries of its time up to this seq; later ones are in `log_late`. */
  readonly seq: number;
  /** How many entries it has, and the lowest and highest of their seqs. */
  readonly entries: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The sort keys of its oldest and newest entry. */
  readonly firstAt: string;
  readonly lastAt: string;
  readonly fields: Readonly<Record<string, FieldRange>>;
  /** Where its parts are stored: its number in the log, and how many pages its index of ids has. */
  readonly build: number;
  readonly pages: number;
}

/** The sort keys of the oldest and the newest of some entries. */
export type Span = Pick<Segment, "firstAt" | "lastAt">;

/** Entries by the order in which they were written: those with a seq after one and up to another. */
export interface SeqRange {
  readonly after: number;
  readonly upTo: number;
}

/** A direction in which a log is read, by `at` and `seq`. */
export type Order = "newest" | "oldest";

/** A position between the entries of a log. */
export type Position = Pick<EntryRow, "at" | "seq">;

/** Compares positions for sorting. */
export const inOrder = (order: Order): ((one: Position, other: Position) => number) => {
  const sign = order === "oldest" ? 1 : -1;
  return (one, other) => sign * (one.at < other.at ? -1 : one.at > other.at ? 1 : one.seq - other.seq);
};

/** The late entries of a part of a range, in the order. `rest` comes after the part; undefined if nothing does. */
interface LatePart {
  readonly rows: readonly EntryRow[];
  readonly part: KeyRange;
  readonly rest: KeyRange | undefined;
}

/** The sort keys of a segment's entries that may have an id, oldest first; undefined if the column is read instead. */
interface Postings {
  readonly segment: Segment;
  readonly keys: readonly string[] | undefined;
}

/** A database that may only be read. */
export type Readable = Pick<Storage, "kind" | "query">;

// Read and parsed in some milliseconds. A log has more after an outage, until their segments are built again.
const LATE_ROWS = 1000;
// More than the index of any segment has pages.
const PARTS_PER_BUILD = 2 ** 17;

const partNumber = ({ build }: Pick<Segment, "build">, part: number): number => build * PARTS_PER_BUILD + part;

/** The kind of the log with a number. */
export function kindOf([, number]: LogName): LogKind {
  const kind = logKindNames.find((name) => logKinds[name].number === number);
  if (!kind) throw new Error(`There is no log with the number ${number}.`);
  return kind;
}

/** Deletes all parts of a segment. */
export const deleteParts = (log: LogName, build: number): RawBuilder<unknown> =>
  sql`delete from log_part where ${isOf(log)}
    and part >= ${partNumber({ build }, 0)} and part < ${partNumber({ build: build + 1 }, 0)}`;

/** A part of a segment that was replaced, or has expired, since the segment was read. */
export class DeletedPart extends Error {
  constructor({ build, untilAt }: Segment, part: number) {
    super(`Part ${part} of the segment ${build}, until ${untilAt}, was deleted.`);
  }
}

/** Reads segments and entries in short calls. The parts of a replaced segment stay for half a minute. */
export class SegmentStore {
  readonly #query: Storage["query"];
  readonly #isSqlite: boolean;
  readonly #lateRows: number;

  constructor({ kind, query }: Readable, lateRows = LATE_ROWS) {
    this.#lateRows = lateRows;
    this.#query = query;
    this.#isSqlite = kind === "sqlite";
  }

  async seqOf(log: LogName): Promise<number> {
    const [head] = await this.#select<{ seq: number }>(sql`select seq from log_head where ${isOf(log)}`);
    return head?.seq ?? 0;
  }

  /** The log's segments that overlap a range of sort keys, in the order, at most `limit`. */
  async segments(log: LogName, { from, until }: KeyRange, order: Order, limit: number): Promise<Segment[]> {
    // Segments after the last one that overlaps the range are not read.
    const rows = await this.#select<Omit<Segment, "fields"> & { json: string }>(sql`
      select from_at as "fromAt", until_at as "untilAt", seq, entries, first_seq as "firstSeq", last_seq as "lastSeq",
        first_at as "firstAt", last_at as "lastAt", fields as json, build, pages
      from log_segment where ${isOf(log)} and until_at > ${from} and from_at < ${until} and until_at <= coalesce(
        (select until_at from log_segment where ${isOf(log)} and until_at >= ${until} order by until_at limit 1),
        ${sql.lit(END_OF_TIME)})
      order by until_at ${directionOf(order)} limit ${limit}`);
    return rows.map(({ json, ...segment }) => {
      let fields: Segment["fields"] | undefined;
      return {
        ...segment,
        // Most segments that are searched for an id are not looked at any further.
        get fields() {
          fields ??= JSON.parse(json) as Segment["fields"];
          return fields;
        },
      };
    });
  }

  /** The `untilAt` of the log's last segment; empty if it has none. */
  async indexedUntil(log: LogName): Promise<string> {
    const [last] = await this.segments(log, { from: "", until: END_OF_TIME }, "newest", 1);
    return last?.untilAt ?? "";
  }

  /** A field's column: for times, one of sort keys if an entry has more than six fraction digits. */
  async column(log: LogName, segment: Segment, name: string, pause: () => Promise<void>): Promise<Column> {
    const at = Object.keys(segment.fields).indexOf(name);
    if (at === -1 && name !== SEQ_COLUMN) return emptyColumn(log, segment, name);
    const part = name === SEQ_COLUMN ? PART.seqs : PART.firstField + at;
    return readColumn(await this.#part(log, segment, part), pause);
  }

  /** The entries of a segment with `hasFailedTexts` that failed, oldest first. `pause` as for a column. */
  async failed(log: LogName, segment: Segment, pause: () => Promise<void>): Promise<EntryRow[]> {
    return readFailed(await this.#part(log, segment, PART.failed), pause);
  }

  /** The counts of each segment's entries by hour: see `tally.ts`. */
  async rollups(log: LogName, segments: readonly Segment[]): Promise<Map<Segment, Uint8Array>> {
    const found = await this.#parts(
      log,
      segments.map((segment) => partNumber(segment, PART.rollup)),
    );
    return new Map(segments.map((segment) => [segment, partIn(found, segment, PART.rollup)]));
  }

  /** Where ids may occur in these segments; segments without any are left out. May name entries of other ids, too. */
  async postings(
    log: LogName,
    segments: readonly Segment[],
    field: string,
    ids: readonly string[],
  ): Promise<Postings[]> {
    const pageOf = (segment: Segment, id: string): number =>
      partNumber(segment, PART.firstPage + pageOfId(field, id, segment.pages));
    const wanted = segments.flatMap((segment) => (segment.pages === 0 ? [] : ids.map((id) => pageOf(segment, id))));
    const found = await this.#parts(log, [...new Set(wanted)]);
    return segments.flatMap((segment): Postings[] => {
      if (segment.pages === 0) return [{ segment, keys: undefined }];
      const times = new Set<number>();
      for (const id of ids) {
        const page = found.get(pageOf(segment, id));
        const ofId = page ? timesInPage(page, field, id, segment.pages) : [];
        if (!ofId) return [{ segment, keys: undefined }];
        for (const time of ofId) times.add(time);
      }
      if (times.size === 0) return [];
      const first = toMicros(segment.firstAt);
      return [{ segment, keys: Array.from(Float64Array.from(times).sort(), (time) => fromMicros(first + time)) }];
    });
  }

  /** Entries of a range of sort keys after a position in the order, at most `limit`. */
  rows(log: LogName, range: KeyRange, order: Order, limit: number, after?: Position): Promise<EntryRow[]> {
    const isNewest = order === "newest";
    // PostgreSQL skips the days outside of the range.
    const from = after && !isNewest ? later(after.at, range.from) : range.from;
    const until = after && isNewest ? earlier(keyAfter(after.at), range.until) : range.until;
    const isAfter = after && sql`and (at, seq) ${sql.raw(isNewest ? "<" : ">")} (${after.at}, ${after.seq})`;
    const direction = directionOf(order);
    return this.#select(sql`
      select at, seq, entry from log_entry where ${isOf(log)} and at >= ${from} and at < ${until} ${isAfter ?? sql``}
      order by at ${direction}, seq ${direction} limit ${limit}`);
  }

  /** All entries with these sort keys, in the order. */
  async rowsAt(log: LogName, keys: readonly string[], order: Order): Promise<EntryRow[]> {
    if (keys.length === 0) return [];
    const rows = await this.#lookUp<EntryRow>(log, {
      wanted: this.#list([...new Set(keys)], sql`text`),
      columns: sql`found.at, found.seq, found.entry`,
      table: "log_entry",
      where: sql`found.at = wanted.value`,
    });
    return rows.sort(inOrder(order));
  }

  /**
   * Entries that were written after the segment of their time was begun: those of the first part of a range, in the
   * order. Read them before the segments of that part, and leave out those that are found anyway: with a seq up to that of
   * their segment, or after the last segment.
   */
  async late(log: LogName, range: KeyRange, order: Order, seqs?: SeqRange): Promise<LatePart> {
    const direction = directionOf(order);
    const { after = 0, upTo = Number.MAX_SAFE_INTEGER } = seqs ?? {};
    for (let limit = this.#lateRows; ; limit *= 4) {
      const rows = await this.#lookUp<EntryRow>(log, {
        wanted: sql`(select at, seq from log_late
          where ${isOf(log)} and at >= ${range.from} and at < ${range.until} and seq > ${after} and seq <= ${upTo}
          order by at ${direction}, seq ${direction} limit ${limit}) as wanted`,
        columns: sql`found.at, found.seq, found.entry`,
        table: "log_entry",
        where: sql`found.at = wanted.at and found.seq = wanted.seq`,
      });
      rows.sort(inOrder(order));
      if (rows.length < limit) return { rows, part: range, rest: undefined };
      // There may be more with the time of the last one.
      const end = rows.at(-1)?.at ?? "";
      const whole = rows.filter(({ at }) => at !== end);
      if (whole.length === 0) continue;
      const border = order === "newest" ? keyAfter(end) : end;
      const [older, newer] = [
        { ...range, until: border },
        { ...range, from: border },
      ];
      const [part, rest] = order === "newest" ? [newer, older] : [older, newer];
      return { rows: whole, part, rest };
    }
  }

  /** The number of a log's first segment from a number on that has parts. */
  async nextBuild(log: LogName, build: number): Promise<number | undefined> {
    const [row] = await this.#select<{ part: number }>(sql`
      select part from log_part where ${isOf(log)} and part >= ${partNumber({ build }, 0)} order by part limit 1`);
    return row && Math.floor(row.part / PARTS_PER_BUILD);
  }

  /** A statement that stores parts of a segment for a row of `log_head`: it has all their bytes in one value. */
  insertParts(
    segment: Pick<Segment, "build">,
    parts: ReadonlyMap<number, Uint8Array>,
    head: RawBuilder<unknown>,
  ): RawBuilder<unknown> {
    const all = Buffer.concat([...parts.values()]);
    let end = 0;
    const places = Array.from(parts, ([part, { length }]) => {
      end += length;
      return [partNumber(segment, part), end - length + 1, length] as const;
    });
    if (this.#isSqlite) {
      return sql`insert into log_part (project_id, kind, part, data)
        select project_id, kind, value ->> 0, substr(${all}, value ->> 1, value ->> 2)
        from json_each(${JSON.stringify(places)}), ${head}`;
    }
    const column = (at: 0 | 1 | 2) => sql`${places.map((place) => place[at])}::bigint[]`;
    return sql`insert into log_part (project_id, kind, part, data)
      select project_id, kind, part, substring(${all}::bytea from start::integer for length::integer)
      from unnest(${column(0)}, ${column(1)}, ${column(2)}) as place (part, start, length), ${head}`;
  }

  async #select<Row>(query: RawBuilder<unknown>): Promise<Row[]> {
    return (await query.$castTo<Row>().execute(this.#query)).rows;
  }

  async #part(log: LogName, segment: Segment, part: number): Promise<Buffer> {
    return partIn(await this.#parts(log, [partNumber(segment, part)]), segment, part);
  }

  async #parts(log: LogName, parts: readonly number[]): Promise<Map<number, Buffer>> {
    if (parts.length === 0) return new Map();
    const rows = await this.#lookUp<{ part: number; data: Buffer }>(log, {
      wanted: this.#list(parts, sql`bigint`),
      columns: sql`found.part, found.data`,
      table: "log_part",
      where: sql`found.part = wanted.value`,
    });
    return new Map(rows.map(({ part, data }) => [part, data]));
  }

  #list(values: readonly (string | number)[], type: RawBuilder<unknown>): RawBuilder<unknown> {
    if (this.#isSqlite) return sql`json_each(${JSON.stringify(values)}) as wanted`;
    return sql`unnest(${values}::${type}[]) as wanted (value)`;
  }

  /** Finds rows of a log in a table, one by one in an index: for each of a list, or of another table. */
  #lookUp<Row>(log: LogName, { wanted, columns, table, where }: LookUp): Promise<Row[]> {
    const found = sql`${sql.table(table)} as found
      where found.project_id = ${log[0]} and found.kind = ${log[1]} and ${where}`;
    // The rows of a cross join are read in this order; in PostgreSQL, "offset 0" keeps it from choosing another.
    return this.#select(
      this.#isSqlite
        ? sql`select ${columns} from ${wanted} cross join ${found}`
        : sql`select found.* from ${wanted} cross join lateral (select ${columns} from ${found} offset 0) as found`,
    );
  }
}

const directionOf = (order: Order): RawBuilder<unknown> => sql.raw(order === "newest" ? "desc" : "asc");

/** A condition for the rows of a log. */
export const isOf = ([projectId, kind]: LogName): RawBuilder<unknown> =>
  sql`project_id = ${projectId} and kind = ${kind}`;

function partIn(parts: ReadonlyMap<number, Buffer>, segment: Segment, part: number): Buffer {
  const data = parts.get(partNumber(segment, part));
  if (!data) throw new DeletedPart(segment, part);
  return data;
}

interface LookUp {
  /** A list, or a query, under the name "wanted". */
  readonly wanted: RawBuilder<unknown>;
  readonly columns: RawBuilder<unknown>;
  readonly table: "log_entry" | "log_part";
  readonly where: RawBuilder<unknown>;
}

/** The column of a field that a segment's entries were built without. */
function emptyColumn(log: LogName, { entries }: Segment, name: string): Column {
  const field = logFields[kindOf(log)].find((one) => one.name === name);
  if (!field) throw new Error(`Unknown field ${JSON.stringify(name)} of the log ${kindOf(log)}.`);
  return field.type === "text"
    ? { type: "text", dictionary: [null], codes: new Uint8Array(entries) }
    : { type: "number", values: new Float64Array(entries).fill(Number.NaN) };
}
