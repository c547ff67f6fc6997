import type { Work } from "../reads/pace.js";
import type { Conditions } from "./conditions.js";
import { earlier, fromMicros, inOrder, keyAfter, later, microsOf } from "./moments.js";
import type { Question } from "./question.js";
import type { ParsedEntry } from "./rollups.js";
import type { Column, EntryRow, KeyRange, LatePart, Order, Position, Segment, SegmentReader } from "./segments.js";

/** A piece of a log that was searched. */
interface Step {
  /** Its matches, in the order. */
  readonly rows: readonly EntryRow[];
  /** All matches before this position have been found. */
  readonly upTo: Position;
}

/** What a walk needs to know of a search. */
interface WalkOptions extends Pick<Question, "log" | "conditions" | "from" | "until" | "order" | "limit"> {
  readonly reader: SegmentReader;
  readonly pace: Work;
  /** Leaves out entries that were written after this seq. @default all entries count */
  readonly writtenUpTo?: number | undefined;
}

/** The keys of the index of ids by segment: undefined if the columns have to be read. */
type FoundKeys = ReadonlyMap<Segment, readonly string[] | undefined>;

interface Findings {
  /** Matches that came late, in the order. */
  readonly late: readonly EntryRow[];
  /** Undefined if the search names no ids. */
  readonly keys: FoundKeys | undefined;
  readonly after: Position | undefined;
  /** Reads rows by their sort keys, in the order. */
  rowsAt(keys: readonly string[]): Promise<EntryRow[]>;
}

const ROWS = 500;
const KEYS = 200;
// Most searches end in the first segments; those that skip segments read many at once.
const FEW_SEGMENTS = 4;
const MANY_SEGMENTS = 256;
// How many ids are looked up at once, each in one segment.
const LOOK_UPS = 512;
// Before and after the seqs of all entries.
const FIRST_SEQ = 0;
const LAST_SEQ = Number.MAX_SAFE_INTEGER;
// Most take a fraction of a millisecond, those of long texts some milliseconds.
const TESTS = 512;

/** Searches a log in an order: its segments, the entries after the last of them, and those that came late. */
export class LogWalk {
  readonly #options: WalkOptions;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  /** Whether no entry of the range comes after a position. */
  isEnd(position: Position): boolean {
    const { from, until, order } = this.#options;
    return isEmpty(restAfter({ from, until }, position, order));
  }

  /** Searches piece by piece, from a position on. */
  async *steps(after?: Position): AsyncGenerator<Step> {
    const { reader, pace, log, order, conditions, from, until } = this.#options;
    const range = after ? restAfter({ from, until }, after, order) : { from, until };
    if (conditions.all.length === 0) {
      yield* this.#searchRows(range, after);
      return;
    }
    for (let rest: KeyRange | undefined = range; rest && !isEmpty(rest); ) {
      await pace.pause();
      // Read before the segments: what is late now may be in its segment by then.
      const late: LatePart = await reader.late(log, rest, order);
      yield* this.#searchPart(late.part, await this.#matching(late.rows, after), after);
      rest = late.rest;
    }
  }

