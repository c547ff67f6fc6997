import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A proxy between a service and PostgreSQL that can fail as networks do. */
interface PostgresProxy {
  /** The URL of PostgreSQL, through the proxy. */
  readonly url: string;
  /** Cuts the next used connection: before PostgreSQL receives the query, or once it has answered. */
  cut(at: "question" | "answer"): void;
  /** Forwards nothing from now on, as if PostgreSQL or the network hung; connections stay open. */
  swallow(): void;
  /** Forwards new connections again, and closes those that hung. */
  letThrough(): void;
}

/** Starts a proxy on a free port until the test ends. */
export async function startPostgresProxy(target: string): Promise<PostgresProxy> {
  const url = new URL(target);
  const port = Number(url.port);
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  let cutAt: "question" | "answer" | undefined;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (isSwallowing) return;
    const upstream = keep(connect(port, url.hostname));
    for (const [from, to, at] of [
      [client, upstream, "question"],
      [upstream, client, "answer"],
    ] as const) {
      from.on("data", (bytes) => {
        if (isSwallowing) return;
        if (cutAt !== at) return void to.write(bytes);
        cutAt = undefined;
        from.destroy();
        to.destroy();
      });
      from.on("close", () => to.destroy());
    }
  });
  const closeAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    closeAll();
  });
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut(at) {
      cutAt = at;
    },
    swallow() {
      isSwallowing = true;
    },
    letThrough() {
      isSwallowing = false;
      closeAll();
    },
  };
}
