import type { ReadyAnswer } from "../http/send-answer.js";
import type { Batch } from "./batch.js";
import type { LogKind } from "./kinds.js";

/** An entry on its way into a log. */
export interface NewEntry {
  readonly projectId: string;
  readonly kind: LogKind;
  /** In UTC, ending in `Z`, with any number of fraction digits. */
  readonly timestamp: string;
  /** The JSON text that will be sent. */
  readonly text: string;
}

/** What the logs show. */
export interface Listings {
  /** The entries of the last 30 days, newest first, at most 1000: a JSON array. */
  list(projectId: string, kind: LogKind): Promise<ReadyAnswer>;
}

/** Where the logs are kept. */
export interface LogStore extends Listings {
  /**
   * Writes entries; they are durable when it is done. What is one project's is written together, or not at all. A batch
   * whose outcome is unknown may be appended again: what is written already is not written once more.
   */
  append(entries: readonly NewEntry[], batch?: Batch): Promise<void>;
  /**
   * Makes room for the days to come, and deletes what no listing shows any more at a time, without being in anybody's way.
   *
   * @param time In ms since 1970; undefined if nothing may be deleted.
   * @returns what was deleted, for the log.
   */
  tidy(time: number | undefined, signal: AbortSignal): Promise<string | undefined>;
}

/** How far back a listing goes. */
export const WINDOW_MS: number = 30 * 24 * 60 * 60 * 1000;

/** How many entries a listing shows. */
export const MAX_ENTRIES = 1000;
