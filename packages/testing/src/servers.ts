import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** An HTTP server of a test. */
export interface ServedHttp {
  /** Its origin, such as http://127.0.0.1:49152. */
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/** Serves HTTP on the loopback interface, on a free port by default. */
export async function serveHttp(answer: RequestListener, port = 0): Promise<ServedHttp> {
  const server = createServer(answer).listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${address.port}`, port: address.port, server, close };
}

/** A port that is currently free. */
export async function freePort(): Promise<number> {
  const { port, close } = await serveHttp(() => {});
  await close();
  return port;
}