  /** Searches a range whose late entries are known. */
  async *#searchPart(range: KeyRange, late: readonly EntryRow[], after: Position | undefined): AsyncGenerator<Step> {
    const { reader, pace, log, order, conditions } = this.#options;
    let rest = range;
    // Ids are looked up in many segments at once: most have none of them.
    const most = Math.min(MANY_SEGMENTS, Math.ceil(LOOK_UPS / (conditions.ids?.ids.length ?? 1)));
    for (let limit = conditions.ids ? most : FEW_SEGMENTS, isLast = false; !isLast; limit = Math.min(4 * limit, most)) {
      await pace.pause();
      const segments = isEmpty(rest) ? [] : await reader.segments(log, rest, order, limit);
      const keys = await this.#keysOfIds(segments);
      const rowsAt = this.#readerAhead([...(keys?.values() ?? [])].flatMap((found) => found ?? []));
      for (const segment of segments) {
        await pace.pause();
        const { gap, part, others } = divide(rest, segment, order);
        yield* this.#searchRows(gap, after);
        yield* this.#searchSegment(segment, part, { after, late, keys, rowsAt });
        rest = others;
      }
      isLast = segments.length < limit;
    }
    yield* this.#searchRows(rest, after);
  }

  async *#searchRows(range: KeyRange, after: Position | undefined): AsyncGenerator<Step> {
    const { reader, pace, log, order, conditions, limit } = this.#options;
    // One more than a page has shows whether there is another page.
    const size = conditions.all.length === 0 ? Math.min(limit + 1, ROWS) : ROWS;
    let last = after;
    for (let isLast = isEmpty(range); !isLast; ) {
      await pace.pause();
      const rows = await reader.rows(log, range, order, size, last);
      isLast = rows.length < size;
      const { at, seq } = rows.at(-1) ?? endOf(range, order);
      last = isLast ? endOf(range, order) : { at, seq };
      yield { rows: await this.#matching(rows, after), upTo: last };
    }
  }

  async *#searchSegment(segment: Segment, part: KeyRange, findings: Findings): AsyncGenerator<Step> {
    const { pace, order } = this.#options;
    const { late, after } = findings;
    let own = late.filter(({ at, seq }) => seq > segment.seq && part.from <= at && at < part.until);
    for await (const { rows, upTo } of this.#candidates(segment, part, findings)) {
      await pace.pause();
      const matching = await this.#matching(
        rows.filter(({ seq }) => seq <= segment.seq),
        after,
      );
      const isReached = (row: EntryRow): boolean => !isAfter(row, upTo, order);
      yield { rows: [...matching, ...own.filter(isReached)].sort(inOrder(order)), upTo };
      own = own.filter((row) => !isReached(row));
    }
    yield { rows: own, upTo: endOf(part, order) };
  }

  /** The entries of a segment that may match, in the order, some at a time. */
  async *#candidates(segment: Segment, part: KeyRange, { keys, rowsAt }: Findings): AsyncGenerator<Step> {
    const { reader, pace, log, conditions, order } = this.#options;
    if (keys ? !keys.has(segment) : !conditions.mayHold(segment.fields)) return;
    const byIds = keys?.get(segment);
    if (!byIds && conditions.failedBy && segment.fields[conditions.failedBy]?.hasFailedTexts) {
      await pace.pause();
      const failed = await reader.failed(log, segment, () => pace.pause());
      const rows = failed.filter(({ at }) => part.from <= at && at < part.until);
      if (rows.length > 0) yield { rows: order === "newest" ? rows.reverse() : rows, upTo: endOf(part, order) };
      return;
    }
    for await (const found of byIds ? [byIds] : this.#keysByColumns(segment, part)) {
      for (const chunk of inChunks(found, part)) {
        await pace.pause();
        yield { rows: await rowsAt(chunk), upTo: endOfKey(chunk.at(-1) ?? "", order) };
      }
    }
  }

  /**
   * The sort keys of a segment's entries that may match, in the order, each once. If the time is over, the last one is
   * that of the last entry that was tested.
   */
  async *#keysByColumns(segment: Segment, part: KeyRange): AsyncGenerator<string[]> {
    const { conditions, pace, order } = this.#options;
    const isCut = part.from > segment.firstAt || part.until <= segment.lastAt;
    const times = isCut ? await this.#column(segment, "timestamp") : undefined;
    const [first, end] = times ? [positionOf(times, part.from), positionOf(times, part.until)] : [0, segment.entries];
    const size = blockSize(conditions);
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
        await pace.pause();
        if (left.length === 0) break;
        tests[at] ??= condition.holdsAt(await this.#columns(segment, condition.columns));
        left = left.filter(tests[at]);
      }
      found.push(...left);
      if (pace.isOver) found.push(tested);
      const isLast = done + size >= end - first;
      if (found.length === 0 || (found.length < KEYS && !isLast && !pace.isOver)) continue;
      const keyAt = keysIn(times ?? (await this.#column(segment, "timestamp")));
      const keys = found.map(keyAt).filter((key, at, all) => key !== (at === 0 ? last : all[at - 1]));
      last = keys.at(-1) ?? last;
      found = [];
      yield keys;
    }
  }

  async #columns(segment: Segment, names: readonly string[]): Promise<Column[]> {
    const columns: Column[] = [];
    for (const name of names) columns.push(await this.#column(segment, name));
    return columns;
  }

  async #column(segment: Segment, name: string): Promise<Column> {
    const { reader, pace, log } = this.#options;
    await pace.pause();
    return reader.column(log, segment, name, () => pace.pause());
  }

  /** Looks up the ids that a match must have, in many segments at once. */
  async #keysOfIds(segments: readonly Segment[]): Promise<FoundKeys | undefined> {
    const { reader, pace, log, conditions, order } = this.#options;
    if (!conditions.ids) return undefined;
    const { field, ids } = conditions.ids;
    const candidates: Segment[] = [];
    for (const segment of segments) {
      await pace.pause();
      // If there is no other condition, a look-up shows as much as the summary.
      if (conditions.all.length === 1 || conditions.mayHold(segment.fields)) candidates.push(segment);
    }
    const postings = await reader.postings(log, candidates, field, ids);
    const sorted = (keys: readonly string[] | undefined) => (order === "newest" ? keys && [...keys].reverse() : keys);
    return new Map(postings.map(({ segment, keys }) => [segment, sorted(keys)]));
  }

  /** Returns a reader of rows that reads those of the coming keys along: a look-up costs as much as many rows. */
  #readerAhead(coming: readonly string[]): Findings["rowsAt"] {
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

  /** The rows after a position that match. */
  async #matching(rows: readonly EntryRow[], after: Position | undefined): Promise<EntryRow[]> {
    const { conditions, order, pace, writtenUpTo = Number.POSITIVE_INFINITY } = this.#options;
    const matching: EntryRow[] = [];
    for (const row of rows) {
      if (row.seq > writtenUpTo || (after && !isAfter(row, after, order))) continue;
      if (pace.isDue) await pace.pause();
      if (holds(conditions, row)) matching.push(row);
    }
    return matching;
  }
}

