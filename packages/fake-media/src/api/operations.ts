import { listedConnection } from "../bodies.js";
import type { Json } from "../json.js";
import type { Node } from "../node.js";

/** What an error of the API may be. */
export type ApiErrorType =
  | "METHOD_NOT_ALLOWED"
  | "NOT_FOUND"
  | "MISSING_TARGET"
  | "INVALID_TARGET"
  | "UNKNOWN_TARGET"
  | "INVALID_JSON"
  | "BODY_TOO_LARGE"
  | "INVALID_CHANNEL_ID"
  | "INVALID_CONNECTION_ID"
  | "CHANNEL-NOT-FOUND"
  | "CONNECTION-NOT-FOUND"
  | "INTERNAL_ERROR";

/** What the API answers. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

type Operation = (node: Node, body: Json) => ApiAnswer;

/** What the API can do, by the name after the date. */
export const operations: Readonly<Record<string, Operation>> = {
  DisconnectChannel: inChannel((node, connections) => {
    // Answered at once; the events follow, and whoever wants to see them waits for `settle`.
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

  ListConnections: (node) => ({ status: 200, body: node.channels.all().map(listed) }),
};

type Connections = ReturnType<Node["channels"]["all"]>;

function inChannel(act: (node: Node, connections: Connections, body: Json) => ApiAnswer): Operation {
  return (node, body) => {
    if (typeof body.channel_id !== "string") return apiError(400, "INVALID_CHANNEL_ID");
    const connections = node.channels.connectionsOf(body.channel_id);
    return connections ? act(node, connections, body) : apiError(404, "CHANNEL-NOT-FOUND");
  };
}

function listed(connection: Connections[number]): Json {
  return { channel_id: connection.channelId, session_id: connection.session.id, ...listedConnection(connection) };
}

export function apiError(status: number, error_type: ApiErrorType): ApiAnswer {
  return { status, body: { error_type } };
}
