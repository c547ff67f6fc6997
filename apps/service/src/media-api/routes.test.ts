import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { MediaApiLogEntry } from "@media-ops/contract";
import { startFakeMedia } from "@media-ops/fake-media";
import { intakeContract, intakeOperations } from "@media-ops/openapi/contract";
import { databaseUrl } from "@media-ops/testing";
import { serveHttp } from "@media-ops/testing/servers";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { newCredential } from "../keys/credential.js";
import { type CallOptions, pathOf, startTestService, type TestService } from "../test/harness.js";
import { exchange, expectAnswer, RawConnection, requestText } from "../test/raw-http.js";
import { mediaApiPath } from "./routes.js";

const TARGET = "Media_20151104.DisconnectChannel";
const right = { channel_id: "lobby@demo" };

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

/** A service whose calls of the media API go to an upstream. */
async function startProxy(
  upstream: Pick<Upstream, "url">,
  env: Record<string, string> = {},
  { now = Date.now, atEnd = onTestFinished }: { now?: () => number; atEnd?: AtEnd } = {},
) {
  const service = await startTestService({ env: { MEDIA_UPSTREAM_URL: upstream.url, ...env }, now, atEnd });
  return {
    ...service,
    /** Calls the media API; by default with a valid call. */
    post: (options: CallOptions = {}) =>
      service.call(mediaApiPath, {
        body: right,
        ...options,
        headers: { "x-media-target": TARGET, ...options.headers },
      }),
    /** Calls an operation without checking the contract, for answers that are the media server's own. */
    callRaw: (operation = "DisconnectChannel", headers: Record<string, string> = {}): Promise<Response> =>
      fetch(service.service.url + mediaApiPath, {
        method: "POST",
        redirect: "manual",
        headers: {
          authorization: `Bearer ${service.apiKey}`,
          "content-type": "application/json",
          "x-media-target": `Media_20151104.${operation}`,
          ...headers,
        },
        body: JSON.stringify(right),
      }),
    mediaLog: async (key = service.apiKey) =>
      (await service.call(pathOf.listMediaApiLogs, { key })).body as MediaApiLogEntry[],
  };
}

// Most tests share a service, whose media server answers as the test has set.
const answering = { respond: sendEmptyObject };
const upstream = await startUpstream((response) => answering.respond(response), afterAll);
const shared = await startProxy(upstream, { MEDIA_MEDIA_API_PER_MINUTE: "0" }, { atEnd: afterAll });
beforeEach(() => {
  answering.respond = sendEmptyObject;
  upstream.received.length = 0;
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
    const { post, mediaLog } = shared;
    expect((await post({ body: { channel_id } })).status).toBe(200);
    expect(upstream.received.map(({ body }) => JSON.parse(body.toString()))).toEqual([{ channel_id }]);
    expect((await mediaLog())[0]).toMatchObject({ channel_id, status: 200 });
  },
);

it("the longest target is forwarded, and its format is the contract's", async () => {
  const name = "A".repeat(240);
  const { post, mediaLog } = await startProxy(upstream, { MEDIA_MEDIA_API_OPERATIONS: name });
  const longest = `Media_20151104.${name}`;
  expect((await post({ headers: { "x-media-target": longest } })).status).toBe(200);
  expect(await mediaLog()).toMatchObject([{ media_target: longest }]);
  expect(intakeContract.components?.parameters?.MediaTarget?.schema).toMatchObject({
    maxLength: longest.length,
    pattern: "^Media_\\d{8}\\.[A-Za-z0-9]+$",
  });
});

