import { afterAll, expect, it } from "vitest";
import { revokeApiKey } from "../keys/api-keys.js";
import { newCredential } from "../keys/credential.js";
import { pathOf, startTestService, type TestService } from "../test/harness.js";
import { exchange, RawConnection } from "../test/raw-http.js";

const unlimited = { MEDIA_LISTINGS_PER_MINUTE: "0", MEDIA_TOKENS_PER_MINUTE: "0" };
const shared = await startTestService({ env: unlimited, atEnd: afterAll });

// Each character of a body is one byte.
const ways = {
  length: (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`,
  chunks: (body: string) => `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
};

interface Call {
  readonly path: string;
  readonly body: string;
  readonly key?: string;
  readonly headers?: string;
}

async function answerOf(way: keyof typeof ways, { service, apiKey }: TestService, call: Call) {
  const { path, body, key = apiKey, headers = "" } = call;
  const head = `POST ${path} HTTP/1.1\r\nHost: media.test\r\nConnection: close\r\nX-Request-Id: same\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\n${headers}`;
  const [answer] = await exchange(service.url, head + ways[way](body));
  const all = Object.fromEntries(answer?.headers ?? []);
  return { status: answer?.status, text: answer?.text, headers: { ...all, date: "now" } };
}

const calls: [string, number, Call][] = [
  ["lists a log", 200, { path: pathOf.listWebhookLogs, body: "{}" }],
  ["names its project", 200, { path: pathOf.listSessionLogs, body: '{"project_id":"demo"}' }],
  ["names another project", 403, { path: pathOf.listWebhookLogs, body: '{"project_id":"other"}' }],
  ["has an unknown member", 400, { path: pathOf.listWebhookLogs, body: '{"limt":1}' }],
  ["has a member twice", 400, { path: pathOf.listWebhookLogs, body: '{"project_id":"demo","project_id":"demo"}' }],
  ["is not JSON", 400, { path: pathOf.createAccessToken, body: "{" }],
  ["has a blank body", 400, { path: pathOf.createAccessToken, body: "\r\n" }],
  ["has a byte order mark alone for a body", 400, { path: pathOf.createAccessToken, body: "\xef\xbb\xbf" }],
  ["lists a log with a blank body", 400, { path: pathOf.listSessionLogs, body: " " }],
  ["has null for a body", 400, { path: pathOf.listApiLogs, body: "null" }],
  ["has a wrong key", 401, { path: pathOf.listWebhookLogs, body: "{}", key: newCredential("mo").text }],
  ["is compressed", 415, { path: pathOf.listWebhookLogs, body: "{}", headers: "Content-Encoding: gzip\r\n" }],
];

it.each(calls)("a call that %s gets the same answer with a length and in chunks", async (_, status, call) => {
  const [whole, inChunks] = [await answerOf("length", shared, call), await answerOf("chunks", shared, call)];
  expect(whole).toEqual(inChunks);
  expect(whole.status).toBe(status);
});

it("calls count against the limit, and their answers say how many are left", async () => {
  const service = await startTestService({ env: { MEDIA_LISTINGS_PER_MINUTE: "4" } });
  await service.call(pathOf.listWebhookLogs);
  const call = { path: pathOf.listWebhookLogs, body: "{}" };
  const answers = [];
  for (const way of ["length", "chunks", "length", "length", "chunks"] as const) {
    answers.push(await answerOf(way, service, call));
  }
  expect(answers.map(({ status, headers }) => [status, new Headers(headers).get("ratelimit-remaining")])).toEqual([
    [200, "2"],
    [200, "1"],
    [200, "0"],
    [429, "0"],
    [429, "0"],
  ]);
});

it("a key is refused on a connection that has used it, once its revocation is known", async () => {
  const { service } = shared;
  const key = await shared.createKey("demo");
  const body = "{}";
  const connection = await RawConnection.open(service.url);
  const call = `POST ${pathOf.listWebhookLogs} HTTP/1.1\r\nHost: media.test\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\n${ways.length(body)}`;
  connection.write(call);
  expect(await connection.answers(1)).toMatchObject([{ status: 200 }]);
  await revokeApiKey(service.storage.query, key.split("_")[1] ?? "", Date.now());
  // A call with an unknown key makes the service read the keys again.
  await shared.call(pathOf.listWebhookLogs, { key: newCredential("mo").text });
  connection.write(call);
  expect(await connection.answers(2)).toMatchObject([{ status: 200 }, { status: 401 }]);
  await connection.end();
});
