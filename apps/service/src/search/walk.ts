import type { LogName } from "../logs/log-store.js";
import type { Work } from "../reads/pace.js";
import { type Column, type EntryRow, keysIn, positionOf, SEQ_COLUMN } from "./columns.js";
import { type Conditions, matching, mayHold, testOf } from "./conditions.js";
import { earlier, type KeyRange, keyAfter, later } from "./moments.js";
import {
  inOrder,
  kindOf,
  type Order,
  type Position,
  type Segment,
  type SegmentStore,
  type SeqRange,
  type Span,
} from "./segment-store.js";

interface WalkStep {
  readonly rows: readonly EntryRow[];
  /** All matches before this position have been found. */
  readonly upTo: Position;
}

interface WalkOptions extends KeyRange {
  readonly reader: SegmentStore;
  readonly pace: Work;
  readonly log: LogName;
  readonly order: Order;
  readonly conditions: Conditions;
  readonly limit: number;
  /** Leaves out entries that were written before or after these. @default all entries count */
  readonly seqs?: SeqRange | undefined;
}

/** The candidates of segments by their ids, as sort keys in the order; undefined if the columns have to be read. */
type FoundKeys = ReadonlyMap<Segment, readonly string[] | undefined>;

type RowReader = (keys: readonly string[]) => Promise<EntryRow[]>;

// So many rows are parsed within a few milliseconds.
const ROWS = 500;
const KEYS = 200;
// Most searches end in the first segments; those that skip segments read many at once.
const FEW_SEGMENTS = 4;
const MANY_SEGMENTS = 256;
// How many ids are looked up at once, each in one segment.
const LOOK_UPS = 512;
const FIRST_SEQ = 0;
const LAST_SEQ = Number.MAX_SAFE_INTEGER;
// How many seqs are compared between two pauses.
const SEQS = 512;
const ALL_SEQS: SeqRange = { after: FIRST_SEQ, upTo: LAST_SEQ };

/** Searches a log in an order: its segments, the rows without one, and late rows; each entry is in one of them. */
export class LogWalk {
  readonly #options: WalkOptions & { readonly seqs: SeqRange };
  readonly #pause: () => Promise<void>;

  constructor({ seqs = ALL_SEQS, ...options }: WalkOptions) {
    this.#options = { ...options, seqs };
    this.#pause = () => options.pace.pause();
  }