/** Whether an entry meets conditions. */
export function holds(conditions: Conditions, { entry }: EntryRow): boolean {
  return conditions.all.length === 0 || conditions.hold(JSON.parse(entry) as ParsedEntry);
}

/** The sort keys of a segment's entries by their indexes, from the column of their timestamps. */
export function keysIn(timestamps: Column): (index: number) => string {
  if (timestamps.type === "number") return (index) => fromMicros(timestamps.values[index] ?? 0);
  const { dictionary, codes } = timestamps;
  return (index) => dictionary[codes[index] ?? 0] ?? "";
}

/** The position of the first entry that is not before a sort key, by the column of the timestamps. */
export function positionOf(times: Column, key: string): number {
  const isBefore =
    times.type === "number"
      ? (micros: number) => (at: number) => (times.values[at] ?? 0) < micros
      : () => (at: number) => (times.dictionary[times.codes[at] ?? 0] ?? "") < key;
  // A sort key followed by a space is just after its time.
  const test = isBefore(microsOf(key.trimEnd()) + (key.endsWith(" ") ? 0.5 : 0));
  let [low, high] = [0, times.type === "number" ? times.values.length : times.codes.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (test(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many entries are tested at once: fewer if each needs many tests. */
export const blockSize = ({ tests }: Conditions): number => Math.max(1, Math.floor(TESTS / Math.max(1, tests)));

/** Those of sorted keys that are in a range, each once, some at a time. */
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

/** Divides a range by the next segment in the order: what comes before it, its own part, and what comes after it. */
function divide(
  { from, until }: KeyRange,
  segment: Segment,
  order: Order,
): Record<"gap" | "part" | "others", KeyRange> {
  const part = { from: later(from, segment.fromAt), until: earlier(until, segment.untilAt) };
  const [before, after] = [
    { from, until: part.from },
    { from: part.until, until },
  ];
  return order === "newest" ? { gap: after, part, others: before } : { gap: before, part, others: after };
}

/** The position after all entries of a range. */
const endOf = ({ from, until }: KeyRange, order: Order): Position => ({
  at: order === "newest" ? from : until,
  seq: FIRST_SEQ,
});

/** The position after all entries with a sort key. */
const endOfKey = (at: string, order: Order): Position => ({
  at,
  seq: order === "newest" ? FIRST_SEQ : LAST_SEQ,
});

function isAfter({ at, seq }: Position, position: Position, order: Order): boolean {
  if (at === position.at) return order === "newest" ? seq < position.seq : seq > position.seq;
  return order === "newest" ? at < position.at : at > position.at;
}
