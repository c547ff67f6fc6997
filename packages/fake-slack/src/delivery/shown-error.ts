import type { OutgoingDelivery, RetryReason } from "./outgoing.js";

/** What Slack shows the person whose command or click did not reach the app, or was not acknowledged. */
export function shownError({ kind, payload }: OutgoingDelivery, failure: RetryReason): string | undefined {
  if (kind === "event") return undefined;
  if (kind === "slash_command") {
    const error = failure === "http_timeout" ? "operation_timeout" : "dispatch_failed";
    return `${String(payload.command)} failed with the error "${error}"`;
  }
  // Her modal is closed already.
  if (payload.type === "view_closed") return undefined;
  // A sign beside the button, without words.
  if (payload.type === "block_actions") return "⚠️";
  return "We had some trouble connecting. Try again?";
}
