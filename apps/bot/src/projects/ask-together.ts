import type { CallOptions, MediaClient } from "@media-ops/sdk";
import type { Project } from "../connections/clients.js";
import type { Request } from "../request.js";
import { Refused } from "../slack/blocks.js";

// Drawing and sending the answer takes the rest.
const LAST_MS = 1000;
const TOO_LONG = "The service took too long to search its logs for this. A shorter time is faster: since:1h.";

/** Makes a call that the client composes of many requests: they count as one, and end in time or are {@link Refused}. */
export async function askTogether<T>(
  { ask }: Pick<Project, "ask">,
  { answerBy, now }: Pick<Request, "answerBy" | "now">,
  call: (client: MediaClient, options: CallOptions) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(Math.max(0, answerBy - LAST_MS - now()));
  try {
    return await ask((client, options) => call(client, { ...options, signal }));
  } catch (error) {
    if (signal.aborted && error === signal.reason) throw new Refused(TOO_LONG);
    throw error;
  }
}
