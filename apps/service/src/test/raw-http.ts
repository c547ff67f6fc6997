import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished } from "vitest";
import { type Answer, expectWithinContract } from "./harness.js";

/** An answer as received. An answer to HEAD has no text, and neither has `100 Continue`. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A request as sent: the request line, the header lines, and the body. */
export function requestText(lines: readonly string[], body = ""): string {
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** Checks an answer against the contract, and its body against its headers. */
export function expectAnswer(path: string, { status, headers, text }: RawAnswer): Answer {
  const answer = expectWithinContract(path, status, headers, text);
  if (status >= 400) expect(answer.body).toMatchObject({ status, request_id: headers.get("x-request-id") });
  return answer;
}

const END_OF_HEAD = "\r\n\r\n";

/** Parses the complete answers; `rest` holds the remaining bytes. */
function readAnswers(received: Buffer, isHead: boolean): { answers: RawAnswer[]; rest: Buffer } {
  const answers: RawAnswer[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf(END_OF_HEAD);
    if (end === -1) return { answers, rest };
    const { status, headers } = readHead(rest.toString("latin1", 0, end));
    const afterHead = rest.subarray(end + END_OF_HEAD.length);
    const length = isHead || status < 200 ? 0 : Number(headers.get("content-length") ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error("An answer has no length.");
    if (afterHead.length < length) return { answers, rest };
    answers.push({ status, headers, text: afterHead.toString("utf8", 0, length) });
    rest = afterHead.subarray(length);
  }
}

function readHead(head: string): { status: number; headers: Headers } {
  const [first = "", ...lines] = head.split("\r\n");
  const [, status] = /^HTTP\/1\.1 (\d{3}) [ -~]+$/.exec(first) ?? [];
  if (status === undefined) throw new Error(`Not the first line of an HTTP answer: ${JSON.stringify(first)}.`);
  const headers = new Headers();
  for (const line of lines) {
    const [, name, value] = /^([\w-]+): ?(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`Not a header: ${JSON.stringify(line)}.`);
    headers.append(name, value);
  }
  return { status: Number(status), headers };
}

/** A connection for requests that no HTTP client would send. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #isHead: boolean;
  #received = Buffer.alloc(0);
  /** Resolves when the connection has ended, from either side, with or without an error. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket, isHead: boolean) {
    this.#socket = socket;
    this.#isHead = isHead;
    this.closed = new Promise((done) => void socket.once("close", () => done()));
    // The service may close a connection during a write; `closed` reports that, too.
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
    });
  }

  static async open(url: string, { isHead = false } = {}): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const connection = new RawConnection(socket, isHead);
    await once(socket, "connect");
    return connection;
  }

  /** Sends bytes; a text is sent as Latin-1, a byte for each character. */
  write(bytes: string | Uint8Array): void {
    this.#socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  }

  /** Waits for a number of answers, or for the end of the connection, and returns all that were received. */
  async answers(count: number): Promise<RawAnswer[]> {
    for (;;) {
      const { answers } = readAnswers(this.#received, this.#isHead);
      if (answers.length >= count || this.#socket.closed) return answers;
      await Promise.race([new Promise((done) => this.#socket.once("data", done)), this.closed]);
    }
  }

  /** The received bytes after the last complete answer. */
  get rest(): string {
    return readAnswers(this.#received, this.#isHead).rest.toString("latin1");
  }

  /** Waits until bytes have been received, or the connection has ended. */
  async firstBytes(): Promise<void> {
    if (this.#received.length > 0) return;
    await Promise.race([new Promise((done) => this.#socket.once("data", done)), this.closed]);
  }

  /** Ends the connection cleanly, as a client does that sends no more. */
  async end(): Promise<void> {
    this.#socket.end();
    await this.closed;
  }

  async reset(): Promise<void> {
    this.#socket.resetAndDestroy();
    await this.closed;
  }
}

/** Options for {@link exchange}. */
export interface ExchangeOptions {
  /** How many answers to wait for; with `Infinity`, until the service closes the connection. @default 1 */
  count?: number;
  /** Whether the answers are to HEAD. @default false */
  isHead?: boolean;
}

/** Sends bytes on a new connection, and returns the answers to them. */
export async function exchange(
  url: string,
  bytes: string | Uint8Array,
  { count = 1, isHead = false }: ExchangeOptions = {},
): Promise<RawAnswer[]> {
  const connection = await RawConnection.open(url, { isHead });
  connection.write(bytes);
  const answers = await connection.answers(count);
  await connection.end();
  return answers;
}

/** A request that HTTP allows, even if few clients send it. */
export interface OddRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** A client for such requests, with kept connections; they are closed after the test, or by `atEnd` after several. */
export function oddClient(
  url: string,
  atEnd: (end: () => void) => void = onTestFinished,
): (request: OddRequest) => Promise<RawAnswer> {
  const agent = new Agent({ keepAlive: true });
  atEnd(() => agent.destroy());
  const { hostname, port } = new URL(url);
  return ({ body, ...options }) =>
    new Promise((done, failed) => {
      const call = request({ agent, hostname, port, ...options }, async (response) => {
        const bytes = await buffer(response);
        const isGzip = response.headers["content-encoding"] === "gzip";
        done({
          status: response.statusCode ?? 0,
          headers: new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          text: (isGzip ? gunzipSync(bytes) : bytes).toString("utf8"),
        });
      });
      call.on("error", failed);
      call.end(body);
    });
}
