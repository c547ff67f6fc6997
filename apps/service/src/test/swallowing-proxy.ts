import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What stands between a service and PostgreSQL, and can swallow all that goes either way. */
interface SwallowingProxy {
  /** The address of PostgreSQL, by way of it. */
  readonly url: string;
  /** From then on nothing gets through, as where PostgreSQL, or the network before it, hangs; connections stay. */
  swallow(): void;
  /** Lets through what comes anew, and breaks what hung, as the network does in the end. */
  letThrough(): void;
}

/** Starts one on a free port; it is gone after the test. */
export async function startSwallowingProxy(target: string): Promise<SwallowingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    // The other end may be gone; that is what this is for.
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (isSwallowing) return;
    const upstream = keep(connect(Number(port), hostname));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on("data", (bytes) => {
        if (!isSwallowing) to.write(bytes);
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
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has a port.");
  const url = new URL(target);
  url.port = String(address.port);
  return {
    url: url.href,
    swallow() {
      isSwallowing = true;
    },
    letThrough() {
      isSwallowing = false;
      closeAll();
    },
  };
}
