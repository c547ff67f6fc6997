import { getEventListeners } from "node:events";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Answer, closedPort, json, startServer, type TestServer, watchLeftovers } from "../test/http-server.js";
import {
  createMediaClient,
  type MediaClient,
  type MediaClientOptions,
  MediaConnectionError,
  MediaError,
  type MediaErrorCode,
  MediaResponseError,
  MediaServiceUnavailableError,
  MediaTimeoutError,
  MediaTooManyRequestsError,
} from "./index.js";
import { parseRetryAfter, retryDelayMs } from "./retry.js";

// Attempts follow each other without a delay, unless the service requests one.
beforeAll(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterAll(() => void vi.restoreAllMocks());

// No call leaves a connection or a timer behind.
const servers: TestServer[] = [];
let nothingLeft: ReturnType<typeof watchLeftovers>;
beforeEach(() => {
  servers.length = 0;
  nothingLeft = watchLeftovers();
});
afterEach(async () => {
  for (const server of [undefined, ...servers]) await nothingLeft(server);
});

async function start(...answers: Parameters<typeof startServer>): Promise<TestServer> {
  const server = await startServer(...answers);
  servers.push(server);
  return server;
}

const apiKey = "mo_k1_plantedKeyThatMustNeverShow";
const entry = {
  timestamp: "2026-04-01T09:30:16.020544Z",
  type: "connection.created",
  url: "https://hooks.example/media",
  status: 200,
  elapsed_time_ms: 87,
};
const list = JSON.stringify([entry]);

const problem = (status: number, headers: Record<string, string> = {}): Answer =>
  json({ type: "about:blank", title: "x", status, detail: "as the test asks", request_id: "req-1" }, status, headers);

/** Counts the attempts in the client, including those that never reach the server. */
function connect(
  baseUrl: string,
  options: Partial<MediaClientOptions> = {},
): { client: MediaClient; tries: () => number } {
  let tries = 0;
  const client = createMediaClient({
    baseUrl,
    apiKey,
    onRequest: () => {
      tries += 1;
    },
    ...options,
  });
  return { client, tries: () => tries };
}

async function failureOf(call: Promise<unknown>): Promise<MediaError> {
  const error = await call.then(
    () => expect.fail("the call should have failed"),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(MediaError);
  return error as MediaError;
}

describe("a network failure", () => {
  it("is a connection error if the service is unreachable, after two retries by default", async () => {
    const { client, tries } = connect(await closedPort());
    const error = await failureOf(client.logs.webhooks());
    expect(error).toBeInstanceOf(MediaConnectionError);
    expect(error.message).toMatch(
      /^POST http:\/\/127\.0\.0\.1:\d+\/orgs\/list-webhook-logs \(try 3\) failed\. Is the service running there\? .*ECONNREFUSED/,
    );
    expect(error.cause).toMatchObject({ code: "ECONNREFUSED" });
    expect(tries()).toBe(3);
  });

  const zipped = gzipSync(JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ ...entry, status: i }))));
  const broken = /failed\. Is the service running there\? .+$/;
  const cutOff = /answered 200, but with JSON cut off after \d+ characters$/;
  const write =
    (type: string, body: string | Buffer, headers = {}): Answer =>
    (response) =>
      response.writeHead(200, { "content-type": type, ...headers }).end(body);
  const resetAmid: Answer = (response) => {
    response.writeHead(200, { "content-length": "5000" }).write("[{");
    setTimeout(() => response.socket?.resetAndDestroy(), 20);
  };
  const onlyHeaders: Answer = (response) => response.writeHead(200, { "content-length": "5000" }).flushHeaders();
  const denied = problem(401, { "www-authenticate": "Bearer" });

  it.each<[string, Answer, MediaErrorCode, tries: number, RegExp]>([
    ["when the connection is reset amid the body", resetAmid, "Connection", 2, broken],
    ["when it is reset before an answer", (response) => response.socket?.resetAndDestroy(), "Connection", 2, broken],
    ["with a wrong key", denied, "Unauthorized", 1, /answered 401 \(request id req-1\): as the test asks$/],
    [
      "with HTML",
      write("text/html", "<!doctype html><p>Hi"),
      "Response",
      1,
      /answered 200, but with text\/html, not JSON\. Is baseUrl right\?$/,
    ],
    ["with JSON that is cut off", write("application/json", list.slice(0, 40)), "Response", 1, /cut off after 40 char/],
    [
      "with no content",
      (response) => response.writeHead(204).end(),
      "Response",
      1,
      /answered 204, but with nothing, not JSON/,
    ],
    [
      "with other JSON",
      json({ hello: "world" }),
      "Response",
      1,
      /answered 200 \(request id req-1\), but with other JSON\. Is baseUrl right\?$/,
    ],
    [
      "with gzip that is cut off",
      write("application/json", zipped.subarray(0, zipped.length / 2), { "content-encoding": "gzip" }),
      "Response",
      1,
      cutOff,
    ],
  ])("%s is an error of its kind, and is retried if that may help", async (_, answer, code, expectedTries, message) => {
    const { requests, baseUrl } = await start(answer);
    const { client, tries } = connect(baseUrl, { maxRetries: 1 });
    const error = await failureOf(client.logs.webhooks());
    expect(error).toMatchObject({ code, name: `Media${code}Error`, message: expect.stringMatching(message) });
    expect([requests.length, tries()]).toEqual([expectedTries, expectedTries]);
  });

  // Side by side, because they only wait.
  it("is a timeout, and retried, when only headers come, nothing at all, or a body that drips in slowly", async () => {
    const failing: Answer = (response) => drip(response.writeHead(500));
    const answers: Answer[] = [onlyHeaders, () => {}, drip, failing];
    const expectTimeout = async (answer: Answer): Promise<void> => {
      const { requests, baseUrl } = await start(answer);
      const { client, tries } = connect(baseUrl, { maxRetries: 1, timeoutMs: 500 });
      const error = await failureOf(client.logs.webhooks());
      expect(error).toBeInstanceOf(MediaTimeoutError);
      expect(error.message).toMatch(/\(try 2\) took longer than 500 ms\.$/);
      expect([requests.length, tries()]).toEqual([2, 2]);
    };
    await Promise.all(answers.map(expectTimeout));
  });

  it("is a timeout even if the body arrives slowly and garbage is collected meanwhile", async () => {
    const server = await start(drip);
    const { client } = connect(server.baseUrl, { maxRetries: 0, timeoutMs: 250 });
    const collecting = setInterval(() => globalThis.gc?.(), 10);
    expect(globalThis.gc).toBeTypeOf("function");
    const error = await failureOf(client.logs.webhooks()).finally(() => clearInterval(collecting));
    expect(error).toBeInstanceOf(MediaTimeoutError);
  });
});

