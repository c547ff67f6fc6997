import { readFileSync } from "node:fs";
import { logPaths } from "@media-ops/contract";
import { afterEach, describe, expect, it, vi } from "vitest";
import { json, startServer } from "../test/http-server.js";
import {
  connectMedia,
  createMediaClient,
  createToken,
  type HookContext,
  type LiveChannel,
  listLogs,
  MediaUnauthorizedError,
  MediaUsageError,
} from "./index.js";
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
    ["events", "/orgs/list-event-logs"],
  ] as const;

  it("has a test, as has each log", () => {
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

  it("live() has the channels that have connections, or the connections of one channel", async () => {
    const service = createFakeMediaService();
    const lobby = { channel_id: "lobby@demo", limits: { min: 5, max: 5 } };
    const clients: LiveChannel["clients"] = [
      { connection_id: "c1", state: "connected", role: "sendrecv", since: "2026-04-01T09:30:15Z" },
      { connection_id: "c2", state: "connected", role: "recvonly", since: "2026-04-01T09:30:15.2Z" },
      { connection_id: "c3", state: "admitted" },
    ];
    service.setLive({ channel_id: "hall@demo" }, { ...lobby, clients });
    const client = createMediaClient(service.clientOptions);
    const { connections, channels, omitted_channels } = await client.live();
    expect({ connections, omitted_channels }).toEqual({ connections: 3, omitted_channels: 0 });
    const seats = { connections: 2, admitted: 1, roles: { sendrecv: 1, recvonly: 1 }, limits: { max: 5 } };
    const hall = { channel_id: "hall@demo", connections: 1, admitted: 0 };
    expect(channels).toMatchObject([{ channel_id: "lobby@demo", ...seats }, hall]);
    expect(channels[0]).not.toHaveProperty("clients");
    const { data, status } = await client.live({ channel_id: "lobby@demo", limit: 1 }).withResponse();
    expect(status).toBe(200);
    expect(data.channels).toMatchObject([{ clients: [{ connection_id: "c2" }], omitted_clients: 2 }]);
    expect(service.calls.map(({ path, body }) => [path, body])).toEqual([
      ["/orgs/list-live-channels", {}],
      ["/orgs/list-live-channels", { channel_id: "lobby@demo", limit: 1 }],
    ]);
  });

  it("tokens.create() sends only the given fields, and none that is undefined", async () => {
    const service = createFakeMediaService();
    const client = createMediaClient(service.clientOptions);
    await client.tokens.create({ role: "recvonly", channel_id: undefined });
    expect(service.calls[0]).toMatchObject({ path: "/projects/create-access-token", body: { role: "recvonly" } });
  });
});

