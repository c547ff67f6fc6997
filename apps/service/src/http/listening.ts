import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { messageOf } from "@media-ops/database";

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
