import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { MediaApiLogEntry } from "@media-ops/contract";
import { databaseUrl } from "@media-ops/testing";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { refusedActs } from "../audit/acts.js";
import { Listener } from "../http/listener.js";
import { listen } from "../http/listening.js";
import { newCredential } from "../keys/credential.js";
import { createLog } from "../log.js";
import type { NewEntry } from "../logs/log-store.js";
import { LogWriter } from "../logs/log-writer.js";
import { openStorage } from "../storage/open-storage.js";
import { type Answer, callWithin, pathOf, startTestService, type TestService } from "../test/harness.js";
import { MediaServer } from "./media-server.js";
import { mediaApiPath, mediaApiRoute } from "./routes.js";

const target = "Media_20151104.DisconnectChannel";
const right = { body: { channel_id: "lobby@demo" }, headers: { "x-media-target": target } };
const MAX = 16 * 2 ** 20;

/** A server that answers the first bytes of each connection as the test has set. */
const odd = { url: "", sockets: [] as Socket[], answer: (_: Socket): void => {} };
const server = createServer((socket) => {
  odd.sockets.push(socket);
  socket.on("error", () => {});
  socket.once("data", () => odd.answer(socket));
}).listen(0, "127.0.0.1");
await once(server, "listening");
odd.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.close();
  for (const socket of odd.sockets) socket.destroy();
});

/** Sets how the media server answers from now on. */
function answerWith(answer: (socket: Socket) => void): void {
  odd.sockets = [];
  odd.answer = answer;
}

const shared = await startTestService({ env: { MEDIA_UPSTREAM_URL: odd.url }, atEnd: afterAll });

/** Calls through a service. Returns the answer, the newest log entry, and the service's own log. */
async function callThrough({ call, logged }: TestService) {
  const answer = await call(mediaApiPath, right);
  const [entry] = (await call(pathOf.listMediaApiLogs)).body as MediaApiLogEntry[];
  return { answer, entry, logged };
}

const head = (...lines: string[]): string => `HTTP/1.1 ${["200 OK", ...lines].join("\r\n")}\r\n\r\n`;

describe("a media server that", () => {
  const oddCases: [string, (socket: Socket) => void, string][] = [
    ["does not speak HTTP", (socket) => socket.end("220 hello\r\n\r\n"), "its answer is not HTTP"],
    ["resets the connection", (socket) => void socket.resetAndDestroy(), "the connection was lost"],
    ["breaks off in its body", (socket) => socket.end(`${head("Content-Length: 9")}{`), "the connection was lost"],
    ["has endless headers", (socket) => socket.end(head(`A: ${"x".repeat(20_000)}`)), "its answer is not HTTP"],
    ["has a status beyond HTTP", (socket) => socket.end("HTTP/1.1 600 Odd\r\n\r\n"), "has the status 600"],
    [
      "compresses although the request forbids it",
      (socket) => socket.end(Buffer.concat([Buffer.from(head("Content-Encoding: gzip")), gzipSync("{}")])),
      "its answer is compressed",
    ],
    ["sends too much", (socket) => socket.end(head() + "x".repeat(MAX + 1)), "its answer is larger than 16 MiB"],
  ];

  it.each(oddCases)("%s is answered with 502 and the reason, and the call is logged", async (_, respond, why) => {
    answerWith(respond);
    const { answer, entry, logged } = await callThrough(shared);
    expect(answer).toMatchObject({
      status: 502,
      body: {
        detail: expect.stringMatching(/^The media server sent no usable answer: .* It may have carried out the call/),
      },
    });
    expect(answer.text).toContain(why);
    expect(entry).toMatchObject({ media_target: target, channel_id: "lobby@demo", status: 502 });
    // A retry might execute the call twice.
    expect(odd.sockets).toHaveLength(1);
    expect(logged()).toContain(why);
  });

  it.each([
    ["is down", "http"],
    ["has no TLS although its URL is https", "https"],
  ])("%s is answered with 502 and what to check, and the call is logged", async (_, scheme) => {
    answerWith((socket) => socket.end("What?"));
    const address = scheme === "https" ? odd.url.replace("http:", "https:") : "http://127.0.0.1:1";
    const service = await startTestService({ env: { MEDIA_UPSTREAM_URL: address } });
    const { answer, entry, logged } = await callThrough(service);
    const detail = "The media server could not be reached. Check that it runs, and that MEDIA_UPSTREAM_URL is right.";
    expect(answer).toMatchObject({ status: 502, body: { detail } });
    expect(entry).toMatchObject({ status: 502 });
    expect(logged()).toMatch(/ECONNREFUSED|EPROTO|ERR_SSL/);
  });

  it("sends an answer of the maximum size is read to the end", async () => {
    answerWith((socket) => socket.end(`${head("Content-Type: text/plain")}${"x".repeat(MAX)}`));
    const { service, apiKey } = shared;
    const answer = await fetch(service.url + mediaApiPath, {
      method: "POST",
      headers: { ...right.headers, authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(right.body),
    });
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, MAX]);
  });

  it.each([
    ["sends nothing", () => {}],
    ["never ends", (socket: Socket) => void socket.write(`${head("Content-Length: 9")}{`)],
    ["keeps sending", drip],
  ])("%s is answered with 504, and the call is logged", async (_, respond) => {
    answerWith(respond);
    const { answer, entries } = await callWithTimeout(odd.url, 300);
    expect(answer).toMatchObject({
      status: 504,
      body: {
        detail: "The media server did not answer within 0.3 seconds. It may have carried out the call nevertheless.",
      },
    });
    expect(entries.map(({ projectId, kind, text }) => [projectId, kind, JSON.parse(text).status])).toEqual([
      ["demo", "media-api", 504],
    ]);
    await expect.poll(() => odd.sockets.map((socket) => socket.destroyed)).toEqual([true]);
  });
});

