import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Answer, json, startServer, watchLeftovers } from "../test/http-server.js";
import {
  createMediaClient,
  type MediaClientOptions,
  MediaResponseError,
  MediaServiceUnavailableError,
} from "./index.js";

const MIB = 2 ** 20;
const apiKey = "mo_k1_plantedKeyThatMustNeverShow";

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
async function connect(answer: Answer, options: Partial<MediaClientOptions> = {}) {
  const server = await startServer(answer);
  return { server, client: createMediaClient({ baseUrl: server.baseUrl, apiKey, ...options }) };
}

/** A client whose calls are answered with this response. */
const clientOf = (response: () => Response, options: Partial<MediaClientOptions> = {}) =>
  createMediaClient({ baseUrl: "http://media.test", apiKey, fetch: async () => response(), ...options });

describe("a response larger than maxResponseBytes", () => {
  it("is refused after 64 MiB by default, even as a small gzip, and is not retried", async () => {
    const nothingLeft = watchLeftovers();
    const body = bomb(240 * MIB);
    expect(body.length).toBeLessThan(300_000);
    const { server, client } = await connect(gzipped(body));
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
    await nothingLeft(server);
  });

  it.each([
    ["the client's own limit", { maxResponseBytes: 1000 }, {}],
    ["the call's own limit, which takes precedence", { maxResponseBytes: 1_000_000 }, { maxResponseBytes: 1000 }],
  ])("is refused by %s, to the byte", async (_, options, callOptions) => {
    const list = (bytes: number): string[] => ["x".repeat(bytes - '[""]'.length)];
    const fits = await connect(json(list(1000)), options);
    await expect(fits.client.logs.webhooks({}, callOptions)).resolves.toHaveLength(1);
    const tooLarge = await connect(json(list(1001)), options);
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
    const { client } = await connect(json(["x".repeat(5000)]), {
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
