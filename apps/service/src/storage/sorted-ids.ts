import { randomInt } from "node:crypto";

const TIME_LENGTH = 9;
const COUNT_LENGTH = 4;
const RANDOM_LENGTH = 6;
const digits = (value: number, length: number): string => value.toString(36).padStart(length, "0");

let last = { at: 0, count: 0 };

/** An id that sorts after all earlier ids of this process, and by its time among those of other processes. */
export function newSortedId(now: number): string {
  last = now > last.at ? { at: now, count: 0 } : { at: last.at, count: last.count + 1 };
  if (last.count === 36 ** COUNT_LENGTH) last = { at: last.at + 1, count: 0 };
  const random = randomInt(36 ** RANDOM_LENGTH);
  return digits(last.at, TIME_LENGTH) + digits(last.count, COUNT_LENGTH) + digits(random, RANDOM_LENGTH);
}

/** The lower bound of all ids created at a time or later. */
export function firstIdAt(time: number): string {
  return digits(Math.min(Math.max(Math.ceil(time), 0), 36 ** TIME_LENGTH - 1), TIME_LENGTH);
}

/** A part of a list in the order of ids. */
export interface IdRange {
  readonly order: "newest" | "oldest";
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly after?: string | undefined;
  readonly upTo?: string | undefined;
}

const END = firstIdAt(Number.POSITIVE_INFINITY);

/** The conditions for ids in a range, one for each end: of two, SQLite may take the wider one for its index. */
export function idBounds({ order, since = 0, until = Number.POSITIVE_INFINITY, after, upTo }: IdRange) {
  const isNewest = order === "newest";
  const low: string = (isNewest ? upTo : after) ?? "";
  const high: string = (isNewest ? after : upTo) ?? END;
  const [from, end] = [firstIdAt(since), firstIdAt(until)];
  // No id is the bound of a time, so that these operators are right for both.
  return [
    [isNewest ? ">=" : ">", low > from ? low : from],
    [isNewest ? "<" : "<=", high < end ? high : end],
  ] as const;
}
