import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { messageOf } from "@media-ops/database";
import { networkOf } from "@media-ops/public-addresses";
import type { Logger } from "pino";
import type { Counter } from "prom-client";
import { MinuteLog } from "../log.js";

/** The service could not start; the message explains the reason and the next step. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Limits that keep slow and greedy clients from blocking the service. */
export interface ListenerLimits {
  /** How long the headers of a request may take. @default 10_000 */
  headersTimeoutMs?: number;
  /** How long a whole request may take to arrive. @default 30_000 */
  requestTimeoutMs?: number;
  /** How often these times are checked. @default 2000 */
  checkEveryMs?: number;
  /** How many calls without a good key an address may make in a minute. @default 300 */
  wrongKeysPerMinute?: number;
  /** How long further calls are held before they are refused; up to twice as long at random. @default 1000 */
  holdMs?: number;
}

// Longer than proxies keep an idle connection (commonly 60 s), so that none is closed while a proxy uses it.
const KEEP_ALIVE_MS = 72_000;

/** Begins to listen; `setting` sets the port. Add the server's handlers before awaiting anything else. */
export async function listen(
  { host, port, setting }: { host: string; port: number; setting: string },
  { headersTimeoutMs = 10_000, requestTimeoutMs = 30_000, checkEveryMs = 2000 }: ListenerLimits = {},
): Promise<{ server: Server; url: string }> {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: checkEveryMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A missing Host header is refused with a problem.
    requireHostHeader: false,
    // Node would keep the first of two such headers, and a proxy may have checked the last: joined, they are not valid.
    joinDuplicateHeaders: true,
  });
  const sockets = new Set<Socket>();
  connections.set(server, sockets);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  try {
    const { address } = await lookup(host);
    server.listen(port, address);
    await once(server, "listening");
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    const reason = isTaken ? "is taken" : `cannot be listened at (${messageOf(error)})`;
    const message = `${host}:${port} ${reason}. Set ${setting} to another port, or stop the process that uses it.`;
    throw new StartError(message, { cause: error });
  }
  const { address, family, port: chosen } = server.address() as AddressInfo;
  return { server, url: `http://${family === "IPv6" ? `[${address}]` : address}:${chosen}` };
}

/** How long a stopping listener waits for its calls: with the rest, less than 10 s, when a supervisor kills. */
export const DRAIN_MS = 4000;

const connections = new WeakMap<Server, ReadonlySet<Socket>>();

/** Accepts no new connections, and resolves when all others have ended; those that take too long are aborted. */
export async function close(server: Server): Promise<void> {
  // Node's server closes idle connections when it stops, but not those that have sent nothing yet.
  for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await new Promise((done) => server.close(done));
  clearTimeout(timer);
}

interface ConnectionLimits {
  readonly listener: "public" | "internal";
  readonly max: number;
  /** 0 sets no limit. */
  readonly maxPerAddress: number;
  readonly closed: Counter<"limit">;
  readonly log: Logger;
  now(): number;
}

const proofs = new WeakMap<Socket, () => void>();

/** Protects a connection from being closed at a limit, because its caller has shown a good key. */
export function keepConnection(socket: Socket): void {
  proofs.get(socket)?.();
}

interface Network {
  count: number;
  readonly unproven: Set<Socket>;
}

/**
 * Limits the open connections of a server that has just begun to listen. At a limit, a new connection replaces the
 * oldest one that has not shown a good key: callers without a key can't lock out those with one. At the limit in all,
 * it is one of the address that has the most of them, so that many connections from one address can't close another's
 * before its key arrives.
 */
export function limitConnections(server: Server, options: ConnectionLimits): void {
  const { listener, max, maxPerAddress, closed, log, now } = options;
  const networks = new Map<string, Network>();
  let count = 0;
  const closings = new MinuteLog(now);
  const failures = new MinuteLog(now);

  const mostUnproven = (): ReadonlySet<Socket> => {
    let most: ReadonlySet<Socket> = new Set();
    for (const { unproven } of networks.values()) if (unproven.size > most.size) most = unproven;
    return most;
  };

  /** Closes the oldest connection that has not shown a good key; false if all have. */
  const closeOldest = (unproven: ReadonlySet<Socket>, limit: "address" | "all", address: string): boolean => {
    closed.labels(limit).inc();
    closings.note((times) => log.warn({ listener, address, count: times }, MESSAGES[limit]));
    const [oldest] = unproven;
    if (!oldest) return false;
    keepConnection(oldest);
    oldest.destroy();
    return true;
  };

  const admit = (socket: Socket): boolean => {
    const address = networkOf(socket.remoteAddress ?? "");
    const own = networks.get(address) ?? { count: 0, unproven: new Set() };
    if (maxPerAddress > 0 && own.count >= maxPerAddress) {
      if (!closeOldest(own.unproven, "address", address)) return false;
    } else if (count >= max && !closeOldest(mostUnproven(), "all", address)) return false;

    networks.set(address, own);
    own.count += 1;
    own.unproven.add(socket);
    count += 1;
    proofs.set(socket, () => own.unproven.delete(socket));
    socket.once("close", () => {
      keepConnection(socket);
      own.count -= 1;
      count -= 1;
      if (own.count === 0) networks.delete(address);
    });
    return true;
  };

  const accept = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (admit(socket)) for (const next of accept) next.call(server, socket);
    else socket.destroy();
  });
  // An error event without a listener would end the process, and accept(2) fails when descriptors or memory run out.
  server.on("error", (error) =>
    failures.note((times) =>
      log.error({ err: error, count: times }, `the ${listener} listener failed to accept connections`),
    ),
  );
}

const MESSAGES = {
  address:
    "connections over the limit of one address were closed; behind a proxy, set MEDIA_MAX_CONNECTIONS_PER_ADDRESS=0",
  all: "connections over the limit were closed; MEDIA_MAX_CONNECTIONS and the limit of open files set it",
};
