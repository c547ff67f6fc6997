import { idFor, randomFor } from "@media-ops/fake-media";
import { addOutage, addStuckClient, avoidOutage, incidentBefore, OUTAGE } from "./incident.js";
import { type Hooks, PastLog } from "./past-log.js";
import { HOUR, MINUTE, stampOf, timesOf, within } from "./span.js";
import { chance, channels, drawVisitor, listings, stuckClient, waitFor } from "./visitors.js";

interface PastOptions {
  readonly now: number;
  readonly seed: number;
  readonly projectId: string;
  /** The id of the project's API key. */
  readonly keyId: string;
  readonly serviceUrl: string;
  readonly hooks: Hooks;
}

const DAYS = 3;
const SESSION_EVERY = HOUR / 4.5;

/**
 * Returns what the service has stored by now: three days of log entries, with a few failures, and an incident of 45
 * minutes, in which most event webhooks fail, and in one channel all connections to one node. A client with an expired
 * token tries on until now.
 */
export function pastOf({ now, seed, projectId, keyId, serviceUrl, hooks }: PastOptions): PastLog {
  const random = randomFor(seed, "past");
  const until = now - MINUTE;
  const incident = incidentBefore(now);
  const log = new PastLog({ random, until, incident, serviceUrl, hooks });

  const busyUntil = new Map<string, number>();
  for (let at = now - DAYS * 24 * HOUR; ; ) {
    // The incident has many webhooks, whatever the seed.
    at += waitFor(random, at < incident.from - HOUR / 2 ? SESSION_EVERY : SESSION_EVERY / 2);
    const { channel: wanted } = drawVisitor(random);
    const from = Math.floor(at);
    if (from >= until) break;
    // Sessions that could not have ended otherwise are shorter: without an end, they would have no entry.
    const session = { from, until: from + Math.min(random.int(3, 40) * MINUTE, until - from - MINUTE) };
    // A channel has one session at a time.
    const channel = [wanted, ...channels].find((one) => (busyUntil.get(one) ?? 0) < from);
    if (channel === undefined || session.until - from < 3 * MINUTE) continue;
    busyUntil.set(channel, session.until);

    const channel_id = `${channel}@${projectId}`;
    const session_id = idFor(seed, "session", at);
    const count = random.pick([1, 2, 2, 3, 3, 4, 6]);
    const spans = Array.from({ length: count }, (_, nth) => (nth === 0 ? session : within(session, random)));
    const connections = spans.map((span, nth) => {
      const visitor = { ...drawVisitor(random), channel };
      const connection_id = idFor(seed, "connection", at, nth);
      return { ...avoidOutage(random, visitor, incident, span.from), span, connection_id };
    });
    // The session is on the node of its first connection.
    const node_name = connections[0]?.nodeName;
    log.addEvent({ type: "session.created", at: session.from, channel_id, session_id, node_name });
    for (const { span, connection_id, role, clientId: client_id, nodeName: node_name } of connections) {
      const minutes = (span.until - span.from) / MINUTE;
      const bytes = (isFlowing: boolean): number =>
        Math.round(minutes * (isFlowing ? random.int(2_000_000, 20_000_000) : random.int(5_000, 60_000)));
      const connection = { channel_id, session_id, client_id, role, node_name, connection_id };
      log.addToken(span.from);
      log.addEvent({ type: "connection.created", at: span.from, ...connection });
      log.addEvent({
        ...{ type: "connection.destroyed", at: span.until, ...connection },
        elapsed_time_ms: span.until - span.from,
      });
      log.add("connections", stampOf(span.until), {
        ...{ channel_id, session_id, client_id, bundle_id: connection_id, connection_id },
        total_received_bytes: bytes(role !== "recvonly"),
        total_sent_bytes: bytes(role !== "sendonly"),
        ...timesOf(span),
      });
    }
    log.add("sessions", stampOf(session.until), {
      ...{ channel_id, session_id, total_connections: count, max_connections: Math.max(1, count - random.int(0, 1)) },
      ...timesOf(session),
    });
    const elapsed_time_ms = session.until - session.from;
    log.addEvent({
      ...{ type: "session.destroyed", at: session.until, channel_id, session_id, node_name },
      elapsed_time_ms,
    });
    if (chance(random, 0.5)) {
      const status = chance(random, 0.04) ? 504 : 200;
      log.addMediaCall(session.from + 2 * MINUTE, status, "ListChannelConnections", channel_id);
    }
    // A connection that has just closed can't be disconnected.
    if (chance(random, 0.15)) {
      const status = chance(random, 0.25) ? 404 : 200;
      log.addMediaCall(session.until - MINUTE, status, "DisconnectConnection", channel_id);
    }
    if (chance(random, 0.03)) {
      log.addMediaCall(session.from + 5_000, 404, "DisconnectChannel", `lobyy@${projectId}`);
    }
  }
  for (let at = now - DAYS * 24 * HOUR + HOUR; at < until; at += waitFor(random, HOUR / 2)) {
    log.addCall(at, chance(random, 0.02) ? 401 : 200, random.pick(listings));
  }
  addOutage(log, random, incident, `${OUTAGE.channel}@${projectId}`);
  addStuckClient(log, { from: incident.from, until }, `${stuckClient.channel}@${projectId}`, keyId);
  return log;
}
