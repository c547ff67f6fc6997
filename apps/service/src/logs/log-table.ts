import type { Batch } from "./batch.js";
import type { NewEntry } from "./log-store.js";

/** Which log: of which project, of which kind, by its number. */
export type LogName = readonly [projectId: string, kind: number];

/** The newest entries of a log as one text, and how far the log was when they were read. */
export interface Listed {
  readonly seq: number;
  /** A JSON array; null where there is no entry. */
  readonly body: Buffer | null;
  /** How many bytes each entry has, with commas between them. */
  readonly lengths: string | null;
}

/** An entry by itself. */
export interface Newer {
  readonly entry: Buffer;
  readonly seq: number;
}

/** How entries are read in one kind of database. */
export interface LogReader {
  /** How many entries were ever written to a log. */
  seqOf(log: LogName): Promise<number>;
  /** The newest entries since a time, and how far the log is, both as of one moment. */
  newest(log: LogName, since: string): Promise<Listed>;
  /** The entries from a time on, the newest first, at most `limit`. */
  newerThan(log: LogName, from: string, limit: number): Promise<readonly Newer[]>;
}

/** How entries are written and deleted in one kind of database. */
export interface LogTable {
  append(entries: readonly NewEntry[], batch: Batch | undefined): Promise<void>;
  /** Makes room for what will come. */
  prepare(now: number): Promise<void>;
  /** Takes away what lies before a time, which is the beginning of a day. Gives what was done, for the log. */
  dropBefore(day: number, signal: AbortSignal): Promise<string | undefined>;
  /** Forgets the batches of writers that have not written for a day at a time, in ms since 1970. */
  forgetBatches(time: number, signal: AbortSignal): Promise<void>;
}
