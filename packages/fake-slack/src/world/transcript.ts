import type { Json } from "./model.js";

/** Something that happened, as a test or a page would want to see it. */
export interface TranscriptEntry {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly teamId: string | undefined;
  readonly what: /** The app called a method of the Web API, or a `response_url`; with what Slack answered. */
    | "call"
    /** Slack sent something to the app; with what it answered. */
    | "delivery"
    /** What people see has changed: a message, a view, a home, a file. */
    | "shown"
    | "hidden";
  /** The method, the kind of delivery, or what is shown: `chat.postMessage`, `slash_command`, `message`. */
  readonly name: string;
  /** Who sees it, or of whom it came: ids of users. Everyone in the channel where it is shown to all of them. */
  readonly users: readonly string[];
  readonly detail: Json;
}
