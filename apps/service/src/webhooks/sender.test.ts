import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { validator } from "@media-ops/openapi/judge";
import type { Resolve } from "@media-ops/public-addresses";
import { createVault } from "@media-ops/secrets";
import * as fc from "fast-check";
import { Webhook as Verifier } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startReceiver } from "../test/receiver.js";
import {
  faultOf,
  isSuccess,
  type Receipt,
  type SenderOptions,
  type WebhookMessage,
  WebhookSecrets,
  WebhookSender,
} from "./sender.js";
import { newWebhookSecret } from "./signature.js";
import { purposeOf, type Webhook } from "./webhooks.js";

// A test certificate: self-signed, for localhost and 127.0.0.1, until 2120.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQge53CdwE/NgzK9vOf
LwUKX4aYSGBq0fvhlFPvK+9ALdOhRANCAATEgt1Be97WxeTCbMcMjUtmQpmIQZpu
g36ALp1CYaDx14COWvzvDLDdgym6M/f23tZFH0Flq7pY2rHWLM8YWCKx
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBNjCB3aADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAExILdQXve1sXkwmzH
DI1LZkKZiEGaboN+gC6dQmGg8deAjlr87wyw3YMpujP39t7WRR9BZau6WNqx1izP
GFgisaMeMBwwGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49BAMC
A0gAMEUCIQC2CjYQrwb2aVqqsPXabrkCk2JZkesNn++gL9wcBtheHQIgTsb2dQRG
fa6qivWKzam3j8/M0DGP4qta8rBc3YlgU30=
-----END CERTIFICATE-----`;

/** A receiver of webhooks, which is closed after the test. */
interface Receiver {
  /** Such as 127.0.0.1:49152. */
  readonly host: string;
  readonly url: string;
  /** All connections that were ever made to it. */
  readonly sockets: Socket[];
  /** How many of them are still open. */
  open(): number;
}

async function listen(server: Server): Promise<Receiver> {
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    sockets.push(socket.on("error", () => {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/`, sockets, open: () => sockets.filter((socket) => !socket.closed).length };
}

const receive = (answer: RequestListener): Promise<Receiver> => listen(createServer(answer));

/**
 * A receiver that need not speak HTTP. The callback runs at the end of each webhook, with its number on the connection.
 */
const receiveRaw = (onWebhook: (socket: Socket, nth: number) => void): Promise<Receiver> =>
  listen(
    createNetServer((socket) => {
      let count = 0;
      socket.on("data", (bytes) => {
        if (bytes.toString().endsWith("}")) onWebhook(socket, ++count);
      });
    }),
  );

const body = '{"type":"session.started"}';

const vault = createVault(new Uint8Array(32).fill(7));
const seal = (secret: string, projectId = "demo"): Promise<string> => vault.seal(secret, purposeOf(projectId, "event"));
const webhookWith = async (over: Partial<Webhook> = {}): Promise<Webhook> => ({
  ...{ projectId: "demo", kind: "event", url: "", secret: await seal("whsec_bmV3"), setAt: "" },
  ...{ oldSecret: null, oldSecretUntil: null, offAt: null, offReason: null, failingSince: null },
  ...over,
});
const secret = newWebhookSecret();
const demo = await webhookWith({ secret: await seal(secret) });

/** A sender that may use loopback addresses, unless the options say otherwise; closed after the test. */
function openSender(options: Partial<SenderOptions> = {}) {
  const sender = new WebhookSender({ vault, allowPrivate: true, ...options });
  onTestFinished(() => sender.close());
  const sendLogged = (url: string, { to = demo, ...more }: Partial<WebhookMessage> & { to?: Webhook } = {}) => {
    const message = { webhook: { ...to, url }, id: "msg_1", type: "session.started", body, timeoutMs: 10_000 };
    return sender.send({ ...message, ...more });
  };
  const send = async (...args: Parameters<typeof sendLogged>): Promise<Receipt> => (await sendLogged(...args)).receipt;
  return { sender, send, sendLogged };
}