describe("a response", () => {
  it("may succeed after a 500", async () => {
    const server = await start(problem(500), json([entry]));
    const { client } = connect(server.baseUrl);
    await expect(client.logs.webhooks()).resolves.toEqual([entry]);
    expect(server.requests).toHaveLength(2);
  });

  it.each([408, 429, 503])("may succeed after a temporary %i, also for tokens", async (status) => {
    const server = await start(problem(status), json({ access_token: "a.b.c" }));
    const { client } = connect(server.baseUrl);
    await expect(client.tokens.create()).resolves.toEqual({ access_token: "a.b.c" });
    expect(server.requests).toHaveLength(2);
  });

  it("is delayed as Retry-After requests", async () => {
    const warnings: string[] = [];
    const server = await start(problem(429, { "retry-after": "1" }), json([entry]));
    const { client } = connect(server.baseUrl, { logger: { warn: (message) => warnings.push(message) } });
    await expect(client.logs.webhooks()).resolves.toEqual([entry]);
    expect(warnings).toEqual([expect.stringMatching(/answered 429 .* \(next try in 1000 ms\)$/)]);
    expect(server.requests).toHaveLength(2);
    const [first, second] = server.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it("has the requested delay in its error if no attempts are left", async () => {
    const server = await start(problem(429, { "retry-after": "7" }));
    const { client } = connect(server.baseUrl, { maxRetries: 0 });
    const error = await failureOf(client.logs.webhooks());
    expect(error).toBeInstanceOf(MediaTooManyRequestsError);
    expect(error).toMatchObject({ status: 429, requestId: "req-1", retryAfterMs: 7000 });
  });

  it("may use gzip", async () => {
    const server = await start((response, request) => {
      expect(request.headers["accept-encoding"]).toContain("gzip");
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(gzipSync(list));
    });
    const { client } = connect(server.baseUrl);
    await expect(client.logs.webhooks()).resolves.toEqual([entry]);
    expect(server.requests).toHaveLength(1);
  });

  it("may have 20 MB", async () => {
    const big = Array.from({ length: 1000 }, (_, i) => ({
      ...entry,
      elapsed_time_ms: i,
      url: `https://h/${"x".repeat(20_000)}`,
    }));
    const server = await start(json(big));
    const { client } = connect(server.baseUrl);
    const entries = await client.logs.webhooks();
    expect(entries).toHaveLength(1000);
    expect(entries.at(-1)).toEqual(big.at(-1));
    expect(server.requests).toHaveLength(1);
  });
});

describe("an abort", () => {
  it("before the call sends nothing, and throws the reason of abort()", async () => {
    const server = await start(json([]));
    const { client, tries } = connect(server.baseUrl);
    const reason = new Error("changed my mind");
    await expect(client.logs.webhooks({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(tries()).toBe(0);
  });

  it.each([
    ["waiting for headers", () => {}],
    ["reading the body", drip],
    ["reading the body of a failing response", (response) => drip(response.writeHead(500))],
  ] as [string, Answer][])("while %s throws an AbortError, unchanged and without a retry", async (_, answer) => {
    const controller = new AbortController();
    const server = await start((response, request) => {
      answer(response, request);
      setTimeout(() => controller.abort(), 50);
    });
    const { client, tries } = connect(server.baseUrl);
    const call = client.logs.webhooks({}, { signal: controller.signal });
    await expect(call).rejects.toBe(await reasonOf(controller.signal));
    expect(controller.signal.reason).toMatchObject({ name: "AbortError" });
    expect(tries()).toBe(1);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("between two attempts ends the delay", async () => {
    const controller = new AbortController();
    const server = await start(problem(503, { "retry-after": "30" }));
    const { client, tries } = connect(server.baseUrl, {
      logger: { warn: () => setTimeout(() => controller.abort(), 10) },
    });
    await expect(client.logs.webhooks({}, { signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
    expect(tries()).toBe(1);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("after the response has no effect, and its listener is removed", async () => {
    const controller = new AbortController();
    const server = await start(problem(500), json([entry]));
    const { client } = connect(server.baseUrl);
    const entries = await client.logs.webhooks({}, { signal: controller.signal });
    controller.abort();
    expect(entries).toEqual([entry]);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("ends all calls that share its signal, and adds no listener to it", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const calls = 30;
    const server = await start(() => {
      if (server.requests.length === calls) controller.abort();
    });
    const { client } = connect(server.baseUrl);
    const called = Promise.allSettled(Array.from({ length: calls }, () => client.logs.webhooks({}, { signal })));
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    for (const call of await called) expect(call).toEqual({ status: "rejected", reason: signal.reason });
  });

  it("by the caller's own AbortSignal.timeout throws its TimeoutError", async () => {
    const server = await start(() => {});
    const { client } = connect(server.baseUrl);
    const call = client.logs.webhooks({}, { signal: AbortSignal.timeout(50) });
    await expect(call).rejects.toMatchObject({ name: "TimeoutError", constructor: DOMException });
  });
});

describe("each call's own options", () => {
  it("override the client's", async () => {
    const server = await start(problem(503));
    const { client, tries } = connect(server.baseUrl, {
      maxRetries: 5,
      headers: { "x-team": "video", "x-env": "test" },
    });
    const call = client.logs.sessions({}, { maxRetries: 0, headers: { "x-env": "prod" } });
    expect(await failureOf(call)).toBeInstanceOf(MediaServiceUnavailableError);
    expect(tries()).toBe(1);
    expect(server.requests[0]?.headers).toMatchObject({ "x-team": "video", "x-env": "prod" });
  });
});

function drip(response: Parameters<Answer>[0]): void {
  response.flushHeaders();
  const dripping = setInterval(() => response.write(" "), 10);
  response.on("close", () => clearInterval(dripping));
}

async function reasonOf(signal: AbortSignal): Promise<unknown> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  return signal.reason;
}

const MIB = 2 ** 20;

/** A gzip that decompresses to about this many bytes of valid JSON. */
function bomb(bytes: number): Buffer {
  const part = gzipSync(Buffer.alloc(MIB, " "));
  return Buffer.concat([gzipSync("["), ...Array.from({ length: Math.ceil(bytes / MIB) }, () => part), gzipSync("]")]);
}

const gzipped =
  (body: Buffer): Answer =>
  (response) =>
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);

/** A body that only ends when it is cancelled. */
function endless() {
  const seen = { bytes: 0, isCancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(stream) {
      // Beyond any limit of these tests; a body that is never cancelled would fill the memory.
      if (seen.bytes > 10 * MIB) return stream.close();
      seen.bytes += 1000;
      stream.enqueue(new Uint8Array(1000));
    },
    cancel() {
      seen.isCancelled = true;
    },
  });
  return { body, seen };
}

/** A client of a server with this response, and the server's observations. */
async function connectTo(answer: Answer, options: Partial<MediaClientOptions> = {}) {
  const server = await start(answer);
  return { server, client: createMediaClient({ baseUrl: server.baseUrl, apiKey, ...options }) };
}

/** A client whose calls are answered with this response. */
const clientOf = (response: () => Response, options: Partial<MediaClientOptions> = {}) =>
  createMediaClient({ baseUrl: "http://media.test", apiKey, fetch: async () => response(), ...options });

describe("a response larger than maxResponseBytes", () => {
  it("is refused after 64 MiB by default, even as a small gzip, and is not retried", async () => {
    const body = bomb(240 * MIB);
    expect(body.length).toBeLessThan(300_000);
    const { server, client } = await connectTo(gzipped(body));
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    const error = await client.logs.webhooks().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(MediaResponseError);
    expect(error).toMatchObject({
      code: "Response",
      status: 200,
      message: `POST ${server.baseUrl}/orgs/list-webhook-logs (try 1) answered 200, but its body is larger than 67108864 bytes. If it should be, raise maxResponseBytes.`,
    });
    // The server of this test runs in the same process; the whole response would take at least 240 MiB.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MIB);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["the client's own limit", { maxResponseBytes: 1000 }, {}],
    ["the call's own limit, which takes precedence", { maxResponseBytes: 1_000_000 }, { maxResponseBytes: 1000 }],
  ])("is refused by %s, to the byte", async (_, options, callOptions) => {
    const list = (bytes: number): string[] => ["x".repeat(bytes - '[""]'.length)];
    const fits = await connectTo(json(list(1000)), options);
    await expect(fits.client.logs.webhooks({}, callOptions)).resolves.toHaveLength(1);
    const tooLarge = await connectTo(json(list(1001)), options);
    await expect(tooLarge.client.logs.webhooks({}, callOptions)).rejects.toThrow("larger than 1000 bytes");
  });

  it("is cancelled instead of read to its end", async () => {
    const { body, seen } = endless();
    const client = clientOf(() => new Response(body), { maxResponseBytes: 10_000 });
    await expect(client.logs.api()).rejects.toBeInstanceOf(MediaResponseError);
    expect(seen.isCancelled).toBe(true);
    expect(seen.bytes).toBeLessThan(20_000);
  });

  it("is refused even while a hook reads a clone of it", async () => {
    const clones: Promise<string>[] = [];
    const { client } = await connectTo(json(["x".repeat(5000)]), {
      maxResponseBytes: 1000,
      onResponse: (response) => void clones.push(response.clone().text()),
    });
    await expect(client.logs.api()).rejects.toBeInstanceOf(MediaResponseError);
    expect(await clones[0]).toHaveLength(5004);
  });

  it("is refused even if fetch returns no stream", async () => {
    const text = JSON.stringify(["ü".repeat(100)]);
    const withoutStream = (): Response =>
      Object.defineProperty(Response.json(["ü".repeat(100)]), "body", { value: null });
    const bytes = Buffer.byteLength(text);
    const list = (maxResponseBytes: number) => clientOf(withoutStream, { maxResponseBytes }).logs.api();
    await expect(list(bytes)).resolves.toHaveLength(1);
    await expect(list(bytes - 1)).rejects.toBeInstanceOf(MediaResponseError);
  });
});

describe("a failing response that is too large", () => {
  it("still throws the error of its status, and is read to 1 MiB at most", async () => {
    const { body, seen } = endless();
    const client = clientOf(() => new Response(body, { status: 503 }), { maxRetries: 0 });
    const error = await client.logs.webhooks().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(MediaServiceUnavailableError);
    expect(error).toMatchObject({ problem: { detail: "no reason given" } });
    expect(seen.isCancelled).toBe(true);
    expect(seen.bytes).toBeLessThan(1.1 * MIB);
  });
});

it("characters of several bytes are decoded correctly if they arrive in pieces", async () => {
  const bytes = new TextEncoder().encode(JSON.stringify(["日本 👩‍👩‍👧 ünï"]));
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      for (const byte of bytes) stream.enqueue(Uint8Array.of(byte));
      stream.close();
    },
  });
  await expect(clientOf(() => new Response(body)).logs.list("api")).resolves.toEqual(["日本 👩‍👩‍👧 ünï"]);
});

describe("the delay before the next attempt", () => {
  it.each([
    { failures: 1, longest: 500 },
    { failures: 2, longest: 1000 },
    { failures: 3, longest: 2000 },
    { failures: 5, longest: 8000 },
    { failures: 50, longest: 8000 },
  ])("is between 0 and $longest ms after $failures failures", ({ failures, longest }) => {
    const delay = (random: number) => retryDelayMs(failures, { retryAfterMs: undefined }, () => random);
    expect(delay(0)).toBe(0);
    expect(delay(0.5)).toBe(longest / 2);
    expect(delay(1)).toBe(longest);
  });

  it.each([
    { asked: 0, waits: 0 },
    { asked: 1_500, waits: 1_500 },
    { asked: 60_000, waits: 60_000 },
    { asked: 3_600_000, waits: 60_000 },
  ])("is $waits ms if the service requests $asked", ({ asked, waits }) => {
    expect(retryDelayMs(1, { retryAfterMs: asked }, () => 1)).toBe(waits);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-04-01T09:30:15Z");

  it.each([
    ["0", 0],
    ["3", 3_000],
    ["Wed, 01 Apr 2026 09:30:20 GMT", 5_000],
    ["Wed, 01 Apr 2026 09:30:00 GMT", undefined],
    ["Wed, 99 Apr 2026 09:30:00 GMT", undefined],
    ["soon", undefined],
    ["-3", undefined],
    ["", undefined],
    [null, undefined],
  ])("of %j means %j ms", (value, ms) => {
    expect(parseRetryAfter(value, now)).toBe(ms);
  });
});
