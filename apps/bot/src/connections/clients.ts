import { createMediaClient, type Fetch, type LogEntryOf, type LogKind, type MediaClient } from "@media-ops/sdk";
import type { Logger } from "pino";
import type { Aside } from "../work/jobs.js";
import type { Connection, Connections } from "./connections.js";
import type { Allowance } from "./read-budget.js";
import type { Services } from "./services.js";

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

// What a parsed value costs beside its text: 32 bytes count as up to 200 on the heap. An answer of nothing but `{}` takes
// twenty times its length there, and a second of CPU for every 8 MB.
const BYTES_PER_VALUE = 32;

/** The same answer, whose body is paid for from the allowance while it is read: its unfolded bytes, and its JSON values. */
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

/** A project that can be asked. */
export interface Project {
  readonly id: string;
  readonly connection: Connection;
  readonly ask: Ask;
}

export type Entry = LogEntryOf<LogKind>;

/** Asks for logs. Concurrent requests for the same log share one answer. */
export interface Listings {
  /**
   * The newest entries, 1,000 at most.
   *
   * @param caller The one that the project was opened for.
   */
  list(project: Project, kind: LogKind, caller: Pick<Caller, "allowance" | "aside">): Promise<readonly Entry[]>;
}

/** A question that is under way, and who pays for its answer. */
interface SharedRead {
  readonly answer: Promise<readonly Entry[]>;
  readonly allowance: Allowance;
}

/** As many entries as the contract lets a service list. More would be filtered and drawn for nothing. */
const MOST = 1000;

export function createListings(): Listings {
  const underWay = new Map<string, SharedRead>();
  return {
    list({ connection, ask }, kind, { allowance, aside }) {
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
