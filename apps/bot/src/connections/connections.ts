import { AsyncLocalStorage } from "node:async_hooks";
import { getHeapStatistics } from "node:v8";
import { nearestOf } from "@media-ops/commands";
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
  MediaTimeoutError,
} from "@media-ops/sdk";
import type { Vault } from "@media-ops/secrets";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import type { Storage } from "../storage/open-storage.js";
import { fromRow, toRow } from "../storage/tables.js";
import { type Aside, createTurns, type Turns, within } from "../work/jobs.js";

/** A project of which a workspace can read the logs and create tokens. */
export interface Connection {
  readonly teamId: string;
  readonly projectId: string;
  readonly baseUrl: string;
  /** Who connected it, and when in ms since 1970; undefined for the environment's connection. */
  readonly connectedBy?: string | undefined;
  readonly connectedAt?: number | undefined;
}

/** The projects that are used if a command names none. */
export interface Defaults {
  readonly workspace: string | undefined;
  readonly channels: ReadonlyMap<string, string>;
}

interface Change {
  readonly teamId: string;
  readonly projectId: string;
  readonly userId: string;
}

/** The connection was removed or replaced. */
export class NotConnectedError extends Error {
  override readonly name = "NotConnectedError";

  constructor(projectId: string) {
    super(`The workspace is no longer connected to ${projectId}.`);
  }
}

// The channel id under which the default of the whole workspace is stored.
const WHOLE_WORKSPACE = "";

/** The purpose contains the address, so that write access to the database isn't enough to redirect the key. */
export const connectionPurpose = (teamId: string, projectId: string, baseUrl: string): string =>
  `connection ${JSON.stringify([teamId, projectId, baseUrl])}`;

/** The connections and default projects of all workspaces. */
export class Connections {
  readonly #query;
  readonly #vault: Vault;
  readonly #media: Config["media"];
  readonly #now: () => number;

  /** @param media the environment's connection, which every workspace has. */
  constructor({ query, vault }: Storage, media: Config["media"], now: () => number) {
    this.#query = query;
    this.#vault = vault;
    this.#media = media;
    this.#now = now;
  }

  /** All connections by project, including the environment's unless the workspace has its own to the same project. */
  async all(teamId: string): Promise<Connection[]> {
    const rows = await this.#query
      .selectFrom("connection")
      .select(["team_id", "project_id", "base_url", "connected_by", "connected_at"])
      .where("team_id", "=", teamId)
      .execute();
    const all: Connection[] = rows.map(fromRow);
    if (this.#media && !all.some(({ projectId }) => projectId === this.#media?.projectId)) {
      const { projectId, baseUrl } = this.#media;
      all.push({ teamId, projectId, baseUrl });
    }
    return all.sort((a, b) => (a.projectId < b.projectId ? -1 : 1));
  }

