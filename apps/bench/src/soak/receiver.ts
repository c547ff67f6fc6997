import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Where the projects are told of what happens. */
export interface Receiver {
  readonly url: string;
  /** How many different events have come. */
  readonly count: number;
  close(): void;
}

/** @param onFault Told of what comes twice, or is no event. */
export async function startReceiver(onFault: (fault: Error) => void): Promise<Receiver> {
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    const event: { id?: unknown; type?: unknown } = JSON.parse(await text(request));
    const { id, type } = event;
    if (typeof id !== "string" || typeof type !== "string") onFault(new Error("A webhook is no event."));
    else if (seen.has(id)) onFault(new Error(`The event ${id} was delivered twice.`));
    else seen.add(id);
    response.writeHead(200, { "content-type": "application/json", "content-length": 2 }).end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get count() {
      return seen.size;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