describe("a forwarded call", () => {
  it("reaches the media server's URL with the same bytes", async () => {
    const { post } = await startProxy({ url: `${upstream.url}/media/api/` });
    const body = '\n{ "n" : 12345678901234567890.10, "channel\\u005fid":"é@x@demo",\t"e":1E+400 ,"__proto__":[ ]}\r\n ';
    expect(await post({ body })).toMatchObject({ status: 200, text: "{}" });
    expect(upstream.received.map(({ address, body }) => [address, body.toString()])).toEqual([
      ["POST /media/api/", body],
    ]);
  });

  it("carries only the operation and the request id of the caller's headers", async () => {
    const { post } = shared;
    const own = { cookie: "a=b", "x-forwarded-for": "192.0.2.1", "x-own": "1", "accept-encoding": "gzip, br" };
    const { headers } = await post({
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
    const answer = await shared.callRaw(undefined, { "x-request-id": "ours" });
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
    const answer = await shared.callRaw();
    expect([answer.headers.get("content-type"), await answer.text()]).toEqual(["application/octet-stream", "<b>"]);
  });

  it("is in its project's media API log as soon as it has been answered", async () => {
    const time = Date.parse("2026-04-01T09:30:15.250Z");
    const proxy = await startProxy(upstream, {}, { now: () => time });
    const other = await proxy.createKey("other");
    await proxy.post({ body: { channel_id: "a@b@demo" } });
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

/** Expects that a call was neither forwarded to the media server nor logged as such. */
async function expectNothingPassedOn(logged: readonly MediaApiLogEntry[]): Promise<void> {
  expect(upstream.received).toEqual([]);
  expect(await shared.mediaLog()).toEqual(logged);
}

it("a project's key gives access to its channels on the media server", async () => {
  const intake = await serveHttp((request, response) => {
    request.resume().on("end", () => response.end('{"allowed":true}'));
  });
  const media = await startFakeMedia({ intakeUrl: intake.url, intakeKey: "mi_test" });
  onTestFinished(async () => {
    await media.close({ abrupt: true });
    await intake.close();
  });
  const { callRaw, mediaLog } = await startProxy({ url: media.apiUrl });
  const call = async (operation: string): Promise<[number, unknown]> => {
    const answer = await callRaw(operation);
    return [answer.status, await answer.json()];
  };
  for (const channelId of ["lobby@demo", "stage@demo"]) await media.connect({ channelId });
  expect(await call("ListChannelConnections")).toEqual([200, [expect.objectContaining(right)]]);
  expect(await call("DisconnectChannel")).toEqual([200, {}]);
  await media.settle();
  expect(media.connections).toBe(1);
  expect(await call("DisconnectChannel")).toEqual([404, { error_type: "CHANNEL-NOT-FOUND" }]);
  expect((await mediaLog()).map(({ media_target, status }) => [media_target, status])).toEqual([
    [TARGET, 404],
    [TARGET, 200],
    ["Media_20151104.ListChannelConnections", 200],
  ]);
});

describe("refuses a call that has", () => {
  const json = { "content-type": "application/json" };
  const twice = '{"channel_id":"lobby@demo","a":1,"channel\\u005fid":"lobby@other"}';
  const refused: [string, number, CallOptions, RegExp, string?][] = [
    ["no body", 400, { body: undefined }, /Is required/, "/channel_id"],
    ["an empty body", 400, { body: "" }, /Is required/, "/channel_id"],
    ["no channel", 400, { body: {} }, /Is required/, "/channel_id"],
    ["a body of null", 400, { body: "null" }, /Must be a JSON object/, ""],
    ["an array", 400, { body: [right] }, /Must be a JSON object/, ""],
    ["a body that is not JSON", 400, { body: "{'channel_id':1}" }, /Must be JSON/, ""],
    ["a member twice", 400, { body: twice }, /only once/, "/channel_id"],
    ["an invalid channel", 400, { body: { channel_id: "lobby" } }, /<channel_name>@<project_id>/, "/channel_id"],
    ["a channel without a project", 400, { body: { channel_id: "a@demo@" } }, /<channel_name>@/, "/channel_id"],
    ["a channel of another type", 400, { body: { channel_id: ["lobby@demo"] } }, /./, "/channel_id"],
    ["a channel of 256 bytes", 400, { body: { channel_id: `${"é".repeat(125)}x@demo` } }, /255 bytes/, "/channel_id"],
    ["an unpaired surrogate", 400, { body: '{"channel_id":"\\ud800@demo"}' }, /well-formed/, "/channel_id"],
    ["the wrong content type", 415, { headers: { "content-type": "text/plain" } }, /must be JSON/],
    ["a compressed body", 415, { headers: { ...json, "content-encoding": "gzip" } }, /must not be compressed/],
    ["a body too large", 413, { body: { ...right, a: "x".repeat(65_536) } }, /larger than 64 KiB/],
    ["no key", 401, { key: undefined }, /API key is missing/],
    ["an unknown key", 401, { key: newCredential("mo").text }, /API key is missing, unknown/],
    ["an intake key", 401, { key: newCredential("mi").text }, /API key is missing/],
    ...["lobby@other", "lobby@demo@other", "lobby@Demo", "lobby@demo ", "lobby@ｄｅｍｏ", "@other", "a@demo\0"].map(
      (channel_id): (typeof refused)[number] => [
        `the channel ${JSON.stringify(channel_id)}`,
        403,
        { body: { channel_id } },
        /Write <channel_name>@demo, or use that project's key/,
      ],
    ),
    ...["", "DisconnectChannel", "Media_2015.A", "media_20151104.A", "Media_20151104.A/B", "Media_20151104.A.B"].map(
      (value): (typeof refused)[number] => [
        `the target ${JSON.stringify(value)}`,
        400,
        { headers: { "x-media-target": value } },
        /^The header x-media-target is not an operation\. Send it once, as Media_<YYYYMMDD>\.<OperationName>/,
      ],
    ),
    [
      "a target too long",
      400,
      { headers: { "x-media-target": `Media_20151104.${"A".repeat(241)}` } },
      /x-media-target is not/,
    ],
  ];

  it.each(refused)(
    "%s: with %i and the reason, and neither forwards nor logs it",
    async (_, status, options, why, at) => {
      const logged = await shared.mediaLog();
      const answer = await shared.post(options);
      expect(answer).toMatchObject({ status, body: { detail: expect.stringMatching(why) } });
      if (at !== undefined) expect(answer.body).toMatchObject({ errors: [{ pointer: at }] });
      await expectNothingPassedOn(logged);
    },
  );

  it.each([
    ["no target", [], /is missing/],
    [
      "two targets",
      [`X-Media-Target: ${TARGET}`, "X-Media-Target: Media_20151104.ListConnections"],
      /is not an operation/,
    ],
    ["the same target twice", [`X-Media-Target: ${TARGET}`, `x-media-target: ${TARGET}`], /is not an operation/],
  ])("%s: with 400", async (_, targets, why) => {
    const { service, apiKey, mediaLog } = shared;
    const logged = await mediaLog();
    const body = JSON.stringify(right);
    const head = [`POST ${mediaApiPath} HTTP/1.1`, "Host: media.test", `Authorization: Bearer ${apiKey}`, ...targets];
    const lines = [...head, "Content-Type: application/json", `Content-Length: ${body.length}`];
    const [answer] = await exchange(service.url, requestText(lines, body));
    expect(answer && expectAnswer(mediaApiPath, answer)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(why) },
    });
    await expectNothingPassedOn(logged);
  });
});

it.each<[Record<string, string>, string[], string[]]>([
  [
    {},
    ["DisconnectChannel", "DisconnectConnection", "ListChannelConnections"],
    ["ListConnections", "listChannelConnections", "DisconnectEverybody"],
  ],
  [
    { MEDIA_MEDIA_API_OPERATIONS: "ListConnections, DisconnectChannel" },
    ["ListConnections", "DisconnectChannel"],
    ["ListChannelConnections"],
  ],
])("with the settings %j, forwards only %j, so that no project sees another's", async (env, allowed, others) => {
  const { post, mediaLog } = await startProxy(upstream, env);
  const call = (operation: string) => post({ headers: { "x-media-target": `Media_20151104.${operation}` } });
  for (const operation of others) {
    const detail =
      `This service does not pass on the operation ${operation}, only ${allowed.join(", ")}. ` +
      "Its operator can allow others with MEDIA_MEDIA_API_OPERATIONS.";
    expect(await call(operation)).toMatchObject({ status: 400, body: { detail } });
  }
  expect([upstream.received, await mediaLog()]).toEqual([[], []]);
  for (const operation of allowed) expect((await call(operation)).status).toBe(200);
  expect(upstream.received).toHaveLength(allowed.length);
});

describe("a call whose body names another project's channel", () => {
  it.each([
    '"Channel_ID":"lobby@other"',
    '"channelId":"lobby@other"',
    '"channel_ids":["stage@demo","lobby@other"]',
    '"channel_id\\u0000":"lobby@other"',
    '"from":{"channel_id":"lobby@other"}',
    '"moves":[{"to_channel":"lobby@demo@other"}]',
    '"channel":{"id":"lobby@other"}',
    '"channels":[{"of":{"id":"stage@demo"}},{"of":[{"id":"lobby@other"}]}]',
    '"channels":{"lobby@other":{"limit":1}}',
    `"to_channel_id":"${"x".repeat(300)}@other"`,
  ])("is refused, even if its channel_id is right: %s", async (member) => {
    const logged = await shared.mediaLog();
    for (const body of [`{"channel_id":"lobby@demo",${member}}`, `{${member},"channel_id":"lobby@demo"}`]) {
      const detail = expect.stringMatching(/another project's channel/);
      expect(await shared.post({ body })).toMatchObject({ status: 403, body: { detail } });
    }
    await expectNothingPassedOn(logged);
  });

  it("is forwarded if no other member names one", async () => {
    const innocent = [
      { to_channel_id: "stage@demo" },
      { channel_ids: ["stage@demo", 7, null] },
      { channel_name: "lobby" },
      { data: { text: "ask ann@other.example" } },
    ];
    for (const members of innocent) {
      expect((await shared.post({ body: { ...right, ...members } })).status, JSON.stringify(members)).toBe(200);
    }
    expect(upstream.received).toHaveLength(innocent.length);
  });
});

it("without a media server, refuses a call with 503 and the setting to add, and does not log it", async () => {
  const { call } = await startTestService();
  const answer = await call(mediaApiPath, { body: right, headers: { "x-media-target": TARGET } });
  expect(answer).toMatchObject({ status: 503, body: { detail: expect.stringContaining("set MEDIA_UPSTREAM_URL") } });
  expect((await call(pathOf.listMediaApiLogs)).body).toEqual([]);
  expect((await call(mediaApiPath, { key: undefined })).status).toBe(401);
});

it("counts calls in the metrics by their path, and keeps them out of the API log", async () => {
  const { service, call, post } = await startProxy(upstream);
  await post({ body: {} });
  const metrics = await (await fetch(`${service.internalUrl}/metrics`)).text();
  expect(metrics).toContain('media_answers_total{path="/media-api",status="400"} 1');
  expect((await call(pathOf.listApiLogs)).body).toEqual([]);
});
