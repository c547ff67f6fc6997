import type { MediaApiLogEntry } from "@media-ops/contract";
import { type FakeMedia, startFakeMedia } from "@media-ops/fake-media";
import { serveHttp } from "@media-ops/testing/servers";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { newCredential } from "../keys/credential.js";
import { type Answer, type CallOptions, pathOf, startTestService, type TestService } from "../test/harness.js";
import { exchange, expectAnswer, requestText } from "../test/raw-http.js";
import { mediaApiPath } from "./routes.js";

const target = "Media_20151104.DisconnectChannel";
const right = { channel_id: "lobby@demo" };

type AtEnd = (end: () => Promise<void>) => void;

/** A media server that admits every client. */
async function startMedia(atEnd: AtEnd): Promise<FakeMedia> {
  const intake = await serveHttp((request, response) => {
    request.resume().on("end", () => response.end('{"allowed":true}'));
  });
  const media = await startFakeMedia({ intakeUrl: intake.url, intakeKey: "mi_test" });
  atEnd(async () => {
    await media.close({ abrupt: true });
    await intake.close();
  });
  return media;
}

interface Proxy extends TestService {
  readonly media: FakeMedia;
  /** Calls the media API; by default with a valid call. */
  post(options?: CallOptions): Promise<Answer>;
  mediaLog(): Promise<MediaApiLogEntry[]>;
  /** Expects that no call was forwarded to the media server, or logged as such. */
  expectNothingPassedOn(): Promise<void>;
}

async function startProxy(
  env: Record<string, string> = {},
  { now = Date.now, atEnd = onTestFinished }: { now?: () => number; atEnd?: AtEnd } = {},
): Promise<Proxy> {
  const media = await startMedia(atEnd);
  const service = await startTestService({ env: { MEDIA_UPSTREAM_URL: media.apiUrl, ...env }, now, atEnd });
  const mediaLog = async () => (await service.call(pathOf.listMediaApiLogs)).body as MediaApiLogEntry[];
  return {
    ...service,
    media,
    post: (options = {}) =>
      service.call(mediaApiPath, {
        body: right,
        ...options,
        headers: { "x-media-target": target, ...options.headers },
      }),
    mediaLog,
    async expectNothingPassedOn() {
      expect(media.apiCalls).toEqual([]);
      expect(await mediaLog()).toEqual([]);
    },
  };
}

// Shared by tests whose calls are all refused, so that it never forwards one.
const refusing = await startProxy({ MEDIA_MEDIA_API_PER_MINUTE: "0" }, { atEnd: afterAll });

/** Calls an operation with the project's key, without checking the answer, which may be the media server's own. */
async function callOperation({ service, apiKey }: TestService, operation: string): Promise<[number, unknown]> {
  const response = await fetch(service.url + mediaApiPath, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "x-media-target": `Media_20151104.${operation}`,
    },
    body: JSON.stringify(right),
  });
  return [response.status, await response.json()];
}

it("a project's key gives access to its channels on the media server", async () => {
  const proxy = await startProxy();
  const { media, mediaLog } = proxy;
  const call = (operation: string) => callOperation(proxy, operation);
  for (const channelId of ["lobby@demo", "stage@demo"]) await media.connect({ channelId });
  expect(await call("ListChannelConnections")).toEqual([200, [expect.objectContaining(right)]]);
  expect(await call("DisconnectChannel")).toEqual([200, {}]);
  await media.settle();
  expect(media.connections).toBe(1);
  expect(await call("DisconnectChannel")).toEqual([404, { error_type: "CHANNEL-NOT-FOUND" }]);
  expect((await mediaLog()).map(({ media_target, status }) => [media_target, status])).toEqual([
    [target, 404],
    [target, 200],
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
      const { post, expectNothingPassedOn } = refusing;
      const answer = await post(options);
      expect(answer).toMatchObject({ status, body: { detail: expect.stringMatching(why) } });
      if (at !== undefined) expect(answer.body).toMatchObject({ errors: [{ pointer: at }] });
      await expectNothingPassedOn();
    },
  );

  it.each([
    ["no target", [], /is missing/],
    [
      "two targets",
      [`X-Media-Target: ${target}`, "X-Media-Target: Media_20151104.ListConnections"],
      /is not an operation/,
    ],
    ["the same target twice", [`X-Media-Target: ${target}`, `x-media-target: ${target}`], /is not an operation/],
  ])("%s: with 400", async (_, targets, why) => {
    const { service, apiKey, expectNothingPassedOn } = refusing;
    const body = JSON.stringify(right);
    const head = [`POST ${mediaApiPath} HTTP/1.1`, "Host: media.test", `Authorization: Bearer ${apiKey}`, ...targets];
    const lines = [...head, "Content-Type: application/json", `Content-Length: ${body.length}`];
    const [answer] = await exchange(service.url, requestText(lines, body));
    expect(answer && expectAnswer(mediaApiPath, answer)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(why) },
    });
    await expectNothingPassedOn();
  });
});

