import type { Refusal } from "./auth.js";
import type { Connection } from "./channels.js";
import type { Role } from "./options.js";

/** What `connect` gives: a connection, or why there is none. */
export type Client = ConnectedClient | Refusal;

/** A client that has been let in. */
export interface ConnectedClient {
  readonly allowed: true;
  readonly channelId: string;
  readonly sessionId: string;
  readonly connectionId: string;
  /** As events bear it: the intake may have changed it. */
  readonly clientId: string;
  readonly bundleId: string;
  readonly role: Role;
  readonly isConnected: boolean;
  /** All bytes so far, as the next event will say; the last one says a few more. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Moves exactly these bytes; from the first time on, nothing moves by itself any more. */
  transfer(bytes: { receivedBytes?: number; sentBytes?: number }): void;
  /** Sends `connection.updated`; does nothing where the connection has ended. */
  update(): Promise<void>;
  /** Ends it; resolves when it has been told of, and the end of its session too where this was the last one. */
  disconnect(reason?: string): Promise<void>;
}

/** What a client can do with its connection. */
interface Hands {
  update(connection: Connection): Promise<void>;
  disconnect(connection: Connection, reason?: string): Promise<void>;
}

export function createClient(connection: Connection, hands: Hands): ConnectedClient {
  const { channelId, session, id, clientId, bundleId, role } = connection;
  return {
    allowed: true,
    channelId,
    sessionId: session.id,
    connectionId: id,
    clientId,
    bundleId,
    role,
    get isConnected() {
      return !connection.destroyed;
    },
    get receivedBytes() {
      return connection.receivedBytes;
    },
    get sentBytes() {
      return connection.sentBytes;
    },
    transfer({ receivedBytes = 0, sentBytes = 0 }) {
      connection.isCounted = true;
      connection.receivedBytes += receivedBytes;
      connection.sentBytes += sentBytes;
    },
    update: () => hands.update(connection),
    disconnect: (reason) => hands.disconnect(connection, reason),
  };
}
