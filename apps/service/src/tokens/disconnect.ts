import { setTimeout } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { MediaServer } from "../media-api/media-server.js";
import { Refusal } from "../refusal.js";
import type { Tables } from "../storage/tables.js";
import type { RevocationSubject } from "./revocations.js";

const DISCONNECT = "Media_20151104.DisconnectConnection";

// Clients that were admitted in the last moment before the revocation took effect connect within about a second.
const ROUNDS = 3;
const ROUND_MS = 700;
const AT_ONCE = 20;
// Twice the largest channel.
const READ_LIMIT = 10_000;

interface DisconnectOptions {
  seats(): ReturnType<typeof seatsOf>;
  readonly mediaServer: MediaServer;
  readonly projectId: string;
  readonly requestId: string;
}

/** Disconnects the clients that revoked tokens have admitted, and those that connect in the next moments. */
export async function disconnectClients(options: DisconnectOptions) {
  const ended = new Set<string>();
  const failed = new Map<string, string>();
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) await setTimeout(ROUND_MS);
    const seats = (await options.seats()).filter(({ connectionId }) => !ended.has(connectionId));
    for (let at = 0; at < seats.length; at += AT_ONCE) {
      await Promise.all(
        seats.slice(at, at + AT_ONCE).map(async ({ channelId, connectionId, isConnected }) => {
          const fault = await disconnect(options, channelId, connectionId);
          if (fault === undefined) ended.add(connectionId);
          if (fault === undefined || fault === GONE || !isConnected) failed.delete(connectionId);
          else failed.set(connectionId, fault);
        }),
      );
    }
  }
  const [fault] = [...failed.values()].slice(-1);
  return { disconnected: ended.size, left: failed.size, fault };
}

/** The seats of clients that were admitted by these tokens. */
export async function seatsOf(query: Kysely<Tables>, projectId: string, subject: RevocationSubject) {
  const seats = query
    .selectFrom("seat")
    .select(["channel_id", "connection_id", "connected"])
    .where("project_id", "=", projectId);
  const own =
    "jwtId" in subject
      ? seats.where("jwt_id", "=", subject.jwtId)
      : seats.where("channel_id", "=", subject.channelId).where(({ eb, or, and }) =>
          or([
            eb("issued_at", "<", Math.ceil(subject.issuedBefore / 1000)),
            // A token that doesn't say when it was issued.
            and([eb("issued_at", "is", null), eb("jwt_id", "is not", null)]),
          ]),
        );
  const rows = await own.limit(READ_LIMIT).execute();
  return rows.map((row) => ({
    channelId: row.channel_id,
    connectionId: row.connection_id,
    isConnected: row.connected === 1,
  }));
}

// Of a client that has not connected yet, or whose connection has ended by itself.
const GONE = "the media server knows no such connection";

async function disconnect(
  { mediaServer, projectId, requestId }: DisconnectOptions,
  channelId: string,
  connectionId: string,
): Promise<string | undefined> {
  const body = Buffer.from(JSON.stringify({ channel_id: channelId, connection_id: connectionId }));
  try {
    const { status } = await mediaServer.pass({ projectId, target: DISCONNECT, channelId, body, requestId });
    if (status < 300) return undefined;
    if (status === 404) return GONE;
    return `the media server answered ${status}`;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}
