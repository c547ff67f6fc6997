import type { LogCounts, LogKind } from "@media-ops/contract";
import type { CountLogsRequest, ListLogsRequest } from "@media-ops/sdk";
import { fieldOf, millisecondsOf } from "./entries/index.js";

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
  return millisecondsOf(searchedTo) ?? millisecondsOf(fieldOf(data.at(-1), "timestamp")) ?? now;
}
