import { type MediaClient, parseTimestamp, type SessionLogEntry } from "@media-ops/sdk";

/** The longest sessions, to the microsecond, which `duration_min` rounds away. */
export async function longSessions(client: MediaClient, count: number): Promise<string[]> {
  const sessions = await client.logs.sessions();
  return sessions
    .map((session) => ({ session, length: lengthOf(session) }))
    .sort((a, b) => (a.length < b.length ? 1 : -1))
    .slice(0, count)
    .map(({ session, length }) => {
      const seconds = Number(length) / 1e6;
      return `${session.channel_id} ${session.session_id}: ${seconds} s, up to ${session.max_connections} of ${session.total_connections} connections at once`;
    });
}

function lengthOf({ created_timestamp, destroyed_timestamp }: SessionLogEntry): bigint {
  const created = parseTimestamp(created_timestamp)?.epochMicroseconds ?? 0n;
  const destroyed = parseTimestamp(destroyed_timestamp)?.epochMicroseconds ?? created;
  return destroyed - created;
}