function drip(socket: Socket): void {
  socket.write(head());
  const timer = setInterval(() => socket.write("x"), 20);
  socket.once("close", () => clearInterval(timer));
}

async function callWithTimeout(
  upstreamUrl: string,
  timeoutMs: number,
): Promise<{ answer: Answer; entries: NewEntry[] }> {
  const entries: NewEntry[] = [];
  const writer = new LogWriter({ commit: async (all) => void entries.push(...all.flatMap((one) => one.entries)) });
  const credential = newCredential("mo");
  const key = { projectId: "demo", keyId: credential.keyId, hash: Buffer.alloc(32), sealed: "", createdAt: "" };
  const storage = await openStorage(await databaseUrl({ memory: true }));
  onTestFinished(() => storage.close());
  const route = mediaApiRoute({
    gate: { admit: async () => ({ caller: { key: { ...key, revokedAt: null }, credential } }) },
    mediaServer: new MediaServer({ url: upstreamUrl, writer, now: Date.now, timeoutMs }),
    operations: ["DisconnectChannel"],
    query: storage.query,
    write: storage.writeAll,
    refused: refusedActs({ query: storage.query, write: storage.writeAll, now: Date.now }),
    now: Date.now,
  });
  const { server, url } = await listen({ host: "127.0.0.1", port: 0, setting: "MEDIA_PORT" });
  const listener = new Listener(server, { routes: [route], hint: "", log: createLog({ level: "silent" }) });
  onTestFinished(() => listener.stop());
  const answer = await callWithin(url, mediaApiPath, right);
  await writer.settled();
  return { answer, entries };
}

it("a call times out after exactly 10 seconds", async () => {
  answerWith(() => {});
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const passed: NewEntry[] = [];
  const server = new MediaServer({
    url: odd.url,
    now: () => 0,
    writer: { record: (entry) => void passed.push(entry) },
  });
  const call = { projectId: "demo", target, channelId: "lobby@demo", body: Buffer.from("{}"), requestId: "1" };
  const refused = expect(server.pass(call)).rejects.toMatchObject({
    kind: "gateway-timeout",
    message: expect.stringContaining("within 10 seconds"),
  });
  while ((odd.sockets[0]?.bytesRead ?? 0) === 0) await new Promise(setImmediate);
  vi.advanceTimersByTime(9999);
  await new Promise(setImmediate);
  expect(passed).toEqual([]);
  vi.advanceTimersByTime(1);
  await refused;
  const timestamp = new Date(0).toISOString();
  expect(passed).toMatchObject([{ projectId: "demo", timestamp }]);
  expect(JSON.parse(passed[0]?.text ?? "")).toMatchObject({ media_target: target, status: 504, timestamp });
});
