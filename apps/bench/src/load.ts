import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { compare, type Labels, type Result, show, takeTurns } from "./measure.js";

/** A response as sent, not decompressed. */
export interface HttpResponse {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const agent = new Agent({ keepAlive: true });

/** Sends a POST over `node:http`, which adds less to a call than `fetch` does. Rejects unless the status is 200. */
export async function post(
  { url, key }: { readonly url: string; readonly key: string },
  path: string,
  body = "{}",
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url + path, {
      method: "POST",
      agent,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    })
      .on("response", resolve)
      .on("error", reject)
      .end(body);
  });
  const received = await buffer(response);
  assert.equal(response.statusCode, 200, `POST ${path}: ${received.subarray(0, 500)}`);
  return { headers: response.headers, body: received };
}

/** The throughput and latency of a series of requests. */
export interface Rate {
  readonly perSecond: number;
  readonly count: number;
  /** The size of all bodies, in bytes. */
  readonly bytes: number;
  /** Milliseconds from each request to the end of its response. */
  readonly times: readonly number[];
}

/** Checks the first chunk of a response's body. Throws if it is wrong. */
export type CheckStart = (request: Buffer, start: Buffer) => void;

/** Returns a POST request as bytes. The key is an API key or an intake key. */
export function toPost(path: string, key: string, body: string, headers: readonly string[] = []): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Opens raw sockets, which send requests as fast as they are answered, with little overhead. */
export async function openLoad(url: string, connections: number) {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname).setNoDelay());
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  return {
    /** Sends all requests, those of a line sequentially over one connection. Rejects unless each status is 200. */
    async rate(lines: Iterable<readonly Buffer[]>, checkStart?: CheckStart): Promise<Rate> {
      const rest = lines[Symbol.iterator]();
      const times: number[] = [];
      let bytes = 0;
      const onAnswer = (ms: number, length: number): void => {
        times.push(ms);
        bytes += length;
      };
      const started = performance.now();
      await Promise.all(sockets.map((socket) => sendAll(socket, requestsOf(rest), onAnswer, checkStart)));
      const ms = performance.now() - started;
      return { perSecond: (times.length / ms) * 1000, count: times.length, bytes, times };
    },
    close(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Yields requests line by line, until the connections have used up all lines. */
function* requestsOf(lines: Iterator<readonly Buffer[]>): Generator<Buffer> {
  for (let next = lines.next(); !next.done; next = lines.next()) yield* next.value;
}

// Bolt acknowledges with an empty chunked body.
const EMPTY_CHUNKED = "0\r\n\r\n".length;

/**
 * Sends requests over one socket, each after the previous response. Detects the end of a response, but parses no
 * further.
 */
function sendAll(
  socket: Socket,
  requests: Iterator<Buffer>,
  onAnswer: (ms: number, bytes: number) => void,
  checkStart?: CheckStart,
): Promise<void> {
  let request: Buffer = Buffer.alloc(0);
  let sentAt = 0;
  let head = "";
  let length: number | undefined;
  /** The number of body bytes still missing, or undefined while the head is read. */
  let missing: number | undefined;

  /** Reads a chunk. Returns true if the response is complete. */
  const read = (chunk: Buffer): boolean => {
    let body = chunk;
    if (missing === undefined) {
      const before = head.length;
      head += chunk.toString("latin1");
      const end = head.indexOf("\r\n\r\n");
      if (end === -1) return false;
      assert(head.startsWith("HTTP/1.1 200 "), head);
      const [, text] = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end + 2)) ?? [];
      length = text === undefined ? undefined : Number(text);
      missing = length ?? EMPTY_CHUNKED;
      head = "";
      body = chunk.subarray(end + 4 - before);
      if (body.length > 0) checkStart?.(request, body);
    }
    missing -= body.length;
    assert(missing >= 0, "a response is no longer than its content-length");
    if (missing > 0) return false;
    missing = undefined;
    onAnswer(performance.now() - sentAt, length ?? 0);
    return true;
  };

  return new Promise((resolve, reject) => {
    const end = (error?: unknown): void => {
      socket.off("data", onData).off("error", end).off("close", onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const send = (): void => {
      const { value, done } = requests.next();
      if (done) {
        end();
        return;
      }
      request = value;
      sentAt = performance.now();
      socket.write(value);
    };
    const onClose = (): void => end(new Error("The server closed the connection before it answered."));
    const onData = (chunk: Buffer): void => {
      try {
        if (read(chunk)) send();
      } catch (error) {
        end(error);
      }
    };
    socket.on("data", onData).on("error", end).on("close", onClose);
    send();
  });
}

/** A server that takes part in a race. */
export interface Racer {
  readonly name: string;
  readonly url: string;
  /** Creates the requests of one round, which is not timed. Requests of one line are sent sequentially. */
  lines(): Iterable<readonly Buffer[]> | Promise<Iterable<readonly Buffer[]>>;
  readonly checkStart?: CheckStart | undefined;
  /** Throws unless all responses of a round are correct. */
  check?(rate: Rate): void | Promise<void>;
}

/** A server that takes part in a race, and the key for its requests. */
export interface KeyedServer extends Pick<Racer, "name" | "url"> {
  readonly key: string;
}

interface RaceOptions extends Labels {
  /** The unit in the table. @default "requests" */
  readonly unit?: string;
  readonly connections: number;
  readonly rounds: number;
}

/**
 * Sends requests to servers as fast as they answer. The servers take turns. Returns the rate of the first one compared
 * with each of the others.
 */
export async function race(
  { measure, unit = "requests", connections, rounds, goal }: RaceOptions,
  racers: readonly Racer[],
): Promise<Result[]> {
  const loads = new Map<Racer, Awaited<ReturnType<typeof openLoad>>>();
  const turnOf = async (racer: Racer): Promise<number> => {
    const requests = await racer.lines();
    // Opened at its first turn: a server closes connections that send nothing.
    const load = loads.get(racer) ?? (await openLoad(racer.url, connections));
    loads.set(racer, load);
    const rate = await load.rate(requests, racer.checkStart);
    await racer.check?.(rate);
    return rate.perSecond;
  };
  const contestants = racers.map((racer) => ({ name: racer.name, turn: () => turnOf(racer) }));
  // The first round is a warm-up.
  const measured = await takeTurns(contestants, rounds, 1);
  for (const load of loads.values()) load.close();
  show(`${measure}: measured`);
  return compare({ measure: `${measure}: ${unit} a second`, goal }, measured);
}
