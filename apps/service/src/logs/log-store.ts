import type { ReadyAnswer } from "../http/send-answer.js";
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

/** Where the logs are kept. */
export interface LogStore {
  /** Writes all or none; they are durable when it is done. */
  append(entries: readonly NewEntry[]): Promise<void>;
  /** The entries of the last 30 days, newest first, at most 1000: a JSON array. */
  list(projectId: string, kind: LogKind): Promise<ReadyAnswer>;
  /** Deletes what no listing will show again, a little at a time. Gives how many entries there were. */
  dropExpired(signal: AbortSignal): Promise<number>;
}

/** How far back a listing goes. */
export const WINDOW_MS = 30 * 24 * 60 * 60 * 1000;

/** How many entries a listing shows. */
export const MAX_ENTRIES = 1000;