const answers = (status: number, headers = ""): string =>
  `HTTP/1.1 ${status} x\r\ncontent-length: 2\r\n${headers}\r\nok`;
const nothing = Buffer.alloc(0);

describe("a webhook", () => {
  it("is a POST of its body as JSON, with the given headers, and has an entry for the log", async () => {
    const seen: unknown[] = [];
    const { url } = await receive(async (request, response) => {
      seen.push(request.method, request.url, await text(request), request.headers);
      response.end("thanks");
    });
    const { sendLogged } = openSender({ now: () => 1_775_035_815_250 });
    const { receipt, entry } = await sendLogged(`${url}hooks?project=demo`, { body: '{"text":"ü"}' });
    expect(receipt).toEqual({
      status: 200,
      body: Buffer.from("thanks"),
      startedAt: 1_775_035_815_250,
      elapsedMs: expect.any(Number),
    });
    expect(seen).toEqual(["POST", "/hooks?project=demo", '{"text":"ü"}', expect.anything()]);
    expect(seen[3]).toMatchObject({
      "content-type": "application/json",
      "content-length": "13",
      "user-agent": "media-ops",
      "webhook-id": "msg_1",
    });
    const timestamp = "2026-04-01T09:30:15.250Z";
    expect(entry).toMatchObject({ projectId: "demo", kind: "webhooks", timestamp });
    expect(JSON.parse(entry.text)).toEqual({
      ...{ timestamp, type: "session.started", url: `${url}hooks?project=demo`, status: 200 },
      elapsed_time_ms: Math.round(receipt.elapsedMs),
    });
  });

  it.each([200, 204, 301, 307, 410, 500, 503])(
    "that is answered with %i has this status, and is not redirected",
    async (status) => {
      const elsewhere = await receive((_, response) => response.end());
      const { url } = await receive((_, response) => response.writeHead(status, { location: elsewhere.url }).end());
      const receipt = await openSender().send(url);
      expect(receipt).toMatchObject({ status, body: nothing });
      expect(receipt).not.toHaveProperty("fault");
      expect(elsewhere.sockets).toHaveLength(0);
    },
  );

  it("is sent by TLS to a server with a valid certificate, even after a kept connection has ended", async () => {
    let count = 0;
    const { host } = await listen(
      createHttpsServer({ key, cert }, (request, response) => {
        if (++count === 2) request.socket.destroy();
        else response.end(String(count));
      }),
    );
    // Stands for a known certificate authority.
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { send } = openSender();
    expect(await send(`https://${host}/`)).toMatchObject({ status: 200, body: Buffer.from("1") });
    expect(await send(`https://${host}/`)).toMatchObject({ status: 200, body: Buffer.from("3") });
  });

  it("is sent again if the receiver closes a kept connection at that moment", async () => {
    for (const end of ["resetAndDestroy", "destroy", "end"] as const) {
      const { url, sockets } = await receiveRaw((socket, nth) => {
        if (nth === 1) socket.write(answers(200));
        else socket[end]();
      });
      const { send } = openSender();
      // Leaves two kept connections, both of which the receiver closes at their next request.
      await Promise.all([send(url), send(url)]);
      const next = await send(url);
      expect(next, end).toMatchObject({ status: 200, body: Buffer.from("ok") });
      expect(next).not.toHaveProperty("fault");
      expect(sockets).toHaveLength(3);
    }
  });

  it("is not sent again if an answer has begun, or the connection was new", async () => {
    const begun = await receiveRaw((socket, nth) => {
      if (nth === 1) socket.write(answers(200));
      else socket.write("HTTP/1.1 2", () => socket.destroy());
    });
    const lost = { status: 0, fault: "the connection was lost before it answered", body: nothing };
    const { send } = openSender();
    expect(await send(begun.url)).toMatchObject({ status: 200 });
    expect(await send(begun.url)).toMatchObject(lost);
    expect(begun.sockets).toHaveLength(1);
    const fresh = await receiveRaw((socket) => socket.resetAndDestroy());
    expect(await send(fresh.url)).toMatchObject(lost);
    expect(fresh.sockets).toHaveLength(1);
  });
});

