import {
  type CountLogsRequest,
  type Delivery,
  type ListLiveChannelsRequest,
  type LiveChannel,
  type LogEntryOf,
  type LogKind,
  logPaths,
  type ProblemError,
  type WebhookEndpoint,
  type WebhookLogEntry,
} from "@media-ops/contract";
import { isEverywhere, MAX_ENTRIES } from "../api.js";
import type { Fetch } from "../options.js";
import { pause } from "../retry.js";
import { checkKind } from "../search.js";
import { timeKey } from "../time.js";
import { defaults, listLive, type NewLiveChannel, toLive } from "./entries.js";
import { checkFailure, type FakeFailure, problemResponse, untilAborted } from "./failures.js";
import { countOf, newest, newPage, type Page, type Row, type Search, searchOf } from "./logs.js";
import { createManaged, type NewWebhookEndpoint } from "./managed.js";

const kindOf = new Map<string, LogKind>(Object.entries(logPaths).map(([kind, path]) => [path, kind as LogKind]));
const COUNT = "/orgs/count-logs";
const LIVE = "/orgs/list-live-channels";

/** Options of the fake service. */
export interface FakeMediaServiceOptions {
  /**
   * The project of the API key.
   * @default "demo"
   */
  projectId?: string;
  /**
   * The only API key that is accepted.
   * @default a key that is valid nowhere else
   */
  apiKey?: string;
  /**
   * The clock, in milliseconds since 1970.
   * @default Date.now
   */
  now?: () => number;
  /**
   * Whether it has what goes beyond the six operations: searches, counts, the event log, live channels, and the
   * operations on tokens, deliveries, endpoints and the audit log. With `false` it refuses unknown members with 400; with
   * `"ignored"`, it ignores them.
   * @default true
   */
  extensions?: boolean | "ignored";
  /**
   * How many entries a search reads before it answers with what it has found, like one that takes long.
   * @default Infinity
   */
  maxScanned?: number;
}

/** A call that the fake service received. */
export interface FakeCall {
  /** For example `/orgs/list-webhook-logs`. */
  path: string;
  /** The program that made the call, as in `createMediaClient({ from: "bot" })`. */
  from: string | undefined;
  method: string;
  headers: Headers;
  /** The JSON body, or the text if it is not JSON. */
  body: unknown;
}

/** The service in memory: it answers as in the contract, and fails on request. */
export interface FakeMediaService {
  /** The options for a client: `createMediaClient(service.clientOptions)`. */
  readonly clientOptions: { baseUrl: string; apiKey: string; fetch: Fetch; dangerouslyAllowBrowser: true };
  /** Answers like the service, as a replacement for `fetch`. */
  readonly fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>;
  /** All calls so far, oldest first. */
  readonly calls: readonly FakeCall[];
  /**
   * Adds entries to a log. Missing fields are filled in; the default timestamp is now.
   *
   * @example service.add("webhooks", { status: 500 }, { status: 0, timestamp: "2026-04-01T09:30:15.482913Z" })
   */
  add<K extends LogKind>(kind: K, ...entries: Partial<LogEntryOf<K>>[]): LogEntryOf<K>[];
  /**
   * Sets the channels that have connections now. Missing fields follow from `clients`; without these, a channel has one
   * connection.
   *
   * @example service.setLive({ channel_id: "lobby@demo", clients: [{ connection_id: "c1", state: "connected" }] })
   */
  setLive(...channels: NewLiveChannel[]): LiveChannel[];
  /**
   * Adds deliveries to the event webhook, or replaces those with the same `delivery_id`. Missing fields are filled in; by
   * default it was delivered now.
   *
   * @example service.addDeliveries({ state: "failed", event_id: "2M4EXK7C4R8ZB5HW1NA0J9V6TQ" })
   */
  addDeliveries(...deliveries: Partial<Delivery>[]): Delivery[];
  /**
   * Sets the project's webhook endpoints. Missing fields are filled in.
   *
   * @example service.setEndpoints({ kind: "event", state: "off", off_reason: "the receiver answered 410" })
   */
  setEndpoints(...endpoints: NewWebhookEndpoint[]): WebhookEndpoint[];
  /**
   * Makes the next call fail, or the next few; further failures are queued.
   *
   * @example service.fail({ status: 429, retryAfter: 1 }); service.fail("connection", 2);
   */
  fail(failure: FakeFailure, times?: number): void;
  /** Removes everything that was added, set or recorded, and the failures. */
  reset(): void;
}

