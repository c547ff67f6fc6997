import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Starts a proxy between a service and PostgreSQL, until the test ends, that can fail as networks do. */
export async function startPostgresProxy(target: string) {
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
    /** Cuts the next used connection: before PostgreSQL receives the query, or once it has answered. */
    cut(at: "question" | "answer"): void {
      cutAt = at;
    },
    /** Forwards nothing from now on, as if PostgreSQL or the network hung; connections stay open. */
    swallow(): void {
      isSwallowing = true;
    },
    /** Forwards new connections again, and closes those that hung. */
    letThrough(): void {
      isSwallowing = false;
      closeAll();
    },
  };
}
