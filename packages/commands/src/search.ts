import { matcher, type Selection } from "./filters/matcher.js";
import { grouped } from "./quote.js";
import { readTimestamp } from "./times/read-moment.js";

/** The most entries that a service lists. */
const MOST_LISTED = 1000;

/** What a search found among the entries that a service lists. */
export interface SearchResult<LogEntry> {
  /** The matching entries, newest first. */
  readonly entries: LogEntry[];
  /** Whether older matching entries may exist that the service does not list. */
  readonly mayLackOlder: boolean;
  /** The time since which no matching entry is missing, in milliseconds since 1970. */
  readonly completeSince: number | undefined;
}

/** A note for results that may lack older entries. */
export const cappedNote = `The service lists the newest ${grouped(MOST_LISTED)} entries; there may be older ones that match.`;

/** Searches the entries of a log, which the service lists newest first. */
export function searchEntries<LogEntry extends { readonly timestamp?: unknown }>(
  selection: Selection,
  listed: readonly LogEntry[],
): SearchResult<LogEntry> {
  const { since } = selection;
  const last = listed.at(-1)?.timestamp;
  const oldest = typeof last === "string" ? readTimestamp(last) : undefined;
  const reachesBack = since !== undefined && oldest !== undefined && oldest < since;
  const mayLackOlder = listed.length >= MOST_LISTED && !reachesBack;
  return {
    entries: listed.filter(matcher(selection)),
    mayLackOlder,
    completeSince: mayLackOlder ? (oldest ?? since) : since,
  };
}

/** How many entries were found, for a heading: `37 of 1,000`, or `1,000` if all of them match. */
export function foundOf(found: number, listed: number): string {
  return found === listed ? grouped(listed) : `${grouped(found)} of ${grouped(listed)}`;
}
