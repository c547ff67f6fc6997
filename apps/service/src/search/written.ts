import type { LogName } from "../logs/log-store.js";
import type { Work } from "../reads/pace.js";
import { END_OF_TIME } from "./moments.js";
import {
  type EntryRow,
  type KeyRange,
  type LatePart,
  type Position,
  SEQ_COLUMN,
  type Segment,
  type SegmentReader,
} from "./segments.js";
import { keysIn } from "./walk.js";

/** Which entries are looked for: those with a seq after one and up to another, from a sort key on. */
interface Written {
  readonly log: LogName;
  readonly from: string;
  readonly after: number;
  readonly upTo: number;
}

const ROWS = 500;
const KEYS = 200;
const FEW_SEGMENTS = 4;
const MANY_SEGMENTS = 256;

/**
 * Finds entries by the order in which they were written. They are mostly the newest ones, so the log is read backwards,
 * until all are found.
 *
 * @returns the entries in the order of their seqs.
 */
export async function findWritten(reader: SegmentReader, written: Written, pace: Work): Promise<EntryRow[]> {
  const { log, from, after, upTo } = written;
  const found = new Map<number, EntryRow>();
  const isWanted = ({ seq }: EntryRow): boolean => seq > after && seq <= upTo;
  const keep = (rows: readonly EntryRow[]): void => {
    for (const row of rows) if (isWanted(row)) found.set(row.seq, row);
  };
  const isDone = (): boolean => found.size === upTo - after;

  await pace.pause();
  // Read before the segments: what is late now may be in its segment by then.
  for (let rest: KeyRange | undefined = { from, until: END_OF_TIME }; rest; ) {
    const late: LatePart = await reader.late(log, rest, "newest", written);
    keep(late.rows);
    rest = late.rest;
    await pace.pause();
  }
  let until = END_OF_TIME;
  for (let limit = FEW_SEGMENTS, isLast = false; !isLast && !isDone(); limit = Math.min(4 * limit, MANY_SEGMENTS)) {
    await pace.pause();
    const segments = await reader.segments(log, { from, until }, "newest", limit);
    isLast = segments.length < limit;
    for (const segment of segments) {
      for await (const rows of backwards(reader, log, { from: segment.untilAt, until }, pace)) {
        keep(rows);
        if (isDone()) break;
      }
      if (isDone()) break;
      if (segment.firstSeq <= upTo && segment.lastSeq > after) keep(await inSegment(reader, written, segment, pace));
      until = segment.fromAt;
    }
  }
  for await (const rows of backwards(reader, log, { from, until }, pace)) {
    if (isDone()) break;
    keep(rows);
  }
  return [...found.values()].sort((one, other) => one.seq - other.seq);
}

/** The rows of a range, newest first, some at a time. */
async function* backwards(
  reader: SegmentReader,
  log: LogName,
  range: KeyRange,
  pace: Work,
): AsyncGenerator<readonly EntryRow[]> {
  let last: Position | undefined;
  for (let count = range.from < range.until ? ROWS : 0; count === ROWS; ) {
    await pace.pause();
    const rows = await reader.rows(log, range, "newest", ROWS, last);
    count = rows.length;
    last = rows.at(-1);
    yield rows;
  }
}

/** The rows with the keys of a segment's entries that were written in between. */
async function inSegment(
  reader: SegmentReader,
  { log, after, upTo }: Written,
  segment: Segment,
  pace: Work,
): Promise<EntryRow[]> {
  const pause = () => pace.pause();
  await pause();
  const seqs = await reader.column(log, segment, SEQ_COLUMN, pause);
  if (seqs.type !== "number") throw new Error("The column of seqs has texts.");
  const indexes: number[] = [];
  seqs.values.forEach((seq, index) => {
    if (seq > after && seq <= upTo) indexes.push(index);
  });
  if (indexes.length === 0) return [];
  await pause();
  const keys = [...new Set(indexes.map(keysIn(await reader.column(log, segment, "timestamp", pause))))];
  const found: EntryRow[] = [];
  for (let at = 0; at < keys.length; at += KEYS) {
    await pause();
    found.push(...(await reader.rowsAt(log, keys.slice(at, at + KEYS), "newest")));
  }
  return found;
}
