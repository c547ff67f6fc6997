import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** How fast requests were answered. */
export interface Rate {
  readonly perSecond: number;
  readonly count: number;
  /** The bytes of all bodies. */
  readonly bytes: number;
  /** Milliseconds from each request to the end of its response. */
  readonly times: readonly number[];
}

/** Checks the first piece of a response's body; throws if it is wrong. */
export type CheckStart = (request: Buffer, start: Buffer) => void;

/** A POST request as bytes. The key is an API key or an intake key. */
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

/** Raw sockets that send requests as fast as they are answered, at little cost of their own. */
export class Load {
  readonly #sockets: Socket[];

  private constructor(sockets: Socket[]) {
    this.#sockets = sockets;
  }

  /** Opens connections to a server. */
  static async open(url: string, connections: number): Promise<Load> {
    const { hostname, port } = new URL(url);
    const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname).setNoDelay());
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new Load(sockets);
  }

  /** Sends all requests, those of one line one after another over one connection. Each must be answered with 200. */
  async rate(lines: Iterable<readonly Buffer[]>, checkStart?: CheckStart): Promise<Rate> {
    const rest = lines[Symbol.iterator]();
    const started = performance.now();
    const exchanges = this.#sockets.map((socket) => new Exchange(socket, requestsOf(rest), checkStart));
    await Promise.all(exchanges.map(({ done }) => done));
    const ms = performance.now() - started;
    const times = exchanges.flatMap((exchange) => exchange.times);
    const bytes = exchanges.reduce((sum, exchange) => sum + exchange.bytes, 0);
    return { perSecond: (times.length / ms) * 1000, count: times.length, bytes, times };
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** One line after another, while other connections have left any. */
function* requestsOf(lines: Iterator<readonly Buffer[]>): Generator<Buffer> {
  for (let next = lines.next(); !next.done; next = lines.next()) yield* next.value;
}

/** Sends requests over one socket, each once the one before is answered. Looks for the end of a response, no further. */
class Exchange {
  readonly times: number[] = [];
  /** The bytes of all bodies. */
  bytes = 0;
  readonly done: Promise<void>;
  #request: Buffer = Buffer.alloc(0);
  #sentAt = 0;
  #head = "";
  /** The bytes that the body still lacks; undefined while the head is read. */
  #missing: number | undefined;

  constructor(socket: Socket, requests: Iterator<Buffer>, checkStart?: CheckStart) {
    this.done = new Promise((resolve, reject) => {
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
        this.#request = value;
        this.#sentAt = performance.now();
        socket.write(value);
      };
      const onClose = (): void => end(new Error("The server closed the connection before it answered."));
      const onData = (chunk: Buffer): void => {
        try {
          if (this.#read(chunk, checkStart)) send();
        } catch (error) {
          end(error);
        }
      };
      socket.on("data", onData).on("error", end).on("close", onClose);
      send();
    });
  }

  /** Reads a chunk; true if the response is complete. */
  #read(chunk: Buffer, checkStart?: CheckStart): boolean {
    let body = chunk;
    if (this.#missing === undefined) {
      const before = this.#head.length;
      this.#head += chunk.toString("latin1");
      const end = this.#head.indexOf("\r\n\r\n");
      if (end === -1) return false;
      assert(this.#head.startsWith("HTTP/1.1 200 "), this.#head);
      this.#missing = this.#bodyLength(this.#head.slice(0, end + 2));
      this.#head = "";
      body = chunk.subarray(end + 4 - before);
      if (body.length > 0) checkStart?.(this.#request, body);
    }
    this.#missing -= body.length;
    assert(this.#missing >= 0, "a response is no longer than its content-length");
    if (this.#missing > 0) return false;
    this.#missing = undefined;
    this.times.push(performance.now() - this.#sentAt);
    return true;
  }

  #bodyLength(head: string): number {
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    // Bolt acknowledges with an empty chunked body.
    if (length === undefined) return "0\r\n\r\n".length;
    this.bytes += Number(length);
    return Number(length);
  }
}
