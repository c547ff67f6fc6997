import { createMediaClient, type Fetch, type LogEntryOf, type LogKind, type MediaClient } from "@media-ops/sdk";
import type { Logger } from "pino";
import type { Aside } from "../work/jobs.js";
import type { Connection, Connections } from "./connections.js";
import type { Allowance } from "./read-budget.js";
import type { Services } from "./services.js";

/**
 * Calls a service when it is the caller's turn; see {@link Services} for what it throws beside the client's errors.
 *
 * @param call makes one call of the client.
 */
export type Ask = <T>(call: (client: MediaClient) => Promise<T>) => Promise<T>;

/** On whose behalf a service is called, and how long that may take. */
export interface ServiceCaller {
  /** Requests of one workspace to a service take turns by this: the person, or a background job. */
  readonly turnOf: string;
  /** Limits what is read. */
  readonly allowance: Allowance;
  /** The latest time for an answer; in ms since 1970. */
  readonly answerBy: number;
  /** Lets other work go on while the service answers. */
  readonly aside: Aside;
}

/** A project's service and key. */
interface Target {
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

// 1,000 entries of 8 kB, some ten times what a service of this project writes.
const MAX_RESPONSE_BYTES = 8 * 2 ** 20;

/** Creates clients of services. */
export type Clients = ReturnType<typeof createClients>;

/** Creates {@link Clients}. */
export function createClients({ connections, services, log, fetch = globalThis.fetch }: ClientsOptions) {
  const send = onceMore(fetch);
  const to = (
    { teamId, projectId, baseUrl, apiKey }: Target,
    { turnOf, allowance, answerBy, aside }: ServiceCaller,
  ): Ask => {
    const logger = log.child({ team: teamId, project: projectId });
    const clientWith = (timeoutMs: number): MediaClient =>
      createMediaClient({
        baseUrl,
        apiKey,
        fetch: async (input, init) => weighAnswer(await send(input, init), allowance),
        timeoutMs,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        // The person is shown when to try again, instead of waiting for it.
        maxRetries: 0,
        headers: { "user-agent": "media-ops-bot" },
        logger: { debug: (message) => logger.debug(message), warn: (message) => logger.warn(message) },
      });
    const target = { teamId, projectId, baseUrl, turnOf, answerBy };
    return (call) => aside(() => services.send(target, (timeoutMs) => call(clientWith(timeoutMs))));
  };
  return {
    /** A client for an address and a key that are not stored yet. */
    to,
    /** @throws {NotConnectedError} if the connection was removed. */
    async of(connection: Connection, caller: ServiceCaller): Promise<Ask> {
      return to({ ...connection, apiKey: await connections.apiKeyOf(connection) }, caller);
    },
  };
}

/** Repeats a request once if the connection broke: a kept-alive one may have been closed just then. */
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

// The cost of a parsed value in addition to its text: an answer of nothing but `{}` takes twenty times its length on the
// heap, and a second of CPU for every 8 MB.
const BYTES_PER_VALUE = 32;

/** The same answer; reading its body takes its bytes and JSON values from the allowance. */
export function weighAnswer(response: Response, allowance: Allowance): Response {
  if (!response.body) return response;
  const countValues = createValueCounter();
  const weigh = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      allowance.take(chunk.length + countValues(chunk) * BYTES_PER_VALUE);
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(weigh), { status, statusText, headers });
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0));

/** Counts the JSON values in the chunks of a text, before it is parsed; never too few. */
function createValueCounter(): (chunk: Uint8Array) => number {
  let isInString = false;
  let isEscaped = false;
  return (chunk) => {
    let values = 0;
    for (const byte of chunk) {
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isInString = !isInString;
      else if (isInString) isEscaped = byte === BACKSLASH;
      else if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
    }
    return values;
  };
}

/** A project with a client for its service. */
export interface Project {
  readonly id: string;
  readonly connection: Connection;
  readonly ask: Ask;
}

/** An entry of any log. */
export type Entry = LogEntryOf<LogKind>;

/** A read in progress, and the allowance that it uses. */
interface SharedRead {
  readonly answer: Promise<readonly Entry[]>;
  readonly allowance: Allowance;
}

// The contract's limit; more would be filtered and formatted in vain.
const MOST = 1000;

/** Reads logs. Concurrent requests for the same log share one read. */
export type Listings = ReturnType<typeof createListings>;

/** Creates {@link Listings}. */
export function createListings() {
  const underWay = new Map<string, SharedRead>();
  return {
    /**
     * Reads the newest entries, 1,000 at most.
     *
     * @param caller the one that the project was opened for.
     */
    list(
      { connection, ask }: Project,
      kind: LogKind,
      { allowance, aside }: Pick<ServiceCaller, "allowance" | "aside">,
    ): Promise<readonly Entry[]> {
      const { teamId, projectId, baseUrl, connectedAt } = connection;
      const key = JSON.stringify([teamId, projectId, baseUrl, connectedAt, kind]);
      const known = underWay.get(key);
      if (known) {
        allowance.share(known.allowance);
        return aside(() => known.answer);
      }
      const answer = ask((client) => client.logs.list(kind, { project_id: projectId }))
        .then((entries): readonly Entry[] => entries.slice(0, MOST))
        .finally(() => underWay.delete(key));
      underWay.set(key, { answer, allowance });
      return aside(() => answer);
    },
  };
}
