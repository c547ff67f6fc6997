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
  /** Created at this time or later, in ms since 1970. */
  readonly since?: number | undefined;
  /** Created before this time. */
  readonly until?: number | undefined;
  /** The id behind which the part begins. */
  readonly after?: string | undefined;
  /** The last id of the part. */
  readonly upTo?: string | undefined;
}

/**
 * The conditions for ids in a range, at most one for each of its ends: of two, SQLite may take the wider one for its
 * index, and read all that lies between them.
 */
export function idBounds({ order, since, until, after, upTo }: IdRange): ["<" | "<=" | ">" | ">=", string][] {
  const isNewest = order === "newest";
  const lower: [">" | ">=", string | undefined][] = [
    [">=", since === undefined ? undefined : firstIdAt(since)],
    isNewest ? [">=", upTo] : [">", after],
  ];
  const upper: ["<" | "<=", string | undefined][] = [
    ["<", until === undefined ? undefined : firstIdAt(until)],
    isNewest ? ["<", after] : ["<=", upTo],
  ];
  const narrowest = <Operator>(bounds: [Operator, string | undefined][], isHigher: boolean): [Operator, string][] =>
    bounds
      .flatMap(([operator, id]): [Operator, string][] => (id === undefined ? [] : [[operator, id]]))
      .sort(([, a], [, b]) => (a < b === isHigher ? 1 : -1))
      .slice(0, 1);
  return [...narrowest(lower, true), ...narrowest(upper, false)];
}
