import { createMediaClient, type Fetch, type MediaClient } from "@media-ops/sdk";
import type { Logger } from "pino";
import type { Connection, Connections } from "./connections.js";

/** Makes the clients that ask the service. */
export interface Clients {
  /** @throws {NotConnectedError} where the connection has been removed meanwhile. */
  of(connection: Connection): Promise<MediaClient>;
  /** For an address and a key that are not stored yet. */
  to(asked: Asked): MediaClient;
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
  const to = ({ teamId, projectId, baseUrl, apiKey }: Asked): MediaClient => {
    const logger = log.child({ team: teamId, project: projectId });
    return createMediaClient({
      baseUrl,
      apiKey,
      fetch: onceMore(fetch ?? globalThis.fetch),
      timeoutMs,
      // A service that says when to try again says it to the person, who would have to wait for it.
      maxRetries: 0,
      headers: { "user-agent": "media-ops-bot" },
      logger: { debug: (message) => logger.debug(message), warn: (message) => logger.warn(message) },
    });
  };
  return {
    to,
    async of(connection) {
      return to({ ...connection, apiKey: await connections.apiKeyOf(connection) });
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
