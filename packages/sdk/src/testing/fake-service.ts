import type {
  Delivery,
  ListLiveChannelsRequest,
  LiveChannel,
  LogEntryOf,
  LogKind,
  Problem,
  ProblemError,
  WebhookEndpoint,
} from "@media-ops/contract";
import type { Fetch } from "../options.js";
import { createLogs, type Operation, Refused } from "./logs.js";
import { createManaged, type NewLiveChannel, type NewWebhookEndpoint } from "./managed.js";

/** The operations that every such service has. */
const EVERYWHERE = /^\/(orgs\/list-(session|connection|api|media-api|webhook)-logs|projects\/create-access-token)$/;

/** How a call of the fake service can fail. */
export type FakeFailure =
  /** The connection breaks before a response. */
  | "connection"
  /** No response: the call ends by its timeout or its signal. */
  | "silence"
  /** 200 with an HTML page, as a proxy or a captive portal sends. */
  | "html"
  /** 200 with the first half of the response. */
  | "cut-off"
  /** A response with this status, and optionally `Retry-After`. */
  | { status: number; detail?: string; retryAfter?: number | string; errors?: ProblemError[] }
  /** Any other response. */
  | (() => Response | Promise<Response>);

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
  const calls: FakeCall[] = [];
  const failures: FakeFailure[] = [];
  const logs = createLogs({ projectId, now, extensions, maxScanned });
  const managed = createManaged({ apiKey, now });
  const operations: Readonly<Record<string, Operation>> = { ...logs.operations, ...managed.operations };

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
      return refuse(status, detail, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }, errors);
    }
    const answer = await respond(request, path, text);
    if (failure !== "cut-off") return answer;
    const body = await answer.text();
    return new Response(body.slice(0, body.length / 2), answer);
  }

  async function respond({ method, headers: sent, signal }: Request, path: string, text: string): Promise<Response> {
    // Its tokens are signed with the API key, which has no public part.
    if (path === "/.well-known/jwks.json" && extensions === true && method === "GET") return json({ keys: [] });
    const operation = Object.hasOwn(operations, path) ? operations[path] : undefined;
    if (!operation || (extensions !== true && !EVERYWHERE.test(path)))
      return refuse(404, `There is nothing at ${path}.`);
    if (method !== "POST") return refuse(405, "This operation takes POST only.", { allow: "POST" });
    if (sent.get("authorization") !== `Bearer ${apiKey}`) {
      return refuse(401, "The API key is missing, unknown or revoked.", { "www-authenticate": "Bearer" });
    }
    const body = Object(parse(text || "{}"));
    const { project_id = projectId, channel_id = `any@${projectId}` }: ListLiveChannelsRequest = body;
    if (project_id !== projectId) return refuse(403, "This API key belongs to another project.");
    try {
      if (!/.@[^@]+$/.test(channel_id)) {
        throw new Refused({ pointer: "/channel_id", detail: "Must be <channel_name>@<project_id>." });
      }
      if (!channel_id.endsWith(`@${projectId}`)) return refuse(403, "This channel belongs to another project.");
      const [requestId, headers] = [crypto.randomUUID(), {}];
      const by = sent.get("x-requested-by") ?? undefined;
      return json(await operation(body, { signal, requestId, by, headers }), { ...headers, "x-request-id": requestId });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return refuse(400, "Mend the faults and send the request again.", {}, error.faults);
    }
  }

  return {
    // This key is harmless, and tests often run in a browser or a simulated one.
    clientOptions: { baseUrl: "http://media.test", apiKey, fetch, dangerouslyAllowBrowser: true },
    fetch,
    calls,
    add: logs.add,
    setLive: managed.setLive,
    addDeliveries: managed.addDeliveries,
    setEndpoints: managed.setEndpoints,
    fail(failure, times = 1) {
      for (let i = 0; i < times; i++) failures.push(failure);
    },
    reset() {
      logs.reset();
      managed.reset();
      calls.length = 0;
      failures.length = 0;
    },
  };
}

// A request's signal follows its caller's only while the request is referenced, and nothing else references these.
const silent = new Set<readonly [Request, unknown]>();

/** Never resolves. Rejects when the request is aborted. */
function untilAborted(requests: readonly [Request, unknown]): Promise<never> {
  const [{ signal }] = requests;
  silent.add(requests);
  return new Promise((_, reject) => {
    const abort = (): void => {
      silent.delete(requests);
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const json = (data: object, headers: object = { "x-request-id": crypto.randomUUID() }): Response =>
  Response.json(data, { headers: { "content-type": "application/json; charset=UTF-8", ...headers } });

/** The texts of the contract's examples for each status. */
const problems: Readonly<Record<number, readonly [name: string, title: string]>> = {
  400: ["bad-request", "Bad input"],
  401: ["unauthorized", "Not authorized"],
  403: ["forbidden", "Another project"],
  404: ["not-found", "No such operation"],
  405: ["method-not-allowed", "Wrong method"],
  413: ["payload-too-large", "Body too large"],
  415: ["unsupported-media-type", "Not JSON"],
  429: ["too-many-requests", "Too many calls"],
  503: ["service-unavailable", "Not available now"],
};

/** A failing response as in the contract. */
function refuse(
  status: number,
  detail: string,
  headers: Record<string, string> = {},
  errors?: readonly ProblemError[],
): Response {
  const request_id = crypto.randomUUID();
  const [name, title] = problems[status] ?? ["internal-error", "Fault of the service"];
  const problem: Omit<Problem, "errors"> = {
    type: `urn:media-ops:problem:${name}`,
    title,
    status,
    detail,
    request_id,
  };
  return new Response(JSON.stringify({ ...problem, errors }), {
    status,
    headers: { ...headers, "content-type": "application/problem+json", "x-request-id": request_id },
  });
}
