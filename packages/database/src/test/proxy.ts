import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What stands between a database and who asks it, and may fail as networks and servers do. */
export interface Proxy {
  /** The database's URL, by way of the proxy. */
  readonly url: string;
  /** Cuts all connections, and takes no new ones. */
  close(): Promise<void>;
  /** Takes connections again. */
  open(): Promise<void>;
  /** Takes connections and what is said, and lets nothing through, or does so again. */
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