describe("a request", () => {
  it("has the key, a JSON body and a user agent, with or without a trailing slash in the URL", async () => {
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

  it("appends its path to that of the base URL", async () => {
    const urls: string[] = [];
    const fetch = async (input: string | Request) => {
      urls.push(String(input));
      return Response.json([]);
    };
    await createMediaClient({ baseUrl: "https://example.test/media//", apiKey, fetch }).logs.api();
    expect(urls).toEqual(["https://example.test/media/orgs/list-api-logs"]);
  });

  it("uses the current global fetch, even if it is patched later", async () => {
    const client = createMediaClient({ baseUrl: "http://media.test", apiKey });
    const service = createFakeMediaService({ apiKey });
    vi.stubGlobal("fetch", service.fetch);
    await expect(client.logs.api()).resolves.toEqual([]);
  });
});

it("a call without options has three attempts with a timeout of 30 s each", async () => {
  vi.useFakeTimers();
  const service = createFakeMediaService();
  service.fail("silence", 3);
  const outcome = createMediaClient(service.clientOptions)
    .logs.api()
    .catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(service.calls).toHaveLength(1);
  // The delays between them are at most half a second and a second.
  await vi.advanceTimersByTimeAsync(60_001 + 1_500);
  expect(await outcome).toMatchObject({
    code: "Timeout",
    message: "POST http://media.test/orgs/list-api-logs (try 3) took longer than 30000 ms.",
  });
  expect(service.calls).toHaveLength(3);
});

describe("withResponse()", () => {
  it("returns status, headers and request id, too", async () => {
    const server = await startServer(json([], 200, { "ratelimit-remaining": "599" }));
    const answer = await createMediaClient({ baseUrl: server.baseUrl, apiKey }).logs.api().withResponse();
    expect(answer).toMatchObject({ data: [], status: 200, requestId: "req-1" });
    expect(answer.headers.get("ratelimit-remaining")).toBe("599");
    expect(server.requests).toHaveLength(1);
  });

  it("rejects like the call, and only once", async () => {
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
  it("see each attempt, may set headers, and may read a clone of the response", async () => {
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

  it.each(["onRequest", "onResponse"] as const)("that throw end the call with their error: %s", async (hook) => {
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

  it("that read the response itself instead of a clone are reported, and the call is not retried", async () => {
    const server = await startServer(json([]));
    const onResponse = async (response: Response) => void (await response.text());
    const client = createMediaClient({ baseUrl: server.baseUrl, apiKey, onResponse });
    await expect(client.logs.api()).rejects.toThrow(
      new MediaUsageError("onResponse has read the body. Let it read response.clone()."),
    );
    expect(server.requests).toHaveLength(1);
  });
});

describe("the raw client", () => {
  it("sends with the key, headers, retries and hooks of the client, and returns a failing response as an error", async () => {
    const service = createFakeMediaService();
    const seen: unknown[] = [];
    const onRequest = (_: unknown, { path, attempt }: HookContext) => void seen.push([path, attempt]);
    const { raw } = createMediaClient({ ...service.clientOptions, onRequest, headers: { "x-team": "video" } });
    const [entry] = service.add("api", {});
    service.fail({ status: 503, retryAfter: 0 });
    expect((await raw.POST("/orgs/list-api-logs", { body: { limit: 1 } })).data).toEqual([entry]);
    const listing = "/orgs/list-api-logs";
    expect(seen).toEqual([
      [listing, 1],
      [listing, 2],
    ]);
    expect(service.calls[1]?.headers.get("x-team")).toBe("video");
    const refused = await raw.POST("/projects/create-access-token", { body: { channel_id: "lobby@other" } });
    expect(refused.data).toBeUndefined();
    expect(refused.error).toMatchObject({ status: 403, detail: "This channel belongs to another project." });
    const keys = await raw.GET("/.well-known/jwks.json", { params: { query: { project_id: "demo" } } });
    expect(keys.data).toEqual({ keys: [] });
    expect(seen.at(-1)).toEqual(["/.well-known/jwks.json", 1]);
  });

  it("has middleware that sees every call of the client, and may set headers", async () => {
    const service = createFakeMediaService();
    const client = createMediaClient(service.clientOptions);
    client.raw.use({ onRequest: ({ request, schemaPath }) => request.headers.set("x-path", schemaPath) });
    await client.tokens.create();
    await client.raw.POST("/orgs/list-api-logs", { body: {} });
    const paths = ["/projects/create-access-token", "/orgs/list-api-logs"];
    expect(service.calls.map(({ headers }) => headers.get("x-path"))).toEqual(paths);
  });

  it("ends a call by its own signal", async () => {
    const service = createFakeMediaService();
    service.fail("silence");
    const { raw } = createMediaClient(service.clientOptions);
    const reason = new Error("changed my mind");
    const call = raw.POST("/orgs/list-api-logs", { body: {}, signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });
});

it("the functions for small programs list and mint as the client does", async () => {
  const service = createFakeMediaService();
  const [failed] = service.add("webhooks", { status: 500 }, {});
  const connection = connectMedia(service.clientOptions);
  expect(await listLogs(connection, "webhooks", { where: { failed: true } })).toEqual([failed]);
  expect((await createToken(connection, { role: "recvonly" })).access_token).toMatch(/^eyJ/);
  expect((await createToken(connection).withResponse()).status).toBe(200);
  await expect(createToken(connection, { channel_id: "lobby" })).rejects.toMatchObject({ code: "BadRequest" });
});

it("the logger receives every response and every retry", async () => {
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

it("in a browser with dangerouslyAllowBrowser, no user agent is set, because browsers send their own", async () => {
  vi.stubGlobal("document", {});
  const service = createFakeMediaService();
  await createMediaClient({ ...service.clientOptions, dangerouslyAllowBrowser: true }).logs.api();
  expect(service.calls[0]?.headers.has("user-agent")).toBe(false);
});

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

it("the README has every method", () => {
  const client = createMediaClient(createFakeMediaService().clientOptions);
  const methods = Object.entries(client).flatMap(([part, of]) =>
    typeof of === "function" || part === "raw"
      ? `client.${part}`
      : Object.keys(of).map((name) => `client.${part}.${name}`),
  );
  expect([...readme.matchAll(/^\| `(client[.\w]+)[(`]/gm)].map(([, method]) => method)).toEqual(methods);
});

it("the README names every kind of log", () => {
  const [row = ""] = /^\| `client\.logs\.list\(kind\)`.*$/m.exec(readme) ?? [];
  const [, ...kinds] = [...row.matchAll(/`(.+?)`/g)].map(([, name]) => name);
  expect(kinds).toEqual(Object.keys(logPaths));
});