describe("300 simultaneous webhooks", () => {
  it("are all sent, on 64 connections, a few of which are kept until the sender is closed", async () => {
    const receiver = await receive((_, response) => response.end("ok"));
    const { sender, send } = openSender();
    const receipts = await Promise.all(Array.from({ length: 300 }, () => send(receiver.url)));
    expect(receipts.map(({ status }) => status)).toEqual(Array(300).fill(200));
    expect(receiver.sockets.length).toBeLessThanOrEqual(64);
    await expect.poll(receiver.open).toBe(8);
    sender.close();
    await expect.poll(receiver.open).toBe(0);
  });

  it("that are never answered time out, and leave no connection behind", async () => {
    const receiver = await receive(() => {});
    const other = await receive((_, response) => response.end());
    const { send } = openSender();
    const all = Promise.all(Array.from({ length: 300 }, () => send(receiver.url, { timeoutMs: 500 })));
    expect(await send(other.url)).toMatchObject({ status: 200 });
    for (const { status, fault, elapsedMs } of await all) {
      expect({ status, fault }).toEqual({
        status: 0,
        fault: expect.stringMatching(/^(?:no answer|not sent) within/),
      });
      expect(elapsedMs).toBeLessThan(25_000);
    }
    await expect.poll(receiver.open).toBe(0);
  });
});

