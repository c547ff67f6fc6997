import { type LogCounts, type LogKind, readTimestamp } from "@media-ops/contract";
import type { CountLogsRequest, ListLogsRequest } from "@media-ops/sdk";
import { fieldOf } from "./entries/index.js";

/** What is asked of a listing. */
export type ListQuestion = Pick<ListLogsRequest, "project_id" | "where" | "limit" | "order"> & Range;

/** What is asked of a count. */
export type CountQuestion = Omit<CountLogsRequest, keyof Range> & Range;

interface Range {
  since?: string | undefined;
  until?: string | undefined;
}

/** A listing's answer, as the client's `withResponse()` gives it. */
export interface ListAnswer {
  data: readonly unknown[];
  /** Whether the whole period was searched. */
  complete: boolean;
  /** The time back to which the log was searched. */
  searchedTo?: string | undefined;
}

/** The two calls of a service that reports need. */
export interface LogService {
  /** Rejects with an error of the code "NotFound" if the service has no counts. */
  count(kind: LogKind, question: CountQuestion): Promise<LogCounts>;
  list(kind: LogKind, question: ListQuestion): Promise<ListAnswer>;
}

/** Entries that a service lists at most. */
export const MOST_LISTED = 1000;

/** What a service answers to an operation that it does not have; some answer anything to everything. */
const UNKNOWN = new Set<unknown>(["NotFound", "MethodNotAllowed", "Response"]);

/** What a count gives; `undefined` if the service has none. */
export async function ifCounted<T>(count: () => Promise<T>): Promise<T | undefined> {
  try {
    return await count();
  } catch (error) {
    if (error instanceof Error && "code" in error && UNKNOWN.has(error.code)) return undefined;
    throw error;
  }
}

/** A time as a service takes it. */
export const isoOf = (time: number): string => new Date(time).toISOString();

/** The time before which entries may be missing, in milliseconds since 1970. */
export function reachOf({ complete, searchedTo, data }: ListAnswer, now: number): number | undefined {
  if (complete) return undefined;
  return readTimestamp(searchedTo) ?? readTimestamp(fieldOf(data.at(-1), "timestamp")) ?? now;
}

/** Which entries are counted. */
type Question = Omit<ListQuestion, "limit" | "order">;

/** How many entries there are. */
export interface Amount {
  entries: number;
  /** The time back to which they were counted, if that is not all. */
  searchedTo?: string | undefined;
}

/** How many entries a service counted. */
interface CountedAmount extends Amount {
  /** The number of calls or refusals; an entry may stand for several. */
  count: number;
}

/** Counts entries; undefined if the service has no counts. */
export async function countEntries(
  service: LogService,
  kind: LogKind,
  question: Question,
): Promise<CountedAmount | undefined> {
  const counts = await ifCounted(() => service.count(kind, question));
  if (!counts) return undefined;
  const { total, complete, since } = counts;
  return { entries: total.entries, count: total.count, ...(!complete && { searchedTo: since }) };
}

/** Counts entries; if the service has no counts, counts what it lists. */
export async function amountOf(service: LogService, kind: LogKind, question: Question): Promise<Amount> {
  const counted = await countEntries(service, kind, question);
  if (counted) return counted;
  const { data, complete, searchedTo } = await service.list(kind, { ...question, limit: MOST_LISTED });
  return { entries: data.length, ...(!complete && { searchedTo }) };
}

/** What a listing found, in figures. */
export interface ListingFigures {
  found: number;
  /** All entries of the period, if they are known. */
  of?: number | undefined;
  /** How many of them are listed, if they are sorted. */
  top?: number | undefined;
  /** The time back to which the log was searched, if that is not all. */
  searchedTo?: string | undefined;
  /** Whether there may be more. @default if not all was searched */
  isAtLeast?: boolean | undefined;
}

/** Counts the entries that match, and all of the period; undefined if the service has no counts. */
export async function countFound(
  service: LogService,
  kind: LogKind,
  { where, ...period }: Question,
): Promise<ListingFigures | undefined> {
  const [found, all] = await Promise.all([
    countEntries(service, kind, { ...period, ...(where && { where }) }),
    where && countEntries(service, kind, period),
  ]);
  return found && { found: found.entries, of: wholeOf(all)?.entries, searchedTo: found.searchedTo };
}

/** An amount of which nothing is missing. */
export const wholeOf = <Counted extends Pick<Amount, "searchedTo">>(
  amount: Counted | undefined,
): Counted | undefined => (amount?.searchedTo === undefined ? amount : undefined);
