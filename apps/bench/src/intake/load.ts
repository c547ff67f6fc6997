import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Connections that send requests as fast as they are answered, and cost little themselves. */
export class Load {
  readonly #sockets: Socket[];

  private constructor(sockets: Socket[]) {
    this.#sockets = sockets;
  }

  static async open(url: string, connections: number): Promise<Load> {
    const { hostname, port } = new URL(url);
    const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname).setNoDelay());
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new Load(sockets);
  }

  /**
   * Sends all requests; those of one line one after another, each of which must be answered with 200. Gives how many were
   * answered in a second.
   */
  async rate(lines: readonly (readonly Buffer[])[]): Promise<number> {
    const next = lines[Symbol.iterator]();
    const started = performance.now();
    await Promise.all(this.#sockets.map((socket) => sendAll(socket, requestsOf(next))));
    const requests = lines.reduce((sum, { length }) => sum + length, 0);
    return (requests / (performance.now() - started)) * 1000;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** The requests of one line after another, as long as others have left any. */
function* requestsOf(lines: Iterator<readonly Buffer[]>): Generator<Buffer> {
  for (let next = lines.next(); !next.done; next = lines.next()) yield* next.value;
}

/** Sends requests one after another, until there are no more. */
function sendAll(socket: Socket, requests: Iterator<Buffer>): Promise<void> {
  return new Promise((done, failed) => {
    let received = "";
    const end = (error?: Error): void => {
      socket.off("data", onData).off("error", end).off("close", onClose);
      if (error) failed(error);
      else done();
    };
    const send = (): void => {
      const { value, done: isDone } = requests.next();
      if (isDone) end();
      else socket.write(value);
    };
    const onClose = (): void => end(new Error("The server ended the connection."));
    const onData = (chunk: Buffer): void => {
      received += chunk.toString("latin1");
      if (!isWhole(received)) return;
      try {
        assert(received.startsWith("HTTP/1.1 200 "), received);
      } catch (error) {
        end(error as Error);
        return;
      }
      received = "";
      send();
    };
    socket.on("data", onData).on("error", end).on("close", onClose);
    send();
  });
}

/** Whether an answer is there to its end. */
function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  assert(length !== undefined, "An answer has no length.");
  return text.length >= end + 4 + Number(length);
}