describe("an answer", () => {
  /** The time limit of a webhook. */
  const timeoutMs = 300;

  async function expectInTime(receipt: Promise<Receipt>, expected: Partial<Receipt>): Promise<void> {
    const { elapsedMs, ...rest } = await receipt;
    expect(rest).toMatchObject(expected);
    // Node's timers may fire a fraction of a millisecond early.
    expect(elapsedMs).toBeGreaterThan(timeoutMs - 2);
    expect(elapsedMs).toBeLessThan(timeoutMs + 25_000);
  }

  it.each([
    ["does not come", ""],
    ["does not get past its headers", "HTTP/1.1 200 OK\r\nx-slow: "],
    ["is only announced", "HTTP/1.1 103 Early Hints\r\n\r\n"],
  ])("that %s times out", async (_, drip) => {
    const receiver = await receiveRaw((socket) => {
      const timer = setInterval(() => socket.write(drip), 20);
      socket.once("close", () => clearInterval(timer));
    });
    const { send } = openSender();
    await expectInTime(send(receiver.url, { timeoutMs }), {
      status: 0,
      fault: "no answer within 0.3 s",
      body: nothing,
    });
    await expect.poll(receiver.open).toBe(0);
  });

  it("whose body never ends counts, with the received part", async () => {
    const receiver = await receive((_, response) => {
      response.writeHead(202).write("thank ");
      const timer = setInterval(() => response.write("you "), 20);
      response.once("close", () => clearInterval(timer));
    });
    const { send } = openSender();
    const receipt = send(receiver.url, { timeoutMs });
    await expectInTime(receipt, { status: 202, fault: "its answer did not end within 0.3 s" });
    expect((await receipt).body.toString()).toMatch(/^thank (?:you )+$/);
    await expect.poll(receiver.open).toBe(0);
  });

  it("of any length counts, is cut to 64 KiB, and the rest is not read", async () => {
    const piece = Buffer.alloc(100_000, "a");
    const receiver = await receive((_, response) => {
      const write = (): void => {
        while (response.write(piece));
      };
      write();
      response.on("drain", write);
    });
    const receipt = await openSender().send(receiver.url);
    expect(receipt).toMatchObject({ status: 200, body: piece.subarray(0, 65_536) });
    expect(receipt).not.toHaveProperty("fault");
    expect(receipt.body.buffer.byteLength).toBeLessThan(200_000);
    await expect.poll(receiver.open).toBe(0);
  });

  it("of exactly 64 KiB is whole, and its connection is reused by the next webhooks", async () => {
    const { url, sockets } = await receive((_, response) => response.end(Buffer.alloc(65_536)));
    const { send } = openSender();
    for (let i = 0; i < 5; i++) expect((await send(url)).body).toHaveLength(65_536);
    expect(sockets).toHaveLength(1);
  });

  it("that arrives before the webhook was read leaves no connection behind", async () => {
    const receiver = await listen(createNetServer((socket) => void socket.pause().write(answers(413))));
    const { send } = openSender();
    expect(await send(receiver.url, { body: JSON.stringify("1".repeat(16_000_000)) })).toMatchObject({ status: 413 });
    for (const socket of receiver.sockets) socket.resume();
    await expect.poll(receiver.open).toBe(0);
  });

  it.each([
    ["not HTTP", "SSH-2.0-OpenSSH_9.9\r\n", 0, "its answer is not HTTP"],
    [
      "too many headers",
      `HTTP/1.1 200 x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`,
      0,
      "its answer's headers are larger than 16 KiB",
    ],
    [
      "another protocol",
      "HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nabc",
      101,
      "its answer asks for another protocol",
    ],
    ["a status below 100", "HTTP/1.1 042 x\r\n\r\n", 0, "its answer has the status 42, which HTTP does not define"],
    ["a status above 599", answers(999), 0, "its answer has the status 999, which HTTP does not define"],
    [
      "a broken body",
      "HTTP/1.1 500 x\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n",
      500,
      "its answer is broken off by something that is not HTTP",
    ],
  ])("that is %s results in a fault", async (_, answer, status, fault) => {
    const receiver = await receiveRaw((socket) => void socket.write(answer));
    expect(await openSender().send(receiver.url)).toMatchObject({ status, fault });
    await expect.poll(receiver.open).toBe(0);
  });

  it("that breaks off counts, with the received part", async () => {
    const { url } = await receiveRaw((socket) => socket.end("HTTP/1.1 200 x\r\ncontent-length: 9\r\n\r\nhalf"));
    const fault = "the connection was lost before its answer ended";
    expect(await openSender().send(url)).toMatchObject({ status: 200, body: Buffer.from("half"), fault });
  });

  it.each([
    ["after hints", `HTTP/1.1 100 x\r\n\r\nHTTP/1.1 103 x\r\nlink: a\r\n\r\n${answers(200)}`],
    ["that is followed by another", answers(200) + answers(500)],
    ["that offers another protocol", answers(200, "connection: upgrade\r\nupgrade: h2c\r\n")],
    ["that ends with its connection", "HTTP/1.0 200 x\r\n\r\nok"],
  ])("%s counts", async (_, answer) => {
    const { url } = await receiveRaw((socket) => socket.end(answer));
    const receipt = await openSender().send(url);
    expect(receipt).toMatchObject({ status: 200, body: Buffer.from("ok") });
    expect(receipt).not.toHaveProperty("fault");
  });
});

describe("a receiver that cannot be reached", () => {
  it("results in a fault that names the cause: refused, unknown certificate, no TLS, or silent", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    const { send } = openSender();
    for (const host of ["127.0.0.1", "localhost"]) {
      expect(await send(`http://${host}:${port}/`)).toMatchObject({ status: 0, fault: "the connection was refused" });
    }
    const secure = await listen(createHttpsServer({ key, cert }, (_, response) => response.end()));
    expect(await send(`https://${secure.host}/`)).toMatchObject({ status: 0, fault: "its certificate is self-signed" });
    const plain = await receive((_, response) => response.end());
    expect((await send(`https://${plain.host}/`)).fault).toMatch(/^the TLS handshake failed \(\w+\)$/);
    const silent = await receiveRaw(() => {});
    expect((await send(`https://${silent.host}/`, { timeoutMs: 200 })).fault).toBe("no answer within 0.2 s");
    await expect.poll(silent.open).toBe(0);
  });

  it.each(["", "example.com", "ftp://example.com/", "file:///etc/passwd"])("may have the URL %j", async (url) => {
    expect(await openSender().send(url)).toMatchObject({ status: 0, fault: "its address is not an http(s) URL" });
  });
});

