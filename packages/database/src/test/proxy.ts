import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A proxy between a database and its clients, which can simulate failures of networks and servers. */
export interface Proxy {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** Cuts all connections, and accepts no new ones. */
  close(): Promise<void>;
  /** Accepts connections again. */
  open(): Promise<void>;
  /** Accepts connections and data without forwarding them, or forwards them again. */
  silence(isSilent: boolean): void;
}

export async function startProxy(url: string): Promise<Proxy> {
  const { hostname, port: targetPort } = new URL(url);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const serve = (client: Socket): void => {
    const server = connect(Number(targetPort || 5432), hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => {
        if (!isSilent) to.write(bytes);
      });
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  };
  let listening: Server | undefined;
  const open = async (port: number): Promise<void> => {
    listening = createServer(serve).listen(port, "127.0.0.1");
    await once(listening, "listening");
  };
  const close = async (): Promise<void> => {
    if (!listening) return;
    const closed = once(listening, "close");
    listening.close();
    listening = undefined;
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await open(0);
  onTestFinished(close);
  const address = (listening as Server | undefined)?.address();
  if (typeof address !== "object" || address === null) throw new Error("A TCP server has a port.");
  const { port } = address;
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${port}`;
  return {
    url: proxied.href,
    close,
    open: () => open(port),
    silence(silent) {
      isSilent = silent;
    },
  };
}
