import { PIECE_MS, type Work } from "./pace.js";

/** The pace of a read that has its thread, and all the time, to itself. */
export const unhurried: Work = { isOver: false, isDue: false, pause: async () => {} };

/** A page of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The key after which the list goes on; undefined if this is all. */
  readonly next: string | undefined;
}

interface AlongKey<Row> {
  /** The key after which the page begins. @default the list's first row */
  readonly after: string | undefined;
  readonly limit: number;
  keyOf(row: Row): string;
  /** The key of the last of so many rows after a key, whether they match or not; undefined if there are fewer. */
  border(after: string | undefined, count: number): Promise<string | undefined>;
  /** The matching rows after a key and up to another, or up to the end. */
  read(after: string | undefined, upTo: string | undefined, limit: number): Promise<Row[]>;
}

// How many rows are read in one piece: at first, at least, and at most.
const FIRST_ROWS = 100;
const FEWEST_ROWS = 50;
const MOST_ROWS = 2000;

/** Reads a page of a list that few rows may match, some rows at a time, until it is full or the time is over. */
export async function readAlong<Row>(work: Work, list: AlongKey<Row>): Promise<Page<Row>> {
  const rows: Row[] = [];
  let count = FIRST_ROWS;
  for (let { after } = list; ; ) {
    await work.pause();
    const since = performance.now();
    const upTo = await list.border(after, count);
    rows.push(...(await list.read(after, upTo, list.limit - rows.length)));
    const last = rows.at(-1);
    if (last !== undefined && rows.length === list.limit) return { rows, next: list.keyOf(last) };
    if (upTo === undefined || work.isOver) return { rows, next: upTo };
    after = upTo;
    const ms = performance.now() - since;
    if (ms > PIECE_MS) count = Math.max(FEWEST_ROWS, Math.floor(count / 2));
    else if (ms < PIECE_MS / 2) count = Math.min(MOST_ROWS, 2 * count);
  }
}