describe("if only public addresses are allowed", () => {
  const isPrivate = {
    status: 0,
    fault: expect.stringMatching(/^its address is private.*MEDIA_ALLOW_PRIVATE_WEBHOOKS/),
  };

  /** A resolver that returns each of these results in turn. */
  function resolving(...found: LookupAddress[][]) {
    const asked: string[] = [];
    const resolve: Resolve = async (hostname) => {
      const addresses = found[asked.push(hostname) - 1] ?? [];
      // A real resolver never answers synchronously, and Node relies on that.
      await new Promise(setImmediate);
      if (addresses.length === 0) throw Object.assign(new Error(`${hostname}?`), { code: "ENOTFOUND" });
      return addresses;
    };
    return { asked, ...openSender({ allowPrivate: false, resolve }) };
  }

  const home: LookupAddress = { address: "127.0.0.1", family: 4 };
  // Public, but of the wrong family: connecting to it fails at once, and nothing is sent into the internet.
  const unreachable: LookupAddress = { address: "8.8.8.8", family: 6 };

  it("sends nothing to a private address, or a name that is private by itself", async () => {
    const { url, sockets } = await receive((_, response) => response.end());
    const { send, asked } = resolving();
    for (const host of ["127.0.0.1", "localhost", "hooks.localhost.", "2130706433", "[::1]", "[::ffff:127.0.0.1]"]) {
      expect(await send(url.replace("127.0.0.1", host)), host).toMatchObject(isPrivate);
    }
    expect(sockets).toHaveLength(0);
    expect(asked).toEqual([]);
  });

  it.each(["http", "https"])("sends nothing to a name with only private addresses, by %s", async (scheme) => {
    const { url, sockets } = await receive((_, response) => response.end());
    const { send } = resolving([home, { address: "::1", family: 6 }]);
    const address = url.replace("http://127.0.0.1", `${scheme}://hooks.example`);
    expect(await send(address)).toMatchObject(isPrivate);
    expect(sockets).toHaveLength(0);
  });

  it("looks a name up and checks it for each webhook, once each", async () => {
    const { url, sockets } = await receive((_, response) => response.end());
    const { send, asked } = resolving([unreachable], [home], [home, unreachable]);
    const address = url.replace("127.0.0.1", "hooks.example");
    const isTried = { status: 0, fault: expect.stringMatching(/^the connection failed/) };
    expect(await send(address)).toMatchObject(isTried);
    expect(await send(address)).toMatchObject(isPrivate);
    expect(await send(address)).toMatchObject(isTried);
    expect(await send(address)).toMatchObject({ status: 0, fault: "the name hooks.example was not found" });
    expect(asked).toHaveLength(4);
    expect(sockets).toHaveLength(0);
  });

  it("a lookup that never ends does not delay the receipt", async () => {
    const { sender, send } = openSender({ allowPrivate: false, resolve: () => new Promise(() => {}) });
    expect(await send("https://hooks.example/", { timeoutMs: 200 })).toMatchObject({ fault: "no answer within 0.2 s" });
    const last = send("https://hooks.example/");
    sender.close();
    expect(await last).toMatchObject({ status: 0, fault: "the service stopped before it answered" });
  });
});

it("projects do not wait for each other's webhooks to the same receiver", async () => {
  const silent = await receiveRaw(() => {});
  const { send } = openSender();
  for (let webhook = 0; webhook < 70; webhook++) void send(silent.url);
  void send(silent.url, { to: await webhookWith({ projectId: "another", secret: await seal(secret, "another") }) });
  await expect.poll(silent.open).toBe(65);
});

