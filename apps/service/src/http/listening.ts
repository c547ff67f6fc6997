import { lookup } from "node:dns/promises";
import type { AddressInfo } from "node:net";
import { messageOf } from "../text/message-of.js";
import type { App } from "./create-app.js";

/** The service could not start; the message says why and what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Where to listen. */
export interface Place {
  readonly host: string;
  readonly port: number;
  /** Which setting chooses the port. */
  readonly setting: string;
  /** What the log says of it. */
  announce(address: string): string;
}

/** Listens, and gives the address. */
export async function listen(app: App, { host, port, setting, announce }: Place): Promise<string> {
  try {
    // For a name such as localhost, Fastify would open a server for each address: all but one without our limits.
    const { address } = await lookup(host);
    await app.listen({ host: address, port, listenTextResolver: announce });
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    const reason = isTaken ? "is taken" : `cannot be listened at (${messageOf(error)})`;
    const message = `${host}:${port} ${reason}. Set ${setting} to another port, or stop what has it.`;
    throw new StartError(message, { cause: error });
  }
  return addressOf(app);
}

/** The address at which an app listens. */
export function addressOf(app: App): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/**
 * How long a listener that stops waits for calls that are under way. With the time to end deliveries and to write what is
 * left, less than the 10 s after which a supervisor kills.
 */
export const DRAIN_MS = 4000;

/** Takes nothing new and lets what is under way finish; who is too slow for that is cut off. */
export async function drain(app: App, patienceMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), patienceMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}
