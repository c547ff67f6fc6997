import { setTimeout as elapsed } from "node:timers/promises";
import { randomFor } from "@media-ops/fake-media";
import { serve } from "../ports.js";
import type { Hooks } from "./past-log.js";

/** The demo project's own server, which receives its webhooks. */
export interface Receiver {
  readonly hooks: Hooks;
  /** Sets whether every request fails. @default false */
  setFailing(isFailing: boolean): void;
  stop(): Promise<void>;
}

// Most responses succeed quickly. About one in 36 fails, one is busy, and one is slow.
const quick = { status: 200, minMs: 3, maxMs: 60 };
const others = [
  { status: 500, minMs: 3, maxMs: 60 },
  { status: 503, minMs: 100, maxMs: 400 },
  { status: 200, minMs: 1_200, maxMs: 2_500 },
];
const failing = { status: 503, minMs: 100, maxMs: 400 };

/** Starts a server that accepts most webhooks, but sometimes fails, is busy or slow. */
export async function startReceiver(port: number, seed: number): Promise<Receiver> {
  const random = randomFor(seed, "receiver");
  let isFailing = false;
  const { url, stop } = await serve(port, async (request, response) => {
    const { status, minMs, maxMs } = isFailing ? failing : (others[random.int(0, 35)] ?? quick);
    // The body must be read, even though it is not used.
    request.resume();
    await elapsed(random.int(minMs, maxMs), undefined, { ref: false });
    const text = status === 200 ? "{}" : '{"error":"try again later"}';
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  });
  return {
    hooks: { session: `${url}/sessions`, event: `${url}/events` },
    setFailing(next) {
      isFailing = next;
    },
    stop,
  };
}
