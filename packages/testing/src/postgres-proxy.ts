import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Starts a proxy between PostgreSQL and its clients until the test ends, which fails as networks and servers do. */
export async function startPostgresProxy(target: string) {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  let isSilent = false;
  let cutAt: "question" | "answer" | undefined;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const serve = (client: Socket): void => {
    keep(client);
    if (isSilent) return;
    const upstream = keep(connect(Number(targetPort || 5432), hostname));
    for (const [from, to, at] of [
      [client, upstream, "question"],
      [upstream, client, "answer"],
    ] as const) {
      from.on("data", (bytes) => {
        if (isSilent) return;
        if (cutAt !== at) return void to.write(bytes);
        cutAt = undefined;
        from.destroy();
        to.destroy();
      });
      from.on("close", () => to.destroy());
    }
  };
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  let server: Server | undefined;
  const open = async (port: number): Promise<number> => {
    server = createServer(serve).listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  /** Cuts all connections, and accepts no new ones. */
  const close = async (): Promise<void> => {
    if (!server) return;
    const closed = once(server, "close");
    server.close();
    server = undefined;
    cutAll();
    await closed;
  };
  const port = await open(0);
  onTestFinished(close);
  const proxied = new URL(target);
  proxied.host = `127.0.0.1:${port}`;
  return {
    /** The URL of PostgreSQL, through the proxy. */
    url: proxied.href,
    /** Cuts the next used connection: before PostgreSQL receives the query, or once it has answered. */
    cut(at: "question" | "answer"): void {
      cutAt = at;
    },
    /** Forwards nothing while it is silent; connections stay open until it ends. */
    silence(silent: boolean): void {
      isSilent = silent;
      if (!silent) cutAll();
    },
    close,
    /** Accepts connections again. */
    open: () => open(port),
  };
}
