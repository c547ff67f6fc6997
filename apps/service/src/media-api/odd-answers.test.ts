import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { MediaApiLogEntry } from "@media-ops/contract";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { NewEntry } from "../logs/log-store.js";
import { pathOf, startTestService, type TestService } from "../test/harness.js";
import { MediaServer } from "./media-server.js";
import { mediaApiPath } from "./routes.js";

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
  ])("%s is refused with 504, and the call is logged", async (_, respond) => {
    answerWith(respond);
    const { refused, entries } = pass({ timeoutMs: 300 });
    await expect(refused).rejects.toMatchObject({
      status: 504,
      message: "The media server did not answer within 0.3 seconds. It may have carried out the call nevertheless.",
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

/** Passes a call on, with the entries that it leaves. */
function pass(options: { timeoutMs?: number } = {}) {
  const entries: NewEntry[] = [];
  const writer = { record: (entry: NewEntry) => void entries.push(entry) };
  const server = new MediaServer({ url: odd.url, now: () => 0, writer, ...options });
  const call = { projectId: "demo", target, channelId: "lobby@demo", body: Buffer.from("{}"), requestId: "1" };
  return { refused: server.pass(call), entries };
}

it("a call times out after exactly 10 seconds", async () => {
  answerWith(() => {});
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { refused, entries } = pass();
  const isRefused = expect(refused).rejects.toMatchObject({
    kind: "gateway-timeout",
    message: expect.stringContaining("within 10 seconds"),
  });
  while ((odd.sockets[0]?.bytesRead ?? 0) === 0) await new Promise(setImmediate);
  vi.advanceTimersByTime(9999);
  await new Promise(setImmediate);
  expect(entries).toEqual([]);
  vi.advanceTimersByTime(1);
  await isRefused;
  const timestamp = new Date(0).toISOString();
  expect(entries).toMatchObject([{ projectId: "demo", timestamp }]);
  expect(JSON.parse(entries[0]?.text ?? "")).toMatchObject({ media_target: target, status: 504, timestamp });
});
