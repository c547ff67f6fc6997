import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { FakeSlack } from "@media-ops/fake-slack";

/** What Slack sends to the app while people do something, signed and as it goes over the wire; the app does not get it. */
export async function captured(slack: FakeSlack, act: () => Promise<unknown>): Promise<Buffer[]> {
  const requests: Buffer[] = [];
  const server = createServer(async (incoming, response) => {
    requests.push(asSent(incoming.headers, await buffer(incoming)));
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  slack.app.requestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  await act();
  server.close();
  server.closeAllConnections();
  return requests;
}

function asSent({ connection, ...headers }: IncomingHttpHeaders, body: Buffer): Buffer {
  // Slack keeps its connections.
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.concat([Buffer.from(`POST /slack/events HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`), body]);
}
