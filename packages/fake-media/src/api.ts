import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { parseObject } from "./intake.js";
import { type Connection, listedConnection, type Node } from "./node.js";
import type { Json } from "./options.js";

const HOST = "127.0.0.1";
const MAX_BODY_BYTES = 65_536;

/** Starts the API; returns its URL, and a function to stop it. */
export async function startApi(node: Node, port: number) {
  const server = createServer((request, response) => {
    text(request).then(
      (body) => send(response, answerTo(node, request, body)),
      () => response.destroy(),
    );
  });
  server.listen(port, HOST);
  await once(server, "listening");
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${bound}`,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerTo(node: Node, { url, method, headers }: IncomingMessage, body: string): ApiAnswer {
  if (url !== "/") return apiError(404, "NOT_FOUND");
  if (method !== "POST") return apiError(405, "METHOD_NOT_ALLOWED");
  const target = headers["x-media-target"];
  if (typeof target !== "string" || target === "") return apiError(400, "MISSING_TARGET");
  const operation = /^Media_\d{8}\.([A-Za-z]+)$/.exec(target)?.[1];
  if (operation === undefined) return apiError(400, "INVALID_TARGET");
  const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (!run) return apiError(400, "UNKNOWN_TARGET");
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) return apiError(413, "BODY_TOO_LARGE");
  const parsed = parseObject(body);
  return parsed ? run(node, parsed) : apiError(400, "INVALID_JSON");
}

function send(response: ServerResponse, { status, body }: ApiAnswer): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...(status === 405 && { allow: "POST" }),
  });
  response.end(text);
}

/** The response of the API. */
interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

type Operation = (node: Node, body: Json) => ApiAnswer;

/** The operations of the API, by the name after the date. */
export const operations: Readonly<Record<string, Operation>> = {
  DisconnectChannel: inChannel((node, connections) => {
    // Answered at once; the events follow, and `settle` waits for them.
    void node.disconnectAll(connections);
    return { status: 200, body: {} };
  }),

  DisconnectConnection: inChannel((node, connections, { connection_id }) => {
    if (typeof connection_id !== "string") return apiError(400, "INVALID_CONNECTION_ID");
    const connection = connections.find(({ id }) => id === connection_id);
    if (!connection) return apiError(404, "CONNECTION-NOT-FOUND");
    void node.disconnect(connection);
    return { status: 200, body: {} };
  }),

  ListChannelConnections: inChannel((_, connections) => ({ status: 200, body: connections.map(listed) })),

  ListConnections: (node) => ({ status: 200, body: node.connections().map(listed) }),
};

function inChannel(act: (node: Node, connections: Connection[], body: Json) => ApiAnswer): Operation {
  return (node, body) => {
    if (typeof body.channel_id !== "string") return apiError(400, "INVALID_CHANNEL_ID");
    const connections = node.connectionsOf(body.channel_id);
    return connections ? act(node, connections, body) : apiError(404, "CHANNEL-NOT-FOUND");
  };
}

function listed(connection: Connection): Json {
  return { channel_id: connection.channelId, session_id: connection.session.id, ...listedConnection(connection) };
}

function apiError(status: number, error_type: string): ApiAnswer {
  return { status, body: { error_type } };
}
