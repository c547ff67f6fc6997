import type { EventLogEntry } from "../generated/extensions.js";
import type { NewEntry } from "./log-store.js";

/** The members of an entry of the event log; those that are undefined are left out. */
export type EventFields = { readonly [Field in keyof EventLogEntry]?: EventLogEntry[Field] | undefined } & Pick<
  EventLogEntry,
  "timestamp" | "type" | "outcome"
>;

/** An entry to be written to the event log. */
export interface NewEvent extends NewEntry, Pick<EventFields, "outcome" | "reason"> {}

/** The entry of an event. It has the same text for the same event, so that a repeated one is recognised. */
export function toEvent(projectId: string, fields: EventFields): NewEvent {
  const { timestamp, outcome, reason } = fields;
  return { projectId, kind: "events", timestamp, text: JSON.stringify(fields), outcome, reason };
}
