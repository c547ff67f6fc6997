import { createMediaClient, type Fetch, type MediaClient } from "@media-ops/sdk";
import type { Logger } from "pino";
import type { Aside } from "../work/jobs.js";
import type { Connection, Connections } from "./connections.js";
import type { Allowance } from "./read-budget.js";
import type { Services } from "./services.js";
import { weighAnswer } from "./weigh-answer.js";

/** Makes what asks services. */
export interface Clients {
  /** @throws {NotConnectedError} where the connection has been removed meanwhile. */
  of(connection: Connection, caller: Caller): Promise<Ask>;
  /** For an address and a key that are not stored yet. */
  to(asked: Asked, caller: Caller): Ask;
}

/**
 * Calls a service when it is the caller's turn; see {@link Services} for what it throws beside the client's errors.
 *
 * @param call makes one call of the client.
 */
export type Ask = <T>(call: (client: MediaClient) => Promise<T>) => Promise<T>;

/** The request that a service is asked for. */
export interface Caller {
  readonly userId: string;
  /** Pays for what is read. */
  readonly allowance: Allowance;
  /** When the person is to have an answer; in ms since 1970. */
  readonly answerBy: number;
  /** Lets other work go on while the service is waited for. */
  readonly aside: Aside;
}

/** Whom a client asks, and with which key. */
interface Asked {
  readonly teamId: string;
  readonly projectId: string;
  readonly baseUrl: string;
  readonly apiKey: string;
}

interface ClientsOptions {
  connections: Connections;
  services: Services;
  log: Logger;
  /** Sends the requests. @default globalThis.fetch */
  fetch?: Fetch | undefined;
}

// 1,000 entries of 8 kB: some ten times what a service writes that cuts addresses to 512 bytes.
const MAX_RESPONSE_BYTES = 8 * 2 ** 20;

export function createClients({ connections, services, log, fetch = globalThis.fetch }: ClientsOptions): Clients {
  const send = onceMore(fetch);
  const to = ({ teamId, projectId, baseUrl, apiKey }: Asked, { userId, allowance, answerBy, aside }: Caller): Ask => {
    const logger = log.child({ team: teamId, project: projectId });
    const clientWith = (timeoutMs: number): MediaClient =>
      createMediaClient({
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
    const target = { teamId, projectId, baseUrl, userId, answerBy };
    return (call) => aside(() => services.send(target, (timeoutMs) => call(clientWith(timeoutMs))));
  };
  return {
    to,
    async of(connection, caller) {
      return to({ ...connection, apiKey: await connections.apiKeyOf(connection) }, caller);
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