describe("a closed sender", () => {
  it("returns a receipt for all webhooks that wait, are in flight, or are being answered, and closes their connections", async () => {
    const silent = await receiveRaw(() => {});
    let isWritten = false;
    const dripping = await receiveRaw((socket) => {
      socket.write("HTTP/1.1 202 x\r\n\r\ndrip", () => {
        isWritten = true;
      });
    });
    const quick = await receive((_, response) => response.end());
    const { sender, send } = openSender();
    const others = [...Array.from({ length: 70 }, () => send(silent.url)), send(`https://${silent.host}/`)];
    const dripped = send(dripping.url);
    await expect.poll(silent.open).toBe(65);
    await expect.poll(() => isWritten).toBe(true);
    // Bytes written before this answer have been read by now.
    expect(await send(quick.url)).toMatchObject({ status: 200 });
    sender.close();
    const fault = "the service stopped before it answered";
    for (const receipt of await Promise.all(others)) expect(receipt).toMatchObject({ status: 0, fault, body: nothing });
    expect(await dripped).toMatchObject({
      status: 202,
      body: Buffer.from("drip"),
      fault: "the service stopped before its answer ended",
    });
    for (const { open } of [silent, dripping, quick]) await expect.poll(open).toBe(0);
    expect(await send(quick.url)).toMatchObject({ status: 0, fault });
    expect(silent.sockets).toHaveLength(65);
    expect(quick.sockets).toHaveLength(1);
  });

  it("leaves no timer behind, and neither does a completed webhook", async () => {
    const { url } = await receive((_, response) => response.end());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { sender, send } = openSender();
    expect(await send(url)).toMatchObject({ status: 200 });
    expect(await send("nowhere")).toMatchObject({ status: 0 });
    expect(vi.getTimerCount()).toBe(0);
    const last = send(url);
    expect(vi.getTimerCount()).toBe(1);
    sender.close();
    await last;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the reason why a webhook got no answer", () => {
  it.each([
    ["EAI_AGAIN", "the name hooks.example could not be looked up"],
    ["ETIMEDOUT", "its address could not be reached"],
    ["EPIPE", "the connection was lost before it answered"],
    ["CERT_HAS_EXPIRED", "its certificate has expired"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is not for hooks.example"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "its certificate could not be verified (UNABLE_TO_VERIFY_LEAF_SIGNATURE)"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "its certificate could not be verified (SELF_SIGNED_CERT_IN_CHAIN)"],
    ["EPROTO", "the TLS handshake failed (EPROTO)"],
    [
      "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
      "the TLS handshake failed (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)",
    ],
    ["EMFILE", "the connection failed (EMFILE)"],
  ])("is explained by its code alone: %s", (code, fault) => {
    const error = Object.assign(new Error("POST /?token=hunter2"), { code });
    expect(faultOf(error, "sent", "hooks.example", 10_000)).toBe(fault);
  });

  it("is explained without a code, or if the time was too short to begin", () => {
    expect(faultOf(new Error("hunter2"), "sent", "hooks.example", 10_000)).toBe("the connection failed");
    expect(faultOf("timeout", "waiting", "hooks.example", 1500)).toBe(
      "not sent within 1.5 s: 64 others to hooks.example were in flight",
    );
  });
});

it("a webhook whose id is not allowed in a header has its hash as id", async () => {
  const receiver = await startReceiver();
  const { send } = openSender();
  for (const id of ["a✓", "a✓", "b\r\nx: y"]) await send(receiver.url, { id });
  const ids = receiver.received.map((webhook) => webhook.id);
  expect(ids).toEqual([ids[0], ids[0], expect.stringMatching(/^sha256-[0-9a-f]{64}$/)]);
  expect(new Set(ids).size).toBe(2);
  for (const { bytes, headers } of receiver.received) {
    expect(new Verifier(secret).verify(bytes, headers as Record<string, string>)).toEqual(JSON.parse(body));
  }
});

describe("the entry of a try", () => {
  const isEntry = validator("WebhookLogEntry");

  it("has status 0 if nothing was sent, as without a secret to sign with, or the receiver did not answer", async () => {
    const receiver = await startReceiver();
    const { sendLogged } = openSender();
    const unsigned = await sendLogged(receiver.url, { to: { ...demo, secret: "of another master key" } });
    expect(unsigned.receipt).toMatchObject({ fault: expect.stringContaining("signing secret cannot be decrypted") });
    expect(receiver.received).toEqual([]);
    await receiver.close();
    const refused = await sendLogged(receiver.url);
    expect(refused.receipt).toMatchObject({ fault: "the connection was refused" });
    for (const { receipt, entry } of [unsigned, refused]) {
      expect(receipt.status).toBe(0);
      expect(JSON.parse(entry.text)).toMatchObject({ status: 0, url: receiver.url });
      expect(isEntry(JSON.parse(entry.text))).toBe(true);
    }
  });

  it("contains no secret that is part of the address", async () => {
    const { url } = await startReceiver();
    const { sendLogged } = openSender();
    const hook = await sendLogged(`${url}/response/T0-CorrectHorse8battery`);
    expect(JSON.parse(hook.entry.text)).toMatchObject({ url: `${url}/response/[redacted]` });
    const { receipt, entry } = await sendLogged(`${url}?key=mo_4f1d_${"x".repeat(43)}`);
    expect(receipt.status).toBe(200);
    expect(entry.text).toContain("mo_4f1d_[redacted]");
    expect(entry.text).not.toContain("xxx");
  });

  it("is within the contract for any type that the media server sends", async () => {
    const { sendLogged } = openSender({ allowPrivate: false });
    const type = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 255 }),
      fc.stringMatching(/^[.a-b]{1,8}$/),
      fc.string({ unit: fc.constantFrom("\u{1f600}", "."), minLength: 200, maxLength: 255 }),
    );
    await fc.assert(
      fc.asyncProperty(type, async (text) => {
        const entry = JSON.parse((await sendLogged("http://localhost/", { type: text })).entry.text);
        expect(isEntry(entry), JSON.stringify([text, isEntry.errors])).toBe(true);
        if (/^[a-z]+\.[a-z]+$/.test(text)) expect(entry.type).toBe(text);
      }),
      { numRuns: 100 },
    );
  });
});

