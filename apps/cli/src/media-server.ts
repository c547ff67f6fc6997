import { clean } from "@media-ops/formatters/terminal";
import { CliError } from "./errors.js";
import type { ServiceChoice } from "./profiles.js";

/** An operation of the media server's API that ends connections. */
export type DisconnectOperation = "DisconnectChannel" | "DisconnectConnection";

/** Who calls, and until when. */
interface CallContext {
  readonly requestedBy: string;
  readonly signal: AbortSignal;
}

// The service waits 10 seconds for the media server.
const TIMEOUT_MS = 30_000;

const LACKING =
  "This service does not pass on calls to the media server's API, so that it cannot end connections. Update the service.";

/**
 * Calls the media server's API through the service, which the SDK does not offer. It is not retried: a channel may have
 * new connections meanwhile.
 *
 * @throws {CliError} if the operation was not done, with the reason.
 */
export async function callMediaServer(
  { baseUrl, apiKey }: Pick<ServiceChoice, "baseUrl" | "apiKey">,
  operation: DisconnectOperation,
  body: object,
  { requestedBy, signal }: CallContext,
): Promise<void> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/media-api?from=cli`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "x-media-target": `Media_20151104.${operation}`,
      "x-requested-by": requestedBy,
    },
    body: JSON.stringify(body),
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new CliError("No answer from the service. It may have ended connections nevertheless: see media live.");
  });
  const text = await response.text().catch(() => "");
  if (response.ok) return;
  const isOfService = response.headers.get("content-type")?.includes("problem+json") ?? false;
  throw new CliError(isOfService ? refusalOf(response.status, text) : failureOf(response.status, operation));
}

/** Why the service did not pass on the call. */
function refusalOf(status: number, text: string): string {
  if (status === 404 || status === 405) return LACKING;
  return `The service answered ${status}: ${clean(detailIn(text) || "without a reason")}`;
}

function detailIn(text: string): string {
  try {
    const { detail }: { detail?: unknown } = Object(JSON.parse(text));
    return typeof detail === "string" ? detail : "";
  } catch {
    return "";
  }
}

/** Why the media server did not end connections. */
function failureOf(status: number, operation: DisconnectOperation): string {
  const isUnknown = status === 404 && operation === "DisconnectConnection";
  return isUnknown
    ? "The media server knows no such connection; it may have ended. See media live <channel> --json for those that exist."
    : `The media server answered ${status}, and may not have ended the connections. See media live.`;
}
