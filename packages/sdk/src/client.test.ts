import { afterEach, describe, expect, it, vi } from "vitest";
import { json, startServer } from "../test/http-server.js";
import {
  createMediaClient,
  type MediaClientOptions,
  MediaConnectionError,
  MediaUnauthorizedError,
  MediaUsageError,
} from "./index.js";
import { logPaths } from "./operations.js";
import { createFakeMediaService } from "./testing/index.js";

const apiKey = "mo_k1_secret";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("each method", () => {
  const methods = [
    ["sessions", "/orgs/list-session-logs"],
    ["connections", "/orgs/list-connection-logs"],
    ["api", "/orgs/list-api-logs"],
    ["mediaApi", "/orgs/list-media-api-logs"],
    ["webhooks", "/orgs/list-webhook-logs"],
  ] as const;

  it("is tried, that of every log", () => {
    expect(methods.map(([, path]) => path)).toEqual(Object.values(logPaths));
  });

  it.each(methods)("logs.%s() posts to %s", async (method, path) => {
    const service = createFakeMediaService();
    const client = createMediaClient(service.clientOptions);
    await expect(client.logs[method]()).resolves.toEqual([]);
    await client.logs[method]({ project_id: "demo" });
    expect(service.calls.map((call) => [call.method, call.path, call.body])).toEqual([
      ["POST", path, {}],
      ["POST", path, { project_id: "demo" }],
    ]);
  });

  it("logs.list() reads a log by its name", async () => {
    const service = createFakeMediaService();
    const [added] = service.add("media-api", { status: 504 });
    const client = createMediaClient(service.clientOptions);
    await expect(client.logs.list("media-api")).resolves.toEqual([added]);
  });

  it("tokens.create() sends what was asked for, and nothing that is undefined", async () => {
    const service = createFakeMediaService();
    const client = createMediaClient(service.clientOptions);
    await client.tokens.create({ role: "recvonly", channel_id: undefined });
    expect(service.calls[0]).toMatchObject({ path: "/projects/create-access-token", body: { role: "recvonly" } });
  });

  it("keeps every digit of a timestamp", async () => {
    const service = createFakeMediaService();
    const timestamp = `${new Date().toISOString().slice(0, 19)}.123456789012345Z`;
    service.add("webhooks", { timestamp });
    const [entry] = await createMediaClient(service.clientOptions).logs.webhooks();
    expect(entry?.timestamp).toBe(timestamp);
  });
});

describe("a request", () => {
  it("carries the key, JSON and a user agent, to an address with or without a slash at its end", async () => {
    const server = await startServer(json([]));
    for (const baseUrl of [server.baseUrl, `${server.baseUrl}/`, new URL(server.baseUrl)]) {
      await createMediaClient({ baseUrl, apiKey }).logs.api();
    }
    for (const { headers, body } of server.requests) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "user-agent": expect.stringMatching(/^media-ops-sdk\/\d+\.\d+\.\d+$/),
      });
      expect(body).toBe("{}");
    }
    expect(server.requests).toHaveLength(3);
  });

  it("goes below the path of the base address", async () => {
    const urls: string[] = [];
    const fetch = async (input: string | Request) => {
      urls.push(String(input));
      return Response.json([]);
    };
    await createMediaClient({ baseUrl: "https://example.test/media//", apiKey, fetch }).logs.api();
    expect(urls).toEqual(["https://example.test/media/orgs/list-api-logs"]);
  });

  it("uses the fetch of the moment, so that one patched later is used", async () => {
    const client = createMediaClient({ baseUrl: "http://media.test", apiKey });
    const service = createFakeMediaService({ apiKey });
    vi.stubGlobal("fetch", service.fetch);
    await expect(client.logs.api()).resolves.toEqual([]);
  });
});

