import type { Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "@media-ops/public-addresses";
import type { Logger } from "pino";
import type { Counter } from "prom-client";
import { MinuteLog } from "../log.js";

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
