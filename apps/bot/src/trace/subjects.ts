import type { TraceSubject } from "@media-ops/reports";
import { parseTimestamp } from "@media-ops/sdk";
import type { TraceView } from "./view.js";

/** What a trace can be about. */
export interface Subject {
  readonly is: TraceSubject;
  readonly what: string;
}

/** What an entry is about, the most specific first. */
export function subjectsIn(entry: object): Subject[] {
  const fields = new Map(Object.entries(entry));
  return subjectFields.flatMap(([is, field]) => {
    const what: unknown = fields.get(field);
    return typeof what === "string" && what.trim() !== "" ? [{ is, what }] : [];
  });
}

const subjectFields: readonly (readonly [is: TraceSubject, field: string])[] = [
  ["connection", "connection_id"],
  ["session", "session_id"],
  ["client", "client_id"],
  ["bundle", "bundle_id"],
  ["channel", "channel_id"],
];

/** What a field of an entry names; undefined for all other fields. */
export const subjectOf = (field: string): TraceSubject | undefined =>
  subjectFields.find(([, name]) => name === field)?.[0];

/**
 * The trace of something that an entry names. What exists for long is shown from a time on.
 *
 * @param at the entry's timestamp.
 */
export function traceOf({ is, what }: Subject, project: string, at: string | undefined): TraceView {
  const command = { name: "trace", what, is, in: project } as const;
  const time = parseTimestamp(at ?? "");
  if (is === "connection" || is === "session" || !time) return { command };
  return { command, page: { order: "oldest", since: new Date(time.epochMilliseconds).toISOString() } };
}
