import { once } from "node:events";
import { Agent, createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { FakeSlack } from "@media-ops/fake-slack";

/** A request of Slack, signed and ready to be sent. */
export interface SlackRequest {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What Slack sends to the app while people do something; the app does not get it. */
export async function captured(slack: FakeSlack, act: () => Promise<unknown>): Promise<SlackRequest[]> {
  const requests: SlackRequest[] = [];
  const server = createServer(async (incoming, response) => {
    requests.push({ headers: incoming.headers, body: await buffer(incoming) });
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  slack.app.requestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await act();
  server.close();
  server.closeAllConnections();
  return requests;
}

// Slack keeps its connections, too.
const agent = new Agent({ keepAlive: true });

/** Sends it; gives the milliseconds until it is acknowledged. */
export function send(url: string, { headers: { host, connection, ...headers }, body }: SlackRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const outgoing = request(url, { method: "POST", agent, headers }, (response) => {
      const ms = performance.now() - started;
      if (response.statusCode !== 200) reject(new Error(`The app answered ${response.statusCode}.`));
      response.resume().on("end", () => resolve(ms));
    });
    outgoing.on("error", reject).end(body);
  });
}
