import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { pathOf, startTestService, type TestService } from "../test/harness.js";
import { DRAIN_MS } from "./listening.js";

/** Opens a connection that sends nothing; it closes after the test. */
async function open(url: string, localAddress = "127.0.0.1"): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress }).on("error", () => {});
  onTestFinished(() => void socket.destroy());
  socket.resume();
  await once(socket, "connect");
  return socket;
}

/** Calls an operation on a separate connection that stays open. */
async function openWithKey({ service, apiKey }: TestService) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const call = () =>
    new Promise<number>((done, failed) => {
      const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "content-length": 2 };
      request(service.url + pathOf.createAccessToken, { agent, method: "POST", headers }, (response) => {
        text(response).then(() => done(response.statusCode ?? 0), failed);
      })
        .on("error", failed)
        .end("{}");
    });
  expect(await call()).toBe(200);
  return call;
}

const isClosed = async (socket: Socket): Promise<void> => expect.poll(() => socket.closed).toBe(true);

const closedConnections = async ({ service }: TestService) => {
  const metrics = await (await fetch(`${service.internalUrl}/metrics`)).text();
  const counted = metrics.matchAll(/^media_(\w+)_connections_closed_total\{limit="(\w+)"\} (\d+)$/gm);
  return [...counted].map(([, listener, limit, value]) => ({ listener, limit, value: Number(value) }));
};

describe("at the connection limit", () => {
  it("of one address, a new connection closes that address's oldest one without a good key, and no other", async () => {
    const target = await startTestService({ env: { MEDIA_MAX_CONNECTIONS_PER_ADDRESS: "3" } });
    const { url } = target.service;
    const other = await open(url, "127.0.0.2");
    const [first, second, third] = [await open(url), await open(url), await open(url)];
    const fourth = await open(url);
    await isClosed(first);
    const fifth = await open(url);
    await isClosed(second);
    expect([third, fourth, fifth, other].map((socket) => socket.closed)).toEqual([false, false, false, false]);
    expect(await closedConnections(target)).toEqual([{ listener: "public", limit: "address", value: 2 }]);
  });

  it("in all, a new connection closes the oldest one without a good key, of another address if none has more", async () => {
    const target = await startTestService({
      env: { MEDIA_MAX_CONNECTIONS: "2", MEDIA_MAX_CONNECTIONS_PER_ADDRESS: "0" },
    });
    const { url } = target.service;
    const [first, second] = [await open(url, "127.0.0.2"), await open(url, "127.0.0.3")];
    await open(url);
    await isClosed(first);
    expect(second.closed).toBe(false);
    expect(await closedConnections(target)).toEqual([{ listener: "public", limit: "all", value: 1 }]);
  });

  it("in all, many connections from one address do not close the only one of another", async () => {
    const target = await startTestService({
      env: { MEDIA_MAX_CONNECTIONS: "4", MEDIA_MAX_CONNECTIONS_PER_ADDRESS: "0" },
    });
    const { url } = target.service;
    const only = await open(url, "127.0.0.2");
    const first = await open(url, "127.0.0.3");
    for (let round = 0; round < 20; round++) await open(url, "127.0.0.3");
    await isClosed(first);
    expect(only.closed).toBe(false);
  });

  it("callers with a good key keep their connections and get new ones, regardless of how many have none", async () => {
    const target = await startTestService({
      env: { MEDIA_MAX_CONNECTIONS: "4", MEDIA_MAX_CONNECTIONS_PER_ADDRESS: "4" },
    });
    const call = await openWithKey(target);
    for (let round = 0; round < 20; round++) await open(target.service.url);
    expect(await call()).toBe(200);
    await openWithKey(target);
    expect(await call()).toBe(200);
  });

  it("a new connection is closed if all others have shown a good key", async () => {
    const target = await startTestService({ env: { MEDIA_MAX_CONNECTIONS_PER_ADDRESS: "2" } });
    const calls = [await openWithKey(target), await openWithKey(target)];
    await isClosed(await open(target.service.url));
    for (const call of calls) expect(await call()).toBe(200);
  });

  it("closed connections make room for others", async () => {
    const target = await startTestService({ env: { MEDIA_MAX_CONNECTIONS_PER_ADDRESS: "2" } });
    for (let round = 0; round < 5; round++) {
      const socket = await open(target.service.url);
      socket.end();
      // Waits until the service has closed it, too.
      await isClosed(socket);
    }
    await openWithKey(target);
    expect(await closedConnections(target)).toEqual([]);
  });

  it("the internal listener still answers, and the log has one line a minute, which names the setting", async () => {
    const target = await startTestService({ env: { MEDIA_MAX_CONNECTIONS_PER_ADDRESS: "1" } });
    for (let round = 0; round < 10; round++) await open(target.service.url);
    expect((await fetch(`${target.service.internalUrl}/readyz`)).status).toBe(200);
    expect(target.logged().match(/over the limit of one address.*MEDIA_MAX_CONNECTIONS_PER_ADDRESS=0/g)).toHaveLength(
      1,
    );
  });
});

describe("a connection without a complete request is closed", () => {
  it("when the service stops, instead of being awaited", async () => {
    const { service } = await startTestService();
    const sockets = [await open(service.url), await open(service.internalUrl)];
    const start = performance.now();
    await service.stop();
    expect(performance.now() - start).toBeLessThan(DRAIN_MS);
    for (const socket of sockets) await isClosed(socket);
  });

  it.each([
    ["sends nothing", ""],
    ["sends its headers a byte at a time", "POST / HTTP/1.1\r\nHost: media.test\r\nX-Slow: "],
  ])("if it %s", async (_, start) => {
    const target = await startTestService({ limits: { headersTimeoutMs: 300, checkEveryMs: 50 } });
    const socket = await open(target.service.url);
    socket.write(start);
    const drip = setInterval(() => socket.write(start && "x"), 20);
    onTestFinished(() => clearInterval(drip));
    await isClosed(socket);
  });
});