it("a status from 200 to 299 is a success, and no other", () => {
  const isOk = (status: number) => isSuccess({ status, startedAt: 0, elapsedMs: 0, body: Buffer.alloc(0) });
  expect([0, 101, 199, 200, 204, 299, 300, 410].filter(isOk)).toEqual([200, 204, 299]);
});

describe("the signing secrets of a webhook", () => {
  const now = Date.parse("2026-04-01T09:30:15.250Z");

  it("start with the newest, and include the old one until it expires", async () => {
    const secrets = new WebhookSecrets(vault);
    const webhook = await webhookWith({ oldSecret: await seal("whsec_old"), oldSecretUntil: now });
    expect(await secrets.of(webhook, now - 1)).toEqual(["whsec_bmV3", "whsec_old"]);
    expect(await secrets.of(webhook, now)).toEqual(["whsec_bmV3"]);
    expect(await secrets.of(await webhookWith(), now)).toEqual(["whsec_bmV3"]);
  });

  it("leave out a replaced one, even if it was cached", async () => {
    const secrets = new WebhookSecrets(vault);
    await secrets.of(await webhookWith(), now);
    expect(await secrets.of(await webhookWith({ secret: await seal("whsec_newer") }), now)).toEqual(["whsec_newer"]);
  });

  it.each([{ projectId: "other" }, { kind: "auth" }] as const)(
    "refuse one that was encrypted for another: %j",
    async (other) => {
      const secrets = new WebhookSecrets(vault);
      await expect(secrets.of(await webhookWith(other), now)).rejects.toThrow("not sealed");
    },
  );
});
