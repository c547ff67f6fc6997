import { AsyncLocalStorage } from "node:async_hooks";
import { getHeapStatistics } from "node:v8";
import {
  type CallOptions,
  createMediaClient,
  type Fetch,
  type LogCounts,
  type LogEntryOf,
  type LogKind,
  type LogPage,
  type MediaClient,
  MediaError,
} from "@media-ops/sdk";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Aside } from "../work/jobs.js";
import type { Connection, Connections } from "./connections.js";
import type { Services } from "./services.js";

/** Makes one call when it is the caller's turn; it throws the client's errors, and those of {@link Services}. */
export type Ask = <T>(call: (client: MediaClient, options: CallOptions) => Promise<T>) => Promise<T>;

/** Reads a log, unless the same is being read already: concurrent requests share one read. */
type Share<T> = (what: string, read: () => Promise<T>) => Promise<T>;

/** A project with a client for its service, and what requests with the same connection read together. */
export interface Project {
  readonly id: string;
  readonly connection: Connection;
  readonly ask: Ask;
  readonly shared: { readonly counts: Share<LogCounts>; readonly pages: Share<LogPage<LogKind>> };
}

/** An entry of any log. */
export type Entry = LogEntryOf<LogKind>;

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

/** A service's address, and the key for it. */
interface Target extends Pick<Connection, "teamId" | "projectId" | "baseUrl"> {
  readonly apiKey: string;
}

/** A client with the reads that are under way. */
interface KnownService {
  readonly client: MediaClient;
  readonly counts: UnderWay<LogCounts>;
  readonly pages: UnderWay<LogPage<LogKind>>;
}

type UnderWay<T> = Map<string, { readonly answer: Promise<T>; readonly allowance: Allowance }>;

// 1,000 entries of 8 kB: some ten times the size of what a service of this project sends.
const MAX_RESPONSE_BYTES = 8 * 2 ** 20;
const MOST_CLIENTS = 1000;

/** Creates clients of services. */
export type Clients = ReturnType<typeof createClients>;

/** Creates {@link Clients}. */
export function createClients({
  connections,
  services,
  log,
  now,
  fetch = globalThis.fetch,
}: {
  connections: Connections;
  services: Services;
  log: Logger;
  now: () => number;
  fetch?: Fetch | undefined;
}) {
  const send = onceMore(fetch);
  const readers = new AsyncLocalStorage<Allowance>();
  // A client remembers what its service does not know, so that it isn't asked for that each time.
  const known = new LRUCache<string, KnownService>({ max: MOST_CLIENTS });

  const clientFor = ({ teamId, projectId, baseUrl, apiKey }: Target): MediaClient => {
    const logger = log.child({ team: teamId, project: projectId });
    return createMediaClient({
      baseUrl,
      apiKey,
      from: "bot",
      now,
      fetch: async (input, init) => weighAnswer(await send(input, init), readers.getStore()),
      maxResponseBytes: MAX_RESPONSE_BYTES,
      // The bot tells the person when to try again, instead of waiting itself.
      maxRetries: 0,
      headers: { "user-agent": "media-ops-bot" },
      logger: { debug: (message) => logger.debug(message), warn: (message) => logger.warn(message) },
    });
  };
  const askWith = (
    client: MediaClient,
    { teamId, projectId, baseUrl }: Omit<Target, "apiKey">,
    { turnOf, allowance, answerBy, aside }: ServiceCaller,
  ): Ask => {
    const target = { teamId, projectId, baseUrl, turnOf, answerBy, request: allowance };
    return (call) =>
      aside(() => services.send(target, (timeoutMs) => readers.run(allowance, () => call(client, { timeoutMs }))));
  };
  return {
    /** Calls an address with a key that are not stored yet. */
    to: (target: Target, caller: ServiceCaller): Ask => askWith(clientFor(target), target, caller),
    /**
     * A client for background work, whose calls the service holds: they take no turns with those of people. Throws {@link
     * NotConnectedError} if the connection was removed.
     */
    following: async (connection: Connection): Promise<MediaClient> =>
      clientFor({ ...connection, apiKey: await connections.apiKeyOf(connection) }),
    /** @throws {NotConnectedError} if the connection was removed. */
    async of(connection: Connection, caller: ServiceCaller): Promise<Pick<Project, "ask" | "shared">> {
      // Read each time: the connection may have been removed, or have another key.
      const apiKey = await connections.apiKeyOf(connection);
      const { teamId, projectId, baseUrl } = connection;
      const id = JSON.stringify([teamId, projectId, baseUrl, apiKey]);
      const service = known.get(id) ?? {
        client: clientFor({ ...connection, apiKey }),
        counts: new Map(),
        pages: new Map(),
      };
      known.set(id, service);
      return {
        ask: askWith(service.client, connection, caller),
        shared: { counts: shareIn(service.counts, caller), pages: shareIn(service.pages, caller) },
      };
    },
  };
}

function shareIn<T>(underWay: UnderWay<T>, { allowance, aside }: Pick<ServiceCaller, "allowance" | "aside">): Share<T> {
  return (what, read) => {
    const known = underWay.get(what);
    if (known) {
      allowance.share(known.allowance);
      return aside(() => known.answer);
    }
    const answer = read().finally(() => underWay.delete(what));
    underWay.set(what, { answer, allowance });
    return answer;
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
export function weighAnswer(response: Response, allowance: Pick<Allowance, "take"> | undefined): Response {
  if (!response.body || !allowance) return response;
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

/** The amount that one request may still read. */
export interface Allowance {
  /** Takes bytes until the request ends; throws {@link NoRoomError} after that, and beyond the budget. */
  take(bytes: number): void;
  /** Keeps another request's bytes in use until this request ends, because both use the same answer. */
  share(other: Allowance): void;
  /** Keeps all bytes in use until the returned function is called. */
  hold(): () => void;
  /** Returns the bytes to the budget, as soon as no other request shares them. */
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

// A byte of an answer needs up to six on the heap: its text, the parsed values, and the file or message made of them.
const SHARE_OF_HEAP = 1 / 8;
// One workspace's share of this is parsed and shown in less than a second.
const MOST_BYTES = 128 * 2 ** 20;

/** Limits how much of the services' answers the bot holds in memory at once. */
export type ReadBudget = ReturnType<typeof createReadBudget>;

/** Creates a {@link ReadBudget}; a workspace gets less than the total, so that none can block the others. */
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
      const hold = () => {
        holders += 1;
        return () => {
          holders -= 1;
          if (holders > 0) return;
          add(teamId, -taken);
          taken = 0;
        };
      };
      const held = [hold()];
      return {
        take(bytes) {
          const isTooMuch = sum + bytes > total || (inUse.get(teamId) ?? 0) + bytes > perTeam;
          if (holders === 0 || isTooMuch) throw new NoRoomError(teamId);
          taken += bytes;
          add(teamId, bytes);
        },
        hold,
        share: (other) => void held.push(other.hold()),
        end() {
          for (const release of held.splice(0)) release();
        },
      };
    },
  };
}
