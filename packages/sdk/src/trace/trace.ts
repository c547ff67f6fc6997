import type { ConnectionLogEntry, EventLogEntry, LogEntryOf, LogKind, SessionLogEntry } from "@media-ops/contract";
import type { Range } from "../search.js";

/** What a trace can be about. */
export type TraceSubject = "connection" | "session" | "client" | "bundle" | "channel";

/** What to trace. */
export interface TraceRequest extends Range {
  /** The project identifier. @default the project that owns the API key */
  project_id?: string | undefined;
  /**
   * The id of a connection, session, client or bundle, or the name or id of a channel. An id may be shortened:
   * `0J9V6TQ2…W1NA` or `0J9V6TQ2…`.
   */
  what: string;
  /** Which of these it is. @default found out */
  as?: TraceSubject | undefined;
  /** The maximum number of lines, from 1 to 1000. @default 200 */
  limit?: number | undefined;
  /** Which end of the range is shown if there are more lines. @default "newest" */
  order?: "newest" | "oldest" | undefined;
  /**
   * How many lines at the end that is shown are left out. In `older` and `newer`, if only some of the lines with the same
   * time fit on a page.
   * @default 0
   */
  skip?: number | undefined;
}

/** An entry of one of the logs. */
export type TraceLine =
  | { [K in Exclude<LogKind, "events">]: { kind: K; entry: LogEntryOf<K> } }[Exclude<LogKind, "events">]
  | {
      kind: "events";
      entry: EventLogEntry;
      /** If the event is the end of a connection or session: what the log of these has about it, which is no other line. */
      end?: ConnectionLogEntry | SessionLogEntry;
    };

/** One of several things that a traced text may name. */
export interface TraceCandidate {
  subject: TraceSubject;
  /** The whole id. */
  id: string;
  /** The time of its newest event. */
  timestamp: string;
}

/** All that the logs have about a connection, a session, a client, a bundle or a channel, in the order of time. */
export interface Trace {
  /** Undefined if nothing was found, or if `candidates` has several. */
  subject: TraceSubject | undefined;
  /** The whole id; the given text if nothing was found. */
  id: string;
  /** The entries, oldest first. An end that is in two logs is one line. */
  lines: TraceLine[];
  /** Whether the whole range was searched in all logs that the service has, or `older` and `newer` lead to the rest. */
  complete: boolean;
  /** If not complete, the time back to which all logs were searched. */
  searchedTo: string | undefined;
  /** The logs that the service does not have, or whose entries do not say what they are about. */
  missing: LogKind[];
  /** What the text may name, if it is several things; then there are no lines. */
  candidates: TraceCandidate[];
  /**
   * The request for the lines before these; undefined if the range has none. With `order: "oldest"`, it leads to lines
   * before `since`, if there are any.
   */
  older: TraceRequest | undefined;
  /**
   * The request for the lines after these; undefined if the range has none. With `order: "newest"`, it leads to lines
   * after `until`, if there are any.
   */
  newer: TraceRequest | undefined;
}
