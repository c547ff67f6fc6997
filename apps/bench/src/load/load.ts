import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { AnswerReader } from "./answer-reader.js";

/** How fast requests were answered. */
export interface Rate {
  /** How many were answered in a second. */
  readonly perSecond: number;
  /** How many were answered. */
  readonly count: number;
  /** How many bytes the bodies of the answers had. */
  readonly bytes: number;
  /** Milliseconds from each request to the end of its answer. */
  readonly times: readonly number[];
}

/** Looks at the first piece of a body, and throws where it is not what the request must be answered. */
export type Look = (request: Buffer, start: Buffer) => void;

/** Connections that send requests as fast as they are answered, and cost little themselves. */
export class Load {
  readonly #sockets: Socket[];

  private constructor(sockets: Socket[]) {
    this.#sockets = sockets;
  }

  /** @param urls The servers, among which the connections are shared out evenly. */
  static async open(urls: readonly string[], connections: number): Promise<Load> {
    const sockets = Array.from({ length: connections }, (_, at) => {
      const { hostname, port } = new URL(urls[at % urls.length] ?? "");
      return connect(Number(port), hostname).setNoDelay();
    });
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new Load(sockets);
  }

  /** Sends all requests; those of one line one after another, each of which must be answered with 200. */
  async rate(lines: Iterable<readonly Buffer[]>, look?: Look): Promise<Rate> {
    const next = lines[Symbol.iterator]();
    const started = performance.now();
    const answers = await Promise.all(this.#sockets.map((socket) => sendAll(socket, requestsOf(next), look)));
    const ms = performance.now() - started;
    const times = answers.flatMap((answer) => answer.times);
    const bytes = answers.reduce((sum, { reader }) => sum + reader.bytes, 0);
    return { perSecond: (times.length / ms) * 1000, count: times.length, bytes, times };
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** The requests of one line after another, as long as others have left any. */
function* requestsOf(lines: Iterator<readonly Buffer[]>): Generator<Buffer> {
  for (let next = lines.next(); !next.done; next = lines.next()) yield* next.value;
}

interface Answers {
  readonly reader: AnswerReader;
  readonly times: number[];
}

/** Sends requests one after another, until there are no more. */
function sendAll(socket: Socket, requests: Iterator<Buffer>, look?: Look): Promise<Answers> {
  return new Promise((done, failed) => {
    let sent: Buffer;
    const reader = new AnswerReader(look && ((start) => look(sent, start)));
    const times: number[] = [];
    let sentAt = 0;
    const end = (error?: unknown): void => {
      socket.off("data", onData).off("error", end).off("close", onClose);
      if (error === undefined) done({ reader, times });
      else failed(error);
    };
    const send = (): void => {
      const { value, done: isDone } = requests.next();
      if (isDone) {
        end();
        return;
      }
      sentAt = performance.now();
      sent = value;
      socket.write(sent);
    };
    const onClose = (): void => end(new Error("The server ended the connection."));
    const onData = (chunk: Buffer): void => {
      try {
        if (!reader.read(chunk)) return;
        times.push(performance.now() - sentAt);
        send();
      } catch (error) {
        end(error);
      }
    };
    socket.on("data", onData).on("error", end).on("close", onClose);
    send();
  });
}
