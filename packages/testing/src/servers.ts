import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** Serves HTTP on the loopback interface, on a free port by default. */
export async function serveHttp(answer: RequestListener, port = 0) {
  const server = createServer(answer).listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  /** Stops listening and ends open connections. */
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${address.port}`, port: address.port, server, close };
}

// Below the ports from which systems take those of outgoing connections (Linux 32768, others 49152): one of these may get
// the port before the server that it is for, or while that server restarts. Browsers and fetch refuse none of them.
const FIRST_PORT = 16_384;
const PORTS = 16_384;
// Each process begins elsewhere, and never offers the same port twice.
let nextPort = randomInt(PORTS);

/** A port that is currently free, and stays free of outgoing connections. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries++) {
    const port = FIRST_PORT + (nextPort++ % PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error(`Each port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} is taken. Stop what listens there.`);
}

async function isFree(port: number): Promise<boolean> {
  try {
    await (await serveHttp(() => {}, port)).close();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return false;
    throw error;
  }
}
