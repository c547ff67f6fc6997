import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { MediaApiLogEntry } from "@media-ops/contract";
import { intakeContract, intakeOperations } from "@media-ops/openapi/contract";
import { databaseUrl } from "@media-ops/testing";
import { serveHttp } from "@media-ops/testing/servers";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Answer, type CallOptions, pathOf, startTestService, type TestService } from "../test/harness.js";
import { RawConnection } from "../test/raw-http.js";
import { mediaApiPath } from "./routes.js";

const TARGET = "Media_20151104.DisconnectChannel";

type AtEnd = (end: () => Promise<void>) => void;

interface Received {
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Upstream {
  readonly url: string;
  readonly received: Received[];
}

const sendEmptyObject = (response: ServerResponse): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end("{}");

/** Stands in for the media server's API. */
async function startUpstream(
  respond: (response: ServerResponse) => void = sendEmptyObject,
  atEnd: AtEnd = onTestFinished,
): Promise<Upstream> {
  const received: Received[] = [];
  const { url, close } = await serveHttp(async (request, response) => {
    const { method, url, headers } = request;
    received.push({ address: `${method} ${url}`, headers, body: await buffer(request) });
    respond(response);
  });
  atEnd(close);
  return { url, received };
}

interface Proxy extends TestService {
  readonly upstream: Upstream;
  /** Calls the media API; by default with a valid call. */
  post(body?: unknown, options?: CallOptions): Promise<Answer>;
  mediaLog(key?: string): Promise<MediaApiLogEntry[]>;
}

async function startProxy(
  upstream: Upstream,
  env: Record<string, string> = {},
  { now = Date.now, atEnd = onTestFinished }: { now?: () => number; atEnd?: AtEnd } = {},
): Promise<Proxy> {
  const service = await startTestService({ env: { MEDIA_UPSTREAM_URL: upstream.url, ...env }, now, atEnd });
  return {
    ...service,
    upstream,
    post: (body = { channel_id: "lobby@demo" }, options = {}) =>
      service.call(mediaApiPath, { body, ...options, headers: { "x-media-target": TARGET, ...options.headers } }),
    mediaLog: async (key = service.apiKey) =>
      (await service.call(pathOf.listMediaApiLogs, { key })).body as MediaApiLogEntry[],
  };
}

// Most tests share a service, whose media server answers as the test has set.
const answering = { respond: sendEmptyObject };
const shared = await startProxy(
  await startUpstream((response) => answering.respond(response), afterAll),
  { MEDIA_MEDIA_API_PER_MINUTE: "0" },
  { atEnd: afterAll },
);
beforeEach(() => {
  answering.respond = sendEmptyObject;
  shared.upstream.received.length = 0;
});

/** Calls without checking the contract, for answers that are the media server's own. */
const fetchRaw = ({ service, apiKey }: TestService, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(service.url + mediaApiPath, {
    method: "POST",
    redirect: "manual",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "x-media-target": TARGET,
      ...headers,
    },
    body: '{"channel_id":"lobby@demo"}',
  });

it("the path is the contract's", () => {
  expect(intakeOperations.find(({ operation }) => String(operation.operationId) === "callMediaApi")).toMatchObject({
    path: mediaApiPath,
    method: "post",
  });
});

it.each(["a@other@demo", "@demo", " lobby@demo", "é\n\0@demo", `${"é".repeat(125)}@demo`, "{}@demo"])(
  "a call for the project's channel %j is forwarded",
  async (channel_id) => {
    const { post, mediaLog, upstream } = shared;
    expect((await post({ channel_id })).status).toBe(200);
    expect(upstream.received.map(({ body }) => JSON.parse(body.toString()))).toEqual([{ channel_id }]);
    expect((await mediaLog())[0]).toMatchObject({ channel_id, status: 200 });
  },
);

it("the longest target is forwarded, and its format is the contract's", async () => {
  const name = "A".repeat(240);
  const { post, mediaLog } = await startProxy(await startUpstream(), { MEDIA_MEDIA_API_OPERATIONS: name });
  const longest = `Media_20151104.${name}`;
  expect((await post(undefined, { headers: { "x-media-target": longest } })).status).toBe(200);
  expect(await mediaLog()).toMatchObject([{ media_target: longest }]);
  expect(intakeContract.components?.parameters?.MediaTarget?.schema).toMatchObject({
    maxLength: longest.length,
    pattern: "^Media_\\d{8}\\.[A-Za-z0-9]+$",
  });
});

describe("a forwarded call", () => {
  it("reaches the media server's URL with the same bytes", async () => {
    const upstream = await startUpstream();
    const { post } = await startProxy({ ...upstream, url: `${upstream.url}/media/api/` });
    const body = '\n{ "n" : 12345678901234567890.10, "channel\\u005fid":"é@x@demo",\t"e":1E+400 ,"__proto__":[ ]}\r\n ';
    expect(await post(body)).toMatchObject({ status: 200, text: "{}" });
    expect(upstream.received.map(({ address, body }) => [address, body.toString()])).toEqual([
      ["POST /media/api/", body],
    ]);
  });

  it("carries only the operation and the request id of the caller's headers", async () => {
    const { post, upstream } = shared;
    const own = { cookie: "a=b", "x-forwarded-for": "192.0.2.1", "x-own": "1", "accept-encoding": "gzip, br" };
    const { headers } = await post('{"channel_id":"lobby@demo"}', {
      headers: { ...own, "content-type": "application/json; charset=latin1", "x-request-id": "call-7" },
    });
    expect(headers.get("x-request-id")).toBe("call-7");
    expect(upstream.received[0]?.headers).toEqual({
      host: new URL(upstream.url).host,
      // Each call uses a new connection.
      connection: "close",
      "content-type": "application/json",
      "content-length": "27",
      "accept-encoding": "identity",
      "x-media-target": TARGET,
      "x-request-id": "call-7",
    });
  });

  it.each([
    [200, "application/json", '{"n":12345678901234567890}'],
    [204, undefined, ""],
    [302, "text/plain", "elsewhere"],
    [400, "application/json; charset=utf-8", '{"error_type":"INVALID_CHANNEL_ID"}'],
    [401, "text/html", "<b>who?</b>"],
    [404, "Application/JSON;v=1", "[]"],
    [503, "application/problem+json", "{}"],
    [500, "image/png", Buffer.from([0x89, 0x50, 0, 0xff])],
    [599, "application/json", ""],
  ])("returns %i as %s unchanged, with our headers and none of the media server's", async (status, type, body) => {
    answering.respond = (response) => {
      const headers = { location: "http://127.0.0.1:9/", "set-cookie": "a=b", server: "media", "retry-after": "9" };
      response.writeHead(status, { ...headers, ...(type && { "content-type": type }), "x-request-id": "theirs" });
      response.end(body);
    };
    const answer = await fetchRaw(shared, { "x-request-id": "ours" });
    expect(answer.status).toBe(status);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(body));
    const {
      date,
      connection,
      "keep-alive": keepAlive,
      "content-length": length,
      ...rest
    } = Object.fromEntries(answer.headers);
    expect(rest).toEqual({
      "x-request-id": "ours",
      "cache-control": "no-store",
      ...(status !== 204 && { "content-type": type }),
    });
    expect((await shared.mediaLog())[0]).toMatchObject({ status });
  });

  it("returns an answer without a type as bytes that a browser does not show as a page", async () => {
    answering.respond = (response) => void response.writeHead(200).end("<b>");
    const answer = await fetchRaw(shared);
    expect([answer.headers.get("content-type"), await answer.text()]).toEqual(["application/octet-stream", "<b>"]);
  });

  it("is in its project's media API log as soon as it has been answered, and in no other log", async () => {
    const time = Date.parse("2026-04-01T09:30:15.250Z");
    const proxy = await startProxy(await startUpstream(), {}, { now: () => time });
    const other = await proxy.createKey("other");
    await proxy.post({ channel_id: "a@b@demo" });
    expect(await proxy.mediaLog()).toEqual([
      {
        timestamp: "2026-04-01T09:30:15.250Z",
        media_target: TARGET,
        channel_id: "a@b@demo",
        status: 200,
        elapsed_time_ms: expect.any(Number),
      },
    ]);
    expect(await proxy.mediaLog(other)).toEqual([]);
    const apiLog = (await proxy.call(pathOf.listApiLogs)).body as { url: string }[];
    expect(apiLog.map(({ url }) => new URL(url).pathname)).not.toContain(mediaApiPath);
  });

  it("continues if its caller disconnects, and is logged", async () => {
    const held: ServerResponse[] = [];
    answering.respond = (response) => void held.push(response);
    const caller = await hangingCall(shared);
    await expect.poll(() => held.length).toBe(1);
    await caller.reset();
    held[0]?.writeHead(418).end("{}");
    await expect
      .poll(async () => (await shared.mediaLog())[0])
      .toMatchObject({ status: 418, channel_id: "lobby@demo" });
  });

  it("is cancelled if the service stops, and is logged", async () => {
    const held: ServerResponse[] = [];
    const upstream = await startUpstream((response) => void held.push(response));
    const url = await databaseUrl();
    const proxy = await startProxy(upstream, { MEDIA_DATABASE_URL: url });
    const caller = await hangingCall(proxy);
    await expect.poll(() => held.length).toBe(1);
    await caller.reset();
    await proxy.service.stop();
    const again = await startProxy(upstream, { MEDIA_DATABASE_URL: url });
    expect(await again.mediaLog()).toMatchObject([{ media_target: TARGET, status: 502 }]);
  });
});

async function hangingCall({ service, apiKey }: TestService): Promise<RawConnection> {
  const connection = await RawConnection.open(service.url);
  const head = `POST ${mediaApiPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nX-Media-Target: ${TARGET}`;
  connection.write(
    `${head}\r\nContent-Type: application/json\r\nContent-Length: 27\r\n\r\n{"channel_id":"lobby@demo"}`,
  );
  return connection;
}