it("forwards only the operations on one channel by default, so that no project sees another's", async () => {
  const proxy = await startProxy();
  for (const channelId of ["secret@other", "lobby@demo"]) await proxy.media.connect({ channelId });
  for (const operation of ["ListConnections", "listChannelConnections", "DisconnectEverybody"]) {
    const detail =
      `This service does not pass on the operation ${operation}, only DisconnectChannel, DisconnectConnection, ` +
      "ListChannelConnections. Its operator can allow others with MEDIA_MEDIA_API_OPERATIONS.";
    expect(await callOperation(proxy, operation)).toEqual([400, expect.objectContaining({ detail })]);
  }
  await proxy.expectNothingPassedOn();
  expect(await callOperation(proxy, "ListChannelConnections")).toEqual([200, [expect.objectContaining(right)]]);
  expect(await callOperation(proxy, "DisconnectConnection")).toEqual([400, { error_type: "INVALID_CONNECTION_ID" }]);
  expect(await callOperation(proxy, "DisconnectChannel")).toEqual([200, {}]);
});

it("forwards only the operations that the operator allows", async () => {
  const proxy = await startProxy({ MEDIA_MEDIA_API_OPERATIONS: "ListConnections, DisconnectChannel" });
  await proxy.media.connect({ channelId: "lobby@demo" });
  const detail = expect.stringContaining("only ListConnections, DisconnectChannel.");
  expect(await callOperation(proxy, "ListChannelConnections")).toEqual([400, expect.objectContaining({ detail })]);
  expect(await callOperation(proxy, "ListConnections")).toEqual([200, [expect.objectContaining(right)]]);
  expect(await proxy.mediaLog()).toHaveLength(1);
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
    const { post, expectNothingPassedOn } = refusing;
    for (const body of [`{"channel_id":"lobby@demo",${member}}`, `{${member},"channel_id":"lobby@demo"}`]) {
      const answer = await post({ body });
      expect(answer).toMatchObject({
        status: 403,
        body: { detail: expect.stringMatching(/another project's channel/) },
      });
    }
    await expectNothingPassedOn();
  });

  it("is forwarded if no other member names one", async () => {
    const { post, media } = await startProxy();
    const innocent = [
      { to_channel_id: "stage@demo" },
      { channel_ids: ["stage@demo", 7, null] },
      { channel_name: "lobby" },
      { data: { text: "ask ann@other.example" } },
    ];
    for (const members of innocent) {
      await media.connect({ channelId: right.channel_id });
      expect((await post({ body: { ...right, ...members } })).status, JSON.stringify(members)).toBe(200);
    }
    expect(media.apiCalls).toHaveLength(innocent.length);
  });
});

it("without a media server, refuses a call with 503 and the setting to add, and does not log it", async () => {
  const { call } = await startTestService();
  const answer = await call(mediaApiPath, { body: right, headers: { "x-media-target": target } });
  expect(answer).toMatchObject({ status: 503, body: { detail: expect.stringContaining("set MEDIA_UPSTREAM_URL") } });
  expect((await call(pathOf.listMediaApiLogs)).body).toEqual([]);
  expect((await call(mediaApiPath, { key: undefined })).status).toBe(401);
});

it("counts media API calls for each key, separately from the operations, and refuses those over the limit with 429", async () => {
  let time = Date.parse("2026-04-01T10:30:00Z");
  const { post, createKey, mediaLog, call, media } = await startProxy(
    { MEDIA_MEDIA_API_PER_MINUTE: "2" },
    { now: () => time },
  );
  const other = await createKey("demo");
  for (let i = 0; i < 5; i++) await call(pathOf.listSessionLogs);
  await media.connect({ channelId: "lobby@demo" });
  const left = ({ status, headers }: Answer) => [
    status,
    ...["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"].map((name) => headers.get(name)),
  ];
  expect(left(await post())).toEqual([200, "2", "1", "60", null]);
  // Refused calls count as well.
  expect(left(await post({ body: {} }))).toEqual([400, "2", "0", "60", null]);
  time += 57_000;
  const refused = await post();
  expect(left(refused)).toEqual([429, "2", "0", "3", "3"]);
  expect(refused.body).toMatchObject({ detail: expect.stringContaining("made 2 media API calls within a minute") });
  expect(left(await post({ key: other, body: {} }))).toEqual([400, "2", "1", "60", null]);
  expect(await mediaLog()).toHaveLength(1);
  time += 3000;
  expect(left(await post({ body: {} }))).toEqual([400, "2", "1", "60", null]);
});

it("counts calls in the metrics by their path, and keeps them out of the API log", async () => {
  const { service, call, post } = await startProxy();
  await post({ body: {} });
  const metrics = await (await fetch(`${service.internalUrl}/metrics`)).text();
  expect(metrics).toContain('media_answers_total{path="/media-api",status="400"} 1');
  expect((await call(pathOf.listApiLogs)).body).toEqual([]);
});
