import { getHeapStatistics } from "node:v8";
import {
  createMediaClient,
  type Fetch,
  type LogEntryOf,
  type LogKind,
  type MediaClient,
  MediaError,
} from "@media-ops/sdk";
import type { Logger } from "pino";
import type { Aside } from "../work/jobs.js";
import type { Connection, Connections } from "./connections.js";
import type { Services } from "./services.js";

/**
 * Calls a service when it is the caller's turn; in addition to the client's errors, it throws those of {@link
 * Services}.
 *
 * @param call makes one call of the client.
 */
export type Ask = <T>(call: (client: MediaClient) => Promise<T>) => Promise<T>;

/** The caller of a service, and its limits. */
export interface ServiceCaller {
  /** The person or background job; they take turns if one workspace has several requests to a service. */
  readonly turnOf: string;
  /** Limits how much the caller may read. */
  readonly allowance: Allowance;
  /** The latest time for an answer; in ms since 1970. */
  readonly answerBy: number;
  /** Lets other jobs run while the service answers. */
  readonly aside: Aside;
}

// 1,000 entries of 8 kB: some ten times the size of what a service of this project sends.
const MAX_RESPONSE_BYTES = 8 * 2 ** 20;

/** Creates clients of services. */
export type Clients = ReturnType<typeof createClients>;

/** Creates {@link Clients}. */
export function createClients({
  connections,
  services,
  log,
  fetch = globalThis.fetch,
}: {
  connections: Connections;
  services: Services;
  log: Logger;
  fetch?: Fetch | undefined;
}) {
  const send = onceMore(fetch);
  const to = (
    { teamId, projectId, baseUrl, apiKey }: Pick<Connection, "teamId" | "projectId" | "baseUrl"> & { apiKey: string },
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
        // The bot tells the person when to try again, instead of waiting itself.
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

/** Retries a request once if the connection broke: the service may just have closed a kept-alive connection. */
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

// The cost of a parsed value in addition to its text: an answer that contains only `{}` needs twenty times its length
// on the heap, and a second of CPU for every 8 MB.
const BYTES_PER_VALUE = 32;

/** The same answer; reading its body takes its bytes and JSON values out of the allowance. */
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

/** Counts the JSON values in a text that arrives in chunks, before it is parsed; never too few. */
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

// The contract's limit; filtering and formatting more would be wasted.
const MOST = 1000;

/** Reads logs. Concurrent requests for the same log share one read. */
export type Listings = ReturnType<typeof createListings>;

/** Creates {@link Listings}. */
export function createListings() {
  const underWay = new Map<string, { answer: Promise<readonly Entry[]>; allowance: Allowance }>();
  return {
    /**
     * Reads the newest entries, 1,000 at most.
     *
     * @param caller the caller that the project was opened for.
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

/** The amount that one request may still read. */
export interface Allowance {
  /**
   * Takes bytes until the request ends.
   *
   * @throws {NoRoomError} after `end`, and if the workspace or the whole bot would exceed its budget.
   */
  take(bytes: number): void;
  /** Keeps another request's bytes in use, because this request works with the same answer. */
  share(other: Allowance): void;
  /** Keeps all bytes in use until the returned function is called. */
  hold(): () => void;
  /** Returns all bytes to the budget. */
  end(): void;
}

/** The answer exceeds the budget. A `MediaError`, so that the client throws it unchanged. */
export class NoRoomError extends MediaError {
  declare readonly code: "TooManyRequests";

  constructor(teamId: string) {
    super(`The answer was not read: the workspace ${teamId} or all of them hold as much as the bot may read at once.`, {
      code: "TooManyRequests",
      name: "NoRoomError",
    });
  }
}

const MB = 2 ** 20;
// A byte of an answer needs up to six on the heap: its text, the parsed values, and the file or message made of them.
const SHARE_OF_HEAP = 1 / 8;
// One workspace's share of this is parsed and shown in less than a second.
const MOST_BYTES = 128 * MB;

/** Limits how much of the services' answers the bot holds in memory at once. */
export type ReadBudget = ReturnType<typeof createReadBudget>;

/**
 * Creates a {@link ReadBudget}.
 *
 * @param total bytes for all workspaces together.
 * @param perTeam bytes for one workspace: less than the total, so that no workspace can block the others.
 */
export function createReadBudget(
  total = Math.min(MOST_BYTES, getHeapStatistics().heap_size_limit * SHARE_OF_HEAP),
  perTeam = total / 4,
) {
  const inUse = new Map<string, number>();
  let sum = 0;

  function add(teamId: string, bytes: number): void {
    sum += bytes;
    const ofTeam = (inUse.get(teamId) ?? 0) + bytes;
    if (ofTeam > 0) inUse.set(teamId, ofTeam);
    else inUse.delete(teamId);
  }

  return {
    /** Opens an allowance for one request of a workspace. */
    open(teamId: string): Allowance {
      let taken = 0;
      let holders = 0;
      let hasEnded = false;
      const shared: (() => void)[] = [];

      const hold = (): (() => void) => {
        holders += 1;
        return () => {
          holders -= 1;
          if (holders > 0) return;
          add(teamId, -taken);
          taken = 0;
        };
      };
      const drop = hold();

      return {
        take(bytes) {
          const isTooMuch = sum + bytes > total || (inUse.get(teamId) ?? 0) + bytes > perTeam;
          if (hasEnded || isTooMuch) throw new NoRoomError(teamId);
          taken += bytes;
          add(teamId, bytes);
        },
        share(other) {
          shared.push(other.hold());
        },
        hold,
        end() {
          if (hasEnded) return;
          hasEnded = true;
          for (const dropShared of shared) dropShared();
          drop();
        },
      };
    },
  };
}
