import type { Json } from "../world/model.js";

/** A request from Slack to the app. */
export interface OutgoingDelivery {
  readonly kind: "slash_command" | "interactive" | "event";
  readonly teamId: string;
  /** A command's fields, an interaction's payload, or the event without its envelope. */
  readonly payload: Json;
}

/** Slack's reason for a retry. */
export type RetryReason = "http_timeout" | "http_error" | "connection_failed";

/** One attempt to send a delivery. */
export interface Attempt {
  readonly kind: OutgoingDelivery["kind"];
  /** The payload; for an event, with its envelope. */
  readonly content: Json;
  readonly retry: { readonly number: number; readonly reason: RetryReason } | undefined;
}

/** The result of an attempt. */
export interface AttemptResult {
  /** 0 without a response; 200 if it was acknowledged over a socket. */
  readonly status: number;
  readonly body: unknown;
  /** Undefined if it was acknowledged. */
  readonly failure: RetryReason | undefined;
}

/** The result of an attempt without a response from the app. */
export function unanswered(failure: RetryReason): AttemptResult {
  return { status: 0, body: undefined, failure };
}
