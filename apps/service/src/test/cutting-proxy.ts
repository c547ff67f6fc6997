import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What stands between a service and PostgreSQL, and can cut a connection. */
interface CuttingProxy {
  /** The address of PostgreSQL, by way of it. */
  readonly url: string;
  /** Cuts the next connection that is used: before PostgreSQL gets the question, or when it has answered it. */
  cut(at: "question" | "answer"): void;
}

/** Starts one on a free port; it is gone after the test. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const url = new URL(target);
  const port = Number(url.port);
  const sockets = new Set<Socket>();
  let cutAt: "question" | "answer" | undefined;
  const server = createServer((client) => {
    const upstream = connect(port, url.hostname);
    for (const [from, to, at] of [
      [client, upstream, "question"],
      [upstream, client, "answer"],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => {
        if (cutAt !== at) return void to.write(bytes);
        cutAt = undefined;
        from.destroy();
        to.destroy();
      });
      from.on("error", () => {}).on("close", () => to.destroy());
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has a port.");
  url.port = String(address.port);
  return {
    url: url.href,
    cut(at) {
      cutAt = at;
    },
  };
}
