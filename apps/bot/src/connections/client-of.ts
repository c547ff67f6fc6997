import { createMediaClient, type Fetch, type MediaClient } from "@media-ops/sdk";
import type { Logger } from "pino";
import type { Connection, Connections } from "./connections.js";
import type { Allowance } from "./read-budget.js";
import { weighAnswer } from "./weigh-answer.js";

/** Makes the clients that ask the service. What they read is paid for from the allowance of the request. */
export interface Clients {
  /** @throws {NotConnectedError} where the connection has been removed meanwhile. */
  of(connection: Connection, allowance: Allowance): Promise<MediaClient>;
  /** For an address and a key that are not stored yet. */
  to(asked: Asked, allowance: Allowance): MediaClient;
}

/** Whom a client asks, and with which key. */
interface Asked {
  readonly teamId: string;
  readonly projectId: string;
  readonly baseUrl: string;
  readonly apiKey: string;
}

// Someone waits for the answer, and this is as long as anyone waits.
const TIMEOUT_MS = 8000;
// 1,000 entries of 8 kB: some ten times what a service writes that cuts addresses to 512 bytes.
const MAX_RESPONSE_BYTES = 8 * 2 ** 20;

/**
 * @param fetch What sends the requests; undefined for the one that there is anyway.
 * @param timeoutMs How long one try may take.
 */
export function createClients(
  connections: Connections,
  fetch: Fetch | undefined,
  log: Logger,
  timeoutMs = TIMEOUT_MS,
): Clients {
  const send = onceMore(fetch ?? globalThis.fetch);
  const to = ({ teamId, projectId, baseUrl, apiKey }: Asked, allowance: Allowance): MediaClient => {
    const logger = log.child({ team: teamId, project: projectId });
    return createMediaClient({
      baseUrl,
      apiKey,
      fetch: async (input, init) => weighAnswer(await send(input, init), allowance),
      timeoutMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      // A service that says when to try again says it to the person, who would have to wait for it.
      maxRetries: 0,
      headers: { "user-agent": "media-ops-bot" },
      logger: { debug: (message) => logger.debug(message), warn: (message) => logger.warn(message) },
    });
  };
  return {
    to,
    async of(connection, allowance) {
      return to({ ...connection, apiKey: await connections.apiKeyOf(connection) }, allowance);
    },
  };
}

/** Sends a request once more where the connection broke: one that was kept open may have been closed just then. */
function onceMore(send: Fetch): Fetch {
  return async (input, init) => {
    try {
      return await send(input, init);
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      return send(input, init);
    }
  };
}
