import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Hooks } from "./past.js";
import type { Random } from "./random.js";

/** The demo project's own server, which receives its webhooks. */
export interface Receiver {
  readonly hooks: Hooks;
  stop(): Promise<void>;
}

/** The probabilities of failures. */
const FAILS = 0.03;
const IS_BUSY = 0.03;
const IS_SLOW = 0.02;

/** Starts a server that accepts most webhooks: sometimes it fails, is busy or slow. */
export async function startReceiver(port: number, random: Random): Promise<Receiver> {
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((request, response) => {
    // The body must be read, though it does not matter.
    request.resume();
    request.on("end", () => {
      const { status, afterMs } = drawAnswer(random);
      const timer = setTimeout(() => {
        timers.delete(timer);
        answer(response, status);
      }, afterMs);
      timers.add(timer);
    });
    // The client has disconnected.
    request.on("error", () => response.destroy());
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  const { port: bound } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${bound}`;
  return {
    hooks: { session: `${url}/sessions`, event: `${url}/events` },
    async stop() {
      for (const timer of timers) clearTimeout(timer);
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function drawAnswer(random: Random): { status: number; afterMs: number } {
  const drawn = random.next();
  const afterMs = random.int(3, 60);
  if (drawn < FAILS) return { status: 500, afterMs };
  if (drawn < FAILS + IS_BUSY) return { status: 503, afterMs: random.int(100, 400) };
  if (drawn < FAILS + IS_BUSY + IS_SLOW) return { status: 200, afterMs: random.int(1_200, 2_500) };
  return { status: 200, afterMs };
}

function answer(response: ServerResponse, status: number): void {
  const text = status === 200 ? "{}" : '{"error":"try again later"}';
  response.writeHead(status, { "content-type": "application/json" }).end(text);
}