describe("a call without options", () => {
  it("waits 30 s for each of three tries", async () => {
    vi.useFakeTimers();
    const service = createFakeMediaService();
    service.fail("silence", 3);
    const outcome = createMediaClient(service.clientOptions)
      .logs.api()
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(service.calls).toHaveLength(1);
    // Half a second and a second are the longest waits between them.
    await vi.advanceTimersByTimeAsync(60_001 + 1_500);
    expect(await outcome).toMatchObject({
      code: "Timeout",
      message: "POST http://media.test/orgs/list-api-logs (try 3) took longer than 30000 ms.",
    });
    expect(service.calls).toHaveLength(3);
  });
});

describe("withResponse()", () => {
  it("gives status, headers and request id along", async () => {
    const server = await startServer(json([], 200, { "ratelimit-remaining": "599" }));
    const answer = await createMediaClient({ baseUrl: server.baseUrl, apiKey }).logs.api().withResponse();
    expect(answer).toMatchObject({ data: [], status: 200, requestId: "req-1" });
    expect(answer.headers.get("ratelimit-remaining")).toBe("599");
    expect(server.requests).toHaveLength(1);
  });

  it("fails as the call does, and only once", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const server = await startServer(json({}, 401));
    const client = createMediaClient({ baseUrl: server.baseUrl, apiKey });
    await expect(client.logs.api().withResponse()).rejects.toBeInstanceOf(MediaUnauthorizedError);
    await expect(client.logs.api()).rejects.toBeInstanceOf(MediaUnauthorizedError);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("hooks", () => {
  it("see each try, may set headers, and may read a clone of the answer", async () => {
    const server = await startServer(json({}, 503), json([]));
    const seen: unknown[] = [];
    const client = createMediaClient({
      baseUrl: server.baseUrl,
      apiKey,
      onRequest: ({ headers }, { path, attempt }) => {
        headers.set("traceparent", `00-${attempt}`);
        seen.push([path, attempt]);
      },
      onResponse: async (response, { attempt }) => {
        seen.push([response.status, attempt, await response.clone().json()]);
      },
    });
    await client.logs.sessions();
    const path = "/orgs/list-session-logs";
    expect(seen).toEqual([
      [path, 1],
      [503, 1, {}],
      [path, 2],
      [200, 2, []],
    ]);
    expect(server.requests.map(({ headers }) => headers.traceparent)).toEqual(["00-1", "00-2"]);
  });

  it.each(["onRequest", "onResponse"] as const)("that throw end the call with what they throw: %s", async (hook) => {
    const server = await startServer(json([]));
    const error = new Error("not in the mood");
    const client = createMediaClient({
      baseUrl: server.baseUrl,
      apiKey,
      [hook]: () => {
        throw error;
      },
    });
    await expect(client.logs.api()).rejects.toBe(error);
    expect(server.requests).toHaveLength(hook === "onRequest" ? 0 : 1);
  });
});

describe("the logger", () => {
  it("is told of every answer and every repetition", async () => {
    const service = createFakeMediaService();
    service.fail({ status: 503, detail: "Try later.", retryAfter: 0 });
    service.fail("connection");
    const lines: string[] = [];
    const client = createMediaClient({
      ...service.clientOptions,
      logger: { debug: (line) => lines.push(`debug ${line}`), warn: (line) => lines.push(`warn ${line}`) },
    });
    await client.logs.api();
    const call = "POST http://media.test/orgs/list-api-logs";
    expect(lines.map((line) => line.replace(/\d+ ms|request id [\w-]+/g, "…"))).toEqual([
      `debug ${call} (try 1) answered 503 (…) in …`,
      `warn ${call} (try 1) answered 503 (…): Try later. (next try in …)`,
      `warn ${call} (try 2) failed. Is the service running there? fetch failed: the fake service broke the connection (next try in …)`,
      `debug ${call} (try 3) answered 200 (…) in …`,
    ]);
  });
});

describe("raw", () => {
  it("is the openapi-fetch client with the same address and key", async () => {
    const service = createFakeMediaService();
    const { raw } = createMediaClient(service.clientOptions);
    const good = await raw.POST("/projects/create-access-token", { body: { role: "recvonly" } });
    expect(good.data?.access_token.split(".")).toHaveLength(3);
    const bad = await raw.POST("/orgs/list-api-logs", { body: { project_id: "" } });
    expect(bad.error).toMatchObject({ status: 400, errors: [{ pointer: "/project_id" }] });
  });
});

describe("without an address or a key,", () => {
  const sent = async (options?: MediaClientOptions): Promise<[string, string | null]> => {
    const calls: [string, string | null][] = [];
    vi.stubGlobal("fetch", async (url: string, { headers }: { headers: Headers }) => {
      calls.push([url, headers.get("authorization")]);
      return Response.json([]);
    });
    await createMediaClient(options).logs.api();
    return calls[0] ?? expect.fail("nothing was sent");
  };
  afterEach(() => vi.unstubAllEnvs());

  it("a client takes those of the environment", async () => {
    vi.stubEnv("MEDIA_BASE_URL", "http://env.test");
    vi.stubEnv("MEDIA_API_KEY", "mo_env_secret");
    const path = "/orgs/list-api-logs";
    expect(await sent()).toEqual([`http://env.test${path}`, "Bearer mo_env_secret"]);
    expect(await sent({ apiKey })).toEqual([`http://env.test${path}`, `Bearer ${apiKey}`]);
    expect(await sent({ baseUrl: "http://own.test" })).toEqual([`http://own.test${path}`, "Bearer mo_env_secret"]);
  });

  it("but with an empty one, the environment's is not taken in its place", () => {
    vi.stubEnv("MEDIA_BASE_URL", "http://env.test");
    vi.stubEnv("MEDIA_API_KEY", "mo_env_secret");
    expect(() => createMediaClient({ apiKey: "" })).toThrow(MediaUsageError);
    expect(() => createMediaClient({ baseUrl: "" })).toThrow(MediaUsageError);
  });

  it.each([
    ["apiKey must be given, or the environment variable MEDIA_API_KEY.", { baseUrl: "http://media.test" }],
    ["baseUrl must be given, or the environment variable MEDIA_BASE_URL.", { apiKey }],
  ])("%s", (message, options) => {
    vi.stubEnv("MEDIA_BASE_URL", "");
    vi.stubEnv("MEDIA_API_KEY", undefined);
    expect(() => createMediaClient(options)).toThrow(new MediaUsageError(message));
    vi.stubGlobal("process", undefined);
    expect(() => createMediaClient(options)).toThrow(new MediaUsageError(message));
    vi.stubGlobal("process", {
      get env() {
        throw new Error("Requires env access");
      },
    });
    expect(() => createMediaClient(options)).toThrow(new MediaUsageError(message));
  });
});

describe("what cannot work is refused at once", () => {
  // Without a type, as a JavaScript program calls it.
  const make = (options: object) => () => createMediaClient({ baseUrl: "http://media.test", apiKey, ...options });

  it.each(["", "a b", "line\nbreak", "ключ", 7])("the API key %j", (key) => {
    expect(make({ apiKey: key })).toThrow(MediaUsageError);
    expect(make({ apiKey: key })).toThrow("apiKey must be given, without spaces or line breaks.");
  });

  it.each([
    "",
    "media.test",
    "ftp://media.test",
    "http://user:pass@media.test",
    "http://media.test?a=1",
    "http://media.test#a",
  ])("the address %j", (baseUrl) => {
    expect(make({ baseUrl })).toThrow(MediaUsageError);
    expect(make({ baseUrl })).toThrow("baseUrl must be like https://media.example");
  });

  it.each([
    [{ timeoutMs: 0 }, "timeoutMs must be above 0, not 0."],
    [{ timeoutMs: Number.NaN }, "timeoutMs must be above 0, not NaN."],
    [{ maxResponseBytes: 0 }, "maxResponseBytes must be above 0, not 0."],
    [{ maxRetries: -1 }, "maxRetries must be a count, not -1."],
    [{ maxRetries: 1.5 }, "maxRetries must be a count, not 1.5."],
  ])("the limit %j", async (options, message) => {
    const service = createFakeMediaService();
    const client = createMediaClient(service.clientOptions);
    await expect(client.logs.api({}, options)).rejects.toThrow(new MediaUsageError(message));
    await expect(createMediaClient({ ...service.clientOptions, ...options }).logs.api()).rejects.toThrow(message);
    expect(service.calls).toHaveLength(0);
  });

  // As a JavaScript program calls it.
  const call = (method: (...args: never[]) => unknown, ...args: unknown[]): unknown =>
    Reflect.apply(method, undefined, args);

  it.each(["webhook", "", "toString", undefined, 7])("a kind of log that there is not: %j", async (kind) => {
    const service = createFakeMediaService();
    const { logs } = createMediaClient(service.clientOptions);
    const refusal = new MediaUsageError(
      `Unknown kind of log "${kind}". Use one of: sessions, connections, api, media-api, webhooks.`,
    );
    await expect(call(logs.list, kind)).rejects.toThrow(refusal);
    expect(() => call(logs.follow, kind)).toThrow(refusal);
    expect(() => call(service.add, kind, {})).toThrow(refusal);
    expect(service.calls).toHaveLength(0);
  });

  it.each(["demo", 7, null])("a request that is no object: %j", async (request) => {
    const service = createFakeMediaService();
    const { logs, tokens } = createMediaClient(service.clientOptions);
    for (const method of [logs.webhooks, tokens.create]) {
      await expect(call(method, request)).rejects.toThrow(MediaUsageError);
      await expect(call(method, request)).rejects.toThrow("The request must be an object");
    }
    expect(service.calls).toHaveLength(0);
  });

  it.each([
    [{ intervalMs: "5s" }, "intervalMs must be a number from 0 on, not 5s."],
    [{ intervalMs: -1 }, "intervalMs must be a number from 0 on, not -1."],
    [{ backlog: "all" }, "backlog must be a count, not all."],
    [{ backlog: -1 }, "backlog must be a count, not -1."],
  ])("following with %j", (options, message) => {
    const { logs } = createMediaClient(createFakeMediaService().clientOptions);
    expect(() => call(logs.follow, "webhooks", options)).toThrow(new MediaUsageError(message));
  });

  it("a header that cannot be sent", async () => {
    const service = createFakeMediaService();
    const client = createMediaClient(service.clientOptions);
    const error = await client.logs.api({}, { headers: { "x-team": "line\nbreak" } }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).not.toBeInstanceOf(MediaConnectionError);
    expect(service.calls).toHaveLength(0);
  });

  it.each([
    ["a page", { document: {} }],
    ["a worker of one", { importScripts() {} }],
  ])("a key in %s of a browser", (_, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    expect(make({})).toThrow(MediaUsageError);
    expect(make({})).toThrow(
      "In a browser every visitor can read the apiKey. Call from a server, or set dangerouslyAllowBrowser.",
    );
    expect(make({ dangerouslyAllowBrowser: true })).not.toThrow();
  });

  it("does not include no limit of time", async () => {
    const service = createFakeMediaService();
    const client = createMediaClient({ ...service.clientOptions, timeoutMs: Number.POSITIVE_INFINITY });
    await expect(client.logs.api()).resolves.toEqual([]);
  });
});

describe("in a browser that is allowed", () => {
  it("no user agent is set, because browsers send their own", async () => {
    vi.stubGlobal("document", {});
    const service = createFakeMediaService();
    await createMediaClient({ ...service.clientOptions, dangerouslyAllowBrowser: true }).logs.api();
    expect(service.calls[0]?.headers.has("user-agent")).toBe(false);
  });
});
