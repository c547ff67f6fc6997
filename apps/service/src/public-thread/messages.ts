import type { Config } from "../config/config.js";
import type { OpenFileShares } from "../config/share-open-files.js";
import type { LogKind } from "../logs/kinds.js";
import type { NewEntry } from "../logs/log-store.js";

/** What the public listener's thread is started with. */
export interface ThreadData {
  /** Without the master key, which only the main thread needs. */
  readonly config: Config;
  /** How many connections to PostgreSQL it may have; undefined for SQLite. */
  readonly connections: number | undefined;
}

/** What the main thread sends. */
export type ToThread =
  /** The database is open, its tables up to date. */
  | { readonly type: "start"; readonly openFiles: OpenFileShares }
  | { readonly type: "ping" }
  | { readonly type: "metrics" }
  /** Why the database cannot be used; undefined if it can again. */
  | { readonly type: "database"; readonly fault: string | undefined }
  | { readonly type: "stop" }
  /** Answers the "settle" of this number. */
  | { readonly type: "settled"; readonly id: number };

/** What the thread sends. */
export type FromThread =
  | { readonly type: "listening"; readonly url: string }
  | { readonly type: "pong" }
  /** Answers the oldest "metrics" that is not yet answered. */
  | { readonly type: "metrics"; readonly text: string }
  /** For the main thread to write, as only that one writes. */
  | { readonly type: "entries"; readonly entries: readonly NewEntry[] }
  /** Asks for "settled" when the entries sent so far are written, or cannot be. */
  | { readonly type: "settle"; readonly id: number; readonly kind: LogKind | undefined }
  /** It cannot start, or must not go on; an expected failure needs no stack. */
  | { readonly type: "failed"; readonly message: string; readonly stack: string | undefined };