  /** Whether no entry of the range comes after a position. */
  isEnd(position: Position): boolean {
    return isEmpty(restAfter(this.#options, position, this.#options.order));
  }

  /** Searches piece by piece, from a position on. */
  async *steps(after?: Position): AsyncGenerator<WalkStep> {
    const { reader, order, conditions } = this.#options;
    const range = after ? restAfter(this.#options, after, order) : this.#options;
    if (conditions.all.length === 0) {
      yield* this.#searchRows(range, after);
      return;
    }
    // Ids are looked up in many segments at once: most have none of them.
    const most = Math.min(MANY_SEGMENTS, Math.ceil(LOOK_UPS / (conditions.ids?.ids.length ?? 1)));
    const pages = readSegments(
      reader,
      { ...this.#options, from: range.from, until: range.until },
      { first: conditions.ids ? most : FEW_SEGMENTS, most, pause: this.#pause },
    );
    for await (const { places, rest } of pages) {
      const keys = await this.#keysOfIds(places.map(({ segment }) => segment));
      const rowsAt = this.#readerAhead([...(keys?.values() ?? [])].flatMap((found) => found ?? []));
      for (const place of places) {
        await this.#pause();
        yield* this.#searchRows(place.gap, after);
        yield* this.#searchSegment(this.#candidates(place, keys, rowsAt), place, after);
      }
      if (rest) yield* this.#searchRows(rest, after);
    }
  }

  async *#searchRows(range: KeyRange, after: Position | undefined): AsyncGenerator<WalkStep> {
    const { reader, log, order, conditions, limit } = this.#options;
    // One more than a page has shows whether there is another page.
    const size = conditions.all.length === 0 ? Math.min(limit + 1, ROWS) : ROWS;
    let last = after;
    for (let isLast = isEmpty(range); !isLast; ) {
      await this.#pause();
      const rows = await reader.rows(log, range, order, size, last);
      isLast = rows.length < size;
      const { at, seq } = rows.at(-1) ?? endOf(range, order);
      last = isLast ? endOf(range, order) : { at, seq };
      yield { rows: await this.#matching(rows, after), upTo: last };
    }
  }

  /** Tests the candidates of a segment, and merges the matches with those that came late. */
  async *#searchSegment(
    candidates: AsyncIterable<WalkStep>,
    { segment, part, late }: SegmentPlace,
    after: Position | undefined,
  ): AsyncGenerator<WalkStep> {
    const { order } = this.#options;
    let left = await this.#matching(late, after);
    for await (const { rows, upTo } of candidates) {
      await this.#pause();
      const indexed = rows.filter(({ seq }) => seq <= segment.seq);
      const matching = await this.#matching(indexed, after);
      const isReached = (row: EntryRow): boolean => !isAfter(row, upTo, order);
      yield { rows: [...matching, ...left.filter(isReached)].sort(inOrder(order)), upTo };
      left = left.filter((row) => !isReached(row));
    }
    yield { rows: left, upTo: endOf(part, order) };
  }

  /** The entries of a segment that may match, in the order, some at a time. */
  async *#candidates(
    { segment, part }: SegmentPlace,
    keys: FoundKeys | undefined,
    rowsAt: RowReader,
  ): AsyncGenerator<WalkStep> {
    const { reader, log, conditions, order, seqs } = this.#options;
    if (segment.firstSeq > seqs.upTo || segment.lastSeq <= seqs.after) return;
    if (keys ? !keys.has(segment) : !mayHold(conditions, segment.fields)) return;
    const byIds = keys?.get(segment);
    if (!byIds && conditions.failedBy && segment.fields[conditions.failedBy]?.hasFailedTexts) {
      await this.#pause();
      const failed = await reader.failed(log, segment, this.#pause);
      const rows = failed.filter(({ at }) => part.from <= at && at < part.until);
      if (rows.length > 0) yield { rows: order === "newest" ? rows.reverse() : rows, upTo: endOf(part, order) };
      return;
    }
    for await (const found of byIds ? [byIds] : this.#keysByColumns(segment, part)) {
      for (const chunk of inChunks(found, part)) {
        await this.#pause();
        yield { rows: await rowsAt(chunk), upTo: endOfKey(chunk.at(-1) ?? "", order) };
      }
    }
  }

  /** The sort keys of a segment's entries that may match, in the order; if the time is over, up to the last tested. */
  async *#keysByColumns(segment: Segment, part: KeyRange): AsyncGenerator<string[]> {
    const { conditions, pace, order } = this.#options;
    let [times] = isCut(segment, part) ? await this.#columns(segment, ["timestamp"]) : [];
    const [first, end] = times ? [positionOf(times, part.from), positionOf(times, part.until)] : [0, segment.entries];
    const size = conditions.atOnce;
    const tests: ((index: number) => boolean)[] = [];
    let found: number[] = [];
    let last = "";
    for (let done = 0; done < end - first; done += size) {
      const count = Math.min(size, end - first - done);
      let left = Array.from({ length: count }, (_, at) =>
        order === "newest" ? end - 1 - done - at : first + done + at,
      );
      const tested = left.at(-1) ?? first;
      for (const [at, condition] of conditions.all.entries()) {
        await this.#pause();
        if (left.length === 0) break;
        tests[at] ??= testOf(condition, await this.#columns(segment, condition.columns));
        left = left.filter(tests[at]);
      }
      found.push(...left);
      if (pace.isOver) found.push(tested);
      const isLast = done + size >= end - first;
      if (found.length === 0 || (found.length < KEYS && !isLast && !pace.isOver)) continue;
      times ??= (await this.#columns(segment, ["timestamp"]))[0];
      const keys = found
        .map(times ? keysIn(times) : String)
        .filter((key, at, all) => key !== (at === 0 ? last : all[at - 1]));
      last = keys.at(-1) ?? last;
      found = [];
      yield keys;
    }
  }

  async #columns(segment: Segment, names: readonly string[]): Promise<Column[]> {
    const { reader, log } = this.#options;
    const columns: Column[] = [];
    for (const name of names) {
      await this.#pause();
      columns.push(await reader.column(log, segment, name, this.#pause));
    }
    return columns;
  }

  /** Looks up the ids that a match must have, in many segments at once. */
  async #keysOfIds(segments: readonly Segment[]): Promise<FoundKeys | undefined> {
    const { reader, log, conditions, order } = this.#options;
    if (!conditions.ids) return undefined;
    const { field, ids } = conditions.ids;
    const candidates: Segment[] = [];
    for (const segment of segments) {
      await this.#pause();
      // If there is no other condition, a look-up shows as much as the summary.
      if (conditions.all.length === 1 || mayHold(conditions, segment.fields)) candidates.push(segment);
    }
    const postings = await reader.postings(log, candidates, field, ids);
    const sorted = (keys: readonly string[] | undefined) => (order === "newest" ? keys && [...keys].reverse() : keys);
    return new Map(postings.map(({ segment, keys }) => [segment, sorted(keys)]));
  }

  /** Returns a reader of rows that also reads those of the coming keys: a look-up costs as much as many rows. */
  #readerAhead(coming: readonly string[]): RowReader {
    const { reader, log, order, limit } = this.#options;
    const places = new Map(coming.map((key, at) => [key, at]));
    let ahead = new Map<string, EntryRow[]>();
    return async (keys) => {
      if (!keys.every((key) => ahead.has(key))) {
        const start = places.get(keys[0] ?? "");
        const count = Math.max(keys.length, Math.min(KEYS, limit + 1));
        const next = start === undefined ? keys : coming.slice(start, start + count);
        ahead = new Map(next.map((key) => [key, []]));
        for (const row of await reader.rowsAt(log, next, order)) ahead.get(row.at)?.push(row);
      }
      return keys.flatMap((key) => ahead.get(key) ?? []);
    };
  }

  #matching(rows: readonly EntryRow[], after: Position | undefined): Promise<readonly EntryRow[]> {
    const { log, conditions, order, seqs } = this.#options;
    const own = rows.filter(
      (row) => row.seq > seqs.after && row.seq <= seqs.upTo && (!after || isAfter(row, after, order)),
    );
    return matching(conditions, { kind: kindOf(log), rows: own }, this.#pause);
  }
}

/** A segment in a range, what comes before it in the order, and what was written too late for it. */
interface SegmentPlace {
  readonly segment: Segment;
  /** The range between the segment before and this one, which is read as rows. */
  readonly gap: KeyRange;
  readonly part: KeyRange;
  readonly late: readonly EntryRow[];
}

/** Divides a range of a log into its segments and the ranges without one, a few at a time; `rest` has no segment. */
export async function* readSegments(
  reader: SegmentStore,
  { log, from, until, order, seqs }: KeyRange & { log: LogName; order: Order; seqs?: SeqRange | undefined },
  { first, most, pause }: { readonly first: number; readonly most: number; pause(): Promise<void> },
): AsyncGenerator<{ places: readonly SegmentPlace[]; rest: KeyRange | undefined }> {
  for (let left: KeyRange | undefined = { from, until }; left && !isEmpty(left); ) {
    await pause();
    // Read before the segments: what is late now may be in its segment by then.
    const late = await reader.late(log, left, order, seqs);
    let rest = late.part;
    for (let limit = first, isLast = false; !isLast; limit = Math.min(4 * limit, most)) {
      await pause();
      const segments = isEmpty(rest) ? [] : await reader.segments(log, rest, order, limit);
      const places = segments.map((segment): SegmentPlace => {
        const part = { from: later(rest.from, segment.fromAt), until: earlier(rest.until, segment.untilAt) };
        const before = { from: rest.from, until: part.from };
        const after = { from: part.until, until: rest.until };
        const [gap, others] = order === "newest" ? [after, before] : [before, after];
        rest = others;
        const own = late.rows.filter(({ at, seq }) => seq > segment.seq && part.from <= at && at < part.until);
        return { segment, gap, part, late: own };
      });
      isLast = segments.length < limit;
      yield { places, rest: isLast ? rest : undefined };
    }
    left = late.rest;
  }
}

/** Conditions that are met by the entries with these seqs, for a walk over the same. */
export const writtenIn = ({ after, upTo }: SeqRange): Conditions => ({
  all: [{ columns: [SEQ_COLUMN], holds: (seq) => Number(seq) > after && Number(seq) <= upTo }],
  atOnce: SEQS,
  ids: undefined,
  failedBy: undefined,
});

/** Whether some of the entries between two sort keys may be outside of a range. */
export const isCut = ({ firstAt, lastAt }: Span, { from, until }: KeyRange): boolean =>
  firstAt < from || lastAt >= until;

function* inChunks(keys: Iterable<string>, { from, until }: KeyRange): Generator<string[]> {
  let chunk: string[] = [];
  let last: string | undefined;
  for (const key of keys) {
    if (key === last || key < from || key >= until) continue;
    last = key;
    chunk.push(key);
    if (chunk.length < KEYS) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

const isEmpty = ({ from, until }: KeyRange): boolean => from >= until;

/** The part of a range after a position, with the position's own time unless all of its entries are before it. */
function restAfter({ from, until }: KeyRange, { at, seq }: Position, order: Order): KeyRange {
  if (order === "newest") return { from, until: earlier(until, seq === FIRST_SEQ ? at : keyAfter(at)) };
  return { from: later(from, seq === LAST_SEQ ? keyAfter(at) : at), until };
}

const endOf = ({ from, until }: KeyRange, order: Order): Position => ({
  at: order === "newest" ? from : until,
  seq: FIRST_SEQ,
});

const endOfKey = (at: string, order: Order): Position => ({
  at,
  seq: order === "newest" ? FIRST_SEQ : LAST_SEQ,
});

function isAfter({ at, seq }: Position, position: Position, order: Order): boolean {
  if (at === position.at) return order === "newest" ? seq < position.seq : seq > position.seq;
  return order === "newest" ? at < position.at : at > position.at;
}