  /** @throws {NotConnectedError} if the connection was removed or replaced. */
  async apiKeyOf({ teamId, projectId, baseUrl, connectedBy }: Connection): Promise<string> {
    if (connectedBy === undefined) {
      if (this.#media?.projectId !== projectId) throw new NotConnectedError(projectId);
      return this.#media.apiKey;
    }
    const row = await this.#query
      .selectFrom("connection")
      .select("sealed")
      .where((row) => row.and({ team_id: teamId, project_id: projectId }))
      // The key must not be sent to any other address.
      .where("base_url", "=", baseUrl)
      .executeTakeFirst();
    if (!row) throw new NotConnectedError(projectId);
    return this.#vault.open(row.sealed, connectionPurpose(teamId, projectId, baseUrl));
  }

  /** Adds a connection, or replaces the workspace's connection to the same project. */
  async add({ apiKey, userId, ...to }: Change & { baseUrl: string; apiKey: string }): Promise<void> {
    const { teamId, projectId, baseUrl } = to;
    const sealed = await this.#vault.seal(apiKey, connectionPurpose(teamId, projectId, baseUrl));
    const row = toRow({ projectId, baseUrl, sealed, connectedBy: userId, connectedAt: this.#now() });
    await this.#query
      .insertInto("connection")
      .values({ team_id: teamId, ...row })
      .onConflict((conflict) => conflict.columns(["team_id", "project_id"]).doUpdateSet(row))
      .execute();
  }

  /** Removes a connection and the defaults that name it; false if the workspace has none of its own to this project. */
  remove(teamId: string, projectId: string): Promise<boolean> {
    return this.#query.transaction().execute(async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom("connection")
        .where((row) => row.and({ team_id: teamId, project_id: projectId }))
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await transaction
        .deleteFrom("connection_default")
        .where((row) => row.and({ team_id: teamId, project_id: projectId }))
        .execute();
      return true;
    });
  }

  async defaults(teamId: string): Promise<Defaults> {
    const rows = await this.#query
      .selectFrom("connection_default")
      .select(["channel_id", "project_id"])
      .where("team_id", "=", teamId)
      .execute();
    const channels = new Map(rows.map((row) => [row.channel_id, row.project_id]));
    const workspace = channels.get(WHOLE_WORKSPACE);
    channels.delete(WHOLE_WORKSPACE);
    return { workspace, channels };
  }

  /** Sets the project that commands use if they name none, in a channel or in the whole workspace. */
  async setDefault(change: Change & { channelId: string | undefined }): Promise<void> {
    const { teamId, channelId = WHOLE_WORKSPACE, projectId, userId } = change;
    const row = toRow({ channelId, projectId, setBy: userId, setAt: this.#now() });
    await this.#query
      .insertInto("connection_default")
      .values({ team_id: teamId, ...row })
      .onConflict((conflict) => conflict.columns(["team_id", "channel_id"]).doUpdateSet(row))
      .execute();
  }
}

/** Why no connection was chosen. */
export interface NotChosen {
  readonly ok: false;
  /** none: no project is connected. unknown: no project has this name. several: the choice is ambiguous. */
  readonly why: "none" | "unknown" | "several";
  readonly connections: readonly Connection[];
  readonly asked?: string | undefined;
  readonly nearest?: string | undefined;
}

/** Chooses the named project, the channel's default, the workspace's default, or the only project. */
export function chooseConnection(
  connections: readonly Connection[],
  { workspace, channels }: Defaults,
  channelId: string | undefined,
  asked: string | undefined,
): { readonly ok: true; readonly connection: Connection } | NotChosen {
  const [only] = connections;
  if (!only) return { ok: false, why: "none", connections, asked };
  const to = (projectId: string | undefined): Connection | undefined =>
    connections.find((connection) => connection.projectId === projectId);
  if (asked !== undefined) {
    const connection = to(asked);
    if (connection) return { ok: true, connection };
    const names = connections.map(({ projectId }) => projectId);
    return { ok: false, why: "unknown", connections, asked, nearest: nearestOf(asked, names) };
  }
  // A default may name a project that is no longer connected.
  const connection =
    to(channelId === undefined ? undefined : channels.get(channelId)) ??
    to(workspace) ??
    (connections.length === 1 ? only : undefined);
  return connection ? { ok: true, connection } : { ok: false, why: "several", connections };
}

/** A circuit breaker: after several timeouts in a row, requests fail at once, except for one attempt per pause. */
export type Circuit =
  | { readonly is: "closed"; readonly timeouts: number; readonly silentSince: number; readonly request?: object }
  | {
      readonly is: "open";
      readonly silentSince: number;
      readonly lastTriedAt: number;
      readonly retryAt: number;
      /** What tries now; all of its calls are sent. */
      readonly request?: object;
    };

/** Why a service is not called now. */
export interface Silence {
  readonly silentForMs: number;
  /** In ms since 1970. */
  readonly lastTriedAt: number;
  readonly retryInMs: number;
}

/** The state of a service that is not known to be silent. */
export const CLOSED: Circuit = { is: "closed", timeouts: 0, silentSince: 0 };

// Two timeouts may be a coincidence. Each keeps a person waiting for 8 s.
const TIMEOUTS_TO_OPEN = 3;
/** The pause between attempts. Longer than a timeout, so that one request at a time is sent. */
export const PAUSE_MS = 15_000;

/** Why no call of a request may be sent; undefined if one may. */
export function silenceOf(circuit: Circuit, now: number, request?: object): Silence | undefined {
  if (circuit.is === "closed" || (request !== undefined && circuit.request === request)) return undefined;
  const { silentSince, lastTriedAt, retryAt } = circuit;
  const retryInMs = retryAt - now;
  // Only a clock that was set back can leave more than one pause.
  if (retryInMs <= 0 || retryInMs > PAUSE_MS) return undefined;
  return { silentForMs: Math.max(0, now - silentSince), lastTriedAt, retryInMs };
}

/** The circuit after a call of a request was sent. */
export function onSent(circuit: Circuit, now: number, request: object): Circuit {
  return circuit.is === "closed" ? circuit : { ...circuit, lastTriedAt: now, retryAt: now + PAUSE_MS, request };
}

/** The circuit after a call of a request timed out. Calls of the same request are made together, and count once. */
export function onTimeout(circuit: Circuit, sentAt: number, now: number, request: object): Circuit {
  if (circuit.is === "open" || circuit.request === request) return circuit;
  const timeouts = circuit.timeouts + 1;
  const silentSince = circuit.timeouts === 0 ? sentAt : circuit.silentSince;
  if (timeouts < TIMEOUTS_TO_OPEN) return { is: "closed", timeouts, silentSince, request };
  return { is: "open", silentSince, lastTriedAt: sentAt, retryAt: now + PAUSE_MS };
}

interface Target {
  readonly teamId: string;
  /** The requests of one workspace take turns by this key. */
  readonly turnOf: string;
  readonly projectId: string;
  readonly baseUrl: string;
  /** What the call is made for; a request may make several calls at once. */
  readonly request: object;
  /** The latest time for an answer; in ms since 1970. */
  readonly answerBy: number;
}

type ProjectService = Pick<Target, "projectId" | "baseUrl">;

/** The service did not answer several requests in a row, so this one was not sent. */
export class ServiceSilentError extends MediaError {
  declare readonly code: "Timeout";
  readonly service: ProjectService;
  readonly silence: Silence;

  constructor({ projectId, baseUrl }: ProjectService, silence: Silence) {
    super("The request was not sent: the service did not answer the last ones.", {
      code: "Timeout",
      name: "ServiceSilentError",
    });
    this.service = { projectId, baseUrl };
    this.silence = silence;
  }
}

/** Too many requests wait for the service, or it answers too slowly for all of them, so this one was not sent. */
export class ServiceBusyError extends MediaError {
  declare readonly code: "TooManyRequests";
  readonly service: ProjectService;
  /** How long it waited for its turn; 0 if the line was full. */
  readonly waitedMs: number;

  constructor({ projectId, baseUrl }: ProjectService, waitedMs: number) {
    super(`The request was not sent: others to the same service came first, and it waited ${waitedMs} ms for them.`, {
      code: "TooManyRequests",
      name: "ServiceBusyError",
    });
    this.service = { projectId, baseUrl };
    this.waitedMs = waitedMs;
  }
}

// Together with the wait for a turn, this is about as long as people wait for an answer.
const TIMEOUT_MS = 8000;
const MAX_WAIT_MS = 5000;
// Slots for one workspace and service: enough for a status request, and for a busy channel.
const AT_ONCE = 8;
const PER_PERSON = AT_ONCE / 2;
const MOST_WAITING = 100;
const MOST_WAITING_PER_PERSON = 20;
// A request that was delayed earlier still gets a chance.
const SHORTEST_TIMEOUT_MS = 1000;
const MOST_CIRCUITS = 10_000;

/** Decides when a request is sent to a service, so that a slow or silent service delays no other requests. */
export type Services = ReturnType<typeof createServices>;

/** Creates {@link Services}: a request may take so long, after it has waited for its turn. */
export function createServices(now: () => number, log: Logger, timeoutMs = TIMEOUT_MS, maxWaitMs = MAX_WAIT_MS) {
  // By URL: a service that is silent for one workspace is silent for all. Contains only services that had a timeout.
  const circuits = new LRUCache<string, Circuit>({ max: MOST_CIRCUITS });
  const gates = new Map<string, Turns>();
  const circuitOf = (baseUrl: string): Circuit => circuits.get(baseUrl) ?? CLOSED;

  function refuseIfSilent(target: Target): void {
    const silence = silenceOf(circuitOf(target.baseUrl), now(), target.request);
    if (silence) throw new ServiceSilentError(target, silence);
  }

  function timedOut({ baseUrl, request }: Target, sentAt: number): void {
    const before = circuitOf(baseUrl);
    const after = onTimeout(before, sentAt, now(), request);
    circuits.set(baseUrl, after);
    if (before.is === after.is || after.is === "closed") return;
    const words = "a service did not answer several requests in a row; requests to it now fail at once for a while";
    log.warn({ baseUrl }, words);
  }

  function answered({ baseUrl }: Target): void {
    if (circuitOf(baseUrl).is === "open") log.info({ baseUrl }, "a service answers again");
    circuits.delete(baseUrl);
  }

  async function call<T>(target: Target, send: (timeoutMs: number) => Promise<T>): Promise<T> {
    const sentAt = now();
    const circuit = circuitOf(target.baseUrl);
    if (circuit.is === "open") circuits.set(target.baseUrl, onSent(circuit, sentAt, target.request));
    const leftMs = Math.min(timeoutMs, Math.max(SHORTEST_TIMEOUT_MS, target.answerBy - sentAt));
    try {
      const answer = await send(leftMs);
      answered(target);
      return answer;
    } catch (error) {
      if (!(error instanceof MediaTimeoutError)) answered(target);
      // A timeout that was shortened does not prove that the service is silent.
      else if (leftMs === timeoutMs) timedOut(target, sentAt);
      throw error;
    }
  }

  return {
    /** Sends a request with a timeout when it is its turn; throws {@link ServiceSilentError} or {@link ServiceBusyError}. */
    async send<T>(target: Target, send: (timeoutMs: number) => Promise<T>): Promise<T> {
      refuseIfSilent(target);
      const { teamId, turnOf, baseUrl } = target;
      const key = JSON.stringify([teamId, baseUrl]);
      const gate = gates.get(key) ?? createTurns({ atOnce: AT_ONCE, perPerson: PER_PERSON });
      if (gate.waiting() >= MOST_WAITING || gate.waiting(turnOf) >= MOST_WAITING_PER_PERSON) {
        throw new ServiceBusyError(target, 0);
      }
      gates.set(key, gate);
      const turn = gate.join(turnOf);
      try {
        await within(maxWaitMs, turn.ready, () => new ServiceBusyError(target, maxWaitMs));
        // Another request may have timed out while this one waited.
        refuseIfSilent(target);
        return await call(target, send);
      } finally {
        turn.end();
        if (gate.isIdle) gates.delete(key);
      }
    },
  };
}

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
  readonly allowance: Allowance;
  /** The latest time for an answer; in ms since 1970. */
  readonly answerBy: number;
  /** Lets other jobs run while the service answers. */
  readonly aside: Aside;
}

interface Keyed extends Pick<Connection, "teamId" | "projectId" | "baseUrl"> {
  readonly apiKey: string;
}

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

  const clientFor = ({ teamId, projectId, baseUrl, apiKey }: Keyed): MediaClient => {
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
    { teamId, projectId, baseUrl }: Connection,
    { turnOf, allowance, answerBy, aside }: ServiceCaller,
  ): Ask => {
    const target = { teamId, projectId, baseUrl, turnOf, answerBy, request: allowance };
    return (call) =>
      aside(() => services.send(target, (timeoutMs) => readers.run(allowance, () => call(client, { timeoutMs }))));
  };
  return {
    /** Calls an address with a key that are not stored yet. */
    to: (target: Keyed, caller: ServiceCaller): Ask => askWith(clientFor(target), target, caller),
    /** A client whose calls the service holds, so they take no turns; {@link NotConnectedError} if it is removed. */
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
