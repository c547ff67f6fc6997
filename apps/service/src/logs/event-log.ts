import type { EventLogEntry } from "../generated/extensions.js";
import type { NewEntry } from "./log-store.js";

/** The members of an entry of the event log; those that are undefined are left out. */
export type EventFields = { readonly [Field in keyof EventLogEntry]?: EventLogEntry[Field] | undefined } & Pick<
  EventLogEntry,
  "timestamp" | "type" | "outcome"
>;

/** An entry to be written to the event log. */
export const toEvent = (projectId: string, fields: EventFields): NewEntry => ({
  projectId,
  kind: "events",
  timestamp: fields.timestamp,
  text: JSON.stringify(fields),
});