/**
 * Creates a fake of the service for tests of other programs: no request leaves the process.
 *
 * @example
 * const service = createFakeMediaService();
 * service.add("webhooks", { status: 500 });
 * const client = createMediaClient(service.clientOptions);
 * const [entry] = await client.logs.webhooks();
 */
export function createFakeMediaService({
  projectId = "demo",
  apiKey = "mo_fake_goodInTestsOnly-AndNowhereElse-0123456789ab",
  now = Date.now,
  extensions = true,
  maxScanned = Number.POSITIVE_INFINITY,
}: FakeMediaServiceOptions = {}): FakeMediaService {
  const logs = new Map<LogKind, Row[]>();
  const rowsOf = (kind: LogKind): Row[] => logs.get(kind) ?? [];
  // Calls that are held until an entry is added.
  const held = new Set<AbortController>();
  const calls: FakeCall[] = [];
  const failures: FakeFailure[] = [];
  let live: LiveChannel[] = [];
  const managed = createManaged({ apiKey, now, live: () => live });

  async function fetch(input: Request | string | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const { pathname: path, searchParams } = new URL(request.url);
    const text = await request.text();
    const { method, headers } = request;
    calls.push({ path, from: searchParams.get("from") ?? undefined, method, headers, body: parse(text) });

    const failure = failures.shift();
    if (typeof failure === "function") return failure();
    if (failure === "connection") throw new TypeError("fetch failed: the fake service broke the connection");
    if (failure === "silence") return untilAborted([request, input]);
    if (failure === "html") {
      return new Response("<!doctype html><title>Welcome</title>", { headers: { "content-type": "text/html" } });
    }
    if (typeof failure === "object") {
      const { status, detail = "The test asked for this failure.", retryAfter, errors } = failure;
      const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
      return problemResponse(status, detail, crypto.randomUUID(), { errors, headers });
    }
    const answer = await respond(request, path, text);
    if (failure !== "cut-off") return answer;
    const body = await answer.text();
    return new Response(body.slice(0, body.length / 2), answer);
  }

  async function respond(request: Request, path: string, text: string): Promise<Response> {
    const requestId = crypto.randomUUID();
    const refuse = (status: number, detail: string, more?: Parameters<typeof problemResponse>[3]): Response =>
      problemResponse(status, detail, requestId, more);
    const refuseFaults = (...errors: ProblemError[]): Response =>
      refuse(400, "Mend the faults and send the request again.", { errors });
    const json = (body: unknown, headers: Record<string, string> = {}): Response =>
      Response.json(body, {
        headers: { ...headers, "content-type": "application/json; charset=UTF-8", "x-request-id": requestId },
      });

    // Its tokens are signed with the API key, which has no public part.
    if (path === "/.well-known/jwks.json" && extensions === true && request.method === "GET") return json({ keys: [] });
    const isKnown = kindOf.has(path) || path === COUNT || path === LIVE || Object.hasOwn(managed.operations, path);
    if (!isKnown || (extensions !== true && !isEverywhere(path))) return refuse(404, `There is nothing at ${path}.`);
    if (request.method !== "POST") {
      return refuse(405, "This operation takes POST only.", { headers: { allow: "POST" } });
    }
    if (request.headers.get("authorization") !== `Bearer ${apiKey}`) {
      return refuse(401, "The API key is missing, unknown or revoked.", { headers: { "www-authenticate": "Bearer" } });
    }
    const body = Object(parse(text || "{}"));
    const { project_id = projectId, channel_id }: ListLiveChannelsRequest = body;
    if (project_id !== projectId) return refuse(403, "This API key belongs to another project.");
    if (channel_id !== undefined && !/.@[^@]+$/.test(channel_id)) {
      return refuseFaults({ pointer: "/channel_id", detail: "Must be <channel_name>@<project_id>." });
    }
    if (channel_id !== undefined && channel_id.split("@").at(-1) !== projectId) {
      return refuse(403, "This channel belongs to another project.");
    }
    const kind = kindOf.get(path);
    if (kind) {
      const answer = await listing(kind, body, request.signal);
      return Array.isArray(answer) ? refuseFaults(...answer) : json(answer.entries, answer.headers);
    }
    if (path === COUNT) {
      const asked: CountLogsRequest = body;
      return json(countOf(rowsOf(asked.kind), asked, now()));
    }
    if (path === LIVE) return json(listLive(live, body, now()));
    const by = request.headers.get("x-requested-by") ?? undefined;
    const answer = await managed.answer(path, body, { by, request_id: requestId });
    return "fault" in answer ? refuseFaults(answer.fault) : json(answer.data);
  }

  async function listing(kind: LogKind, search: Search, signal: AbortSignal): Promise<Page | ProblemError[]> {
    const members = Object.keys(search).filter((name) => name !== "project_id");
    if (members.length > 0 && extensions === false) {
      return members.map((name) => ({ pointer: `/${name}`, detail: "Is not a known field. Known: project_id." }));
    }
    if (members.length === 0 || extensions !== true) {
      const rows = newest(rowsOf(kind), now()).slice(0, MAX_ENTRIES);
      const isPlain = kind === "webhooks" && extensions !== true;
      return { entries: rows.map(({ entry }) => (isPlain ? withoutSubject(entry) : entry)), headers: {} };
    }
    const found = searchOf(rowsOf(kind), search, { now: now(), maxScanned });
    if ("pointer" in found) return [found];
    if ("entries" in found) return found;
    const end = Date.now() + (search.wait_s ?? 0) * 1000;
    for (;;) {
      signal.throwIfAborted();
      const page = newPage(rowsOf(kind), search, found.read);
      const left = end - Date.now();
      if (page.entries.length > 0 || left <= 0) return page;
      const call = new AbortController();
      held.add(call);
      signal.addEventListener("abort", () => call.abort());
      await pause(left, call.signal);
      held.delete(call);
    }
  }

  return {
    // This key is harmless, and tests often run in a browser or a simulated one.
    clientOptions: { baseUrl: "http://media.test", apiKey, fetch, dangerouslyAllowBrowser: true },
    fetch,
    calls,
    add(kind, ...entries) {
      checkKind(kind);
      const added = entries.map((entry) => ({ ...defaults[kind](now(), projectId), ...entry }));
      const rows = rowsOf(kind);
      for (const entry of added) rows.push({ entry, at: timeKey(entry.timestamp) ?? "", seq: rows.length + 1 });
      logs.set(kind, rows);
      for (const call of held) call.abort();
      return added;
    },
    setLive(...channels) {
      live = channels.map((channel) => toLive(channel, now()));
      return live;
    },
    addDeliveries: managed.addDeliveries,
    setEndpoints: managed.setEndpoints,
    fail(failure, times = 1) {
      checkFailure(failure);
      for (let i = 0; i < times; i++) failures.push(failure);
    },
    reset() {
      logs.clear();
      live = [];
      managed.reset();
      calls.length = 0;
      failures.length = 0;
    },
  };
}

/** A webhook of a service with the six operations only, which does not say what it is about. */
function withoutSubject({ channel_id, connection_id, event_id, ...others }: Partial<WebhookLogEntry>): object {
  return others;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
