import { idFor, type Random } from "@media-ops/fake-media";
import type { PastLog } from "./past-log.js";
import { MINUTE, type Span, stampOf } from "./span.js";
import { drawVisitor, nodes, STUCK_EVERY_MS, stuckClient, type Visitor, waitFor } from "./visitors.js";

/**
 * Returns the 45 minutes in which the event receiver failed, and the TURN server of a node. A question about the last
 * hour finds them, and for a while after the start, some of them.
 */
export const incidentBefore = (now: number): Span => ({ from: now - 50 * MINUTE, until: now - 5 * MINUTE });

/** The channel whose clients can't connect to a node during the incident. */
export const OUTAGE = { channel: "lobby", nodeName: "node-2" } as const;

const ICE_TIMEOUT_MS = 20_000;
const CLIENT_EVERY_MS = 90_000;

/** Adds clients whose connections fail during the incident. Most of them try twice. */
export function addOutage(log: PastLog, random: Random, { from, until }: Span, channel_id: string): void {
  for (let at = from + MINUTE; at < until - MINUTE; at += waitFor(random, CLIENT_EVERY_MS)) {
    const { clientId: client_id, role } = drawVisitor(random);
    let begun = Math.floor(at);
    for (let tries = random.pick([1, 2, 2]); tries > 0; tries--) {
      const elapsed_time_ms = ICE_TIMEOUT_MS + random.int(5, 400);
      const connection_id = idFor("failure", begun, client_id);
      log.addToken(begun);
      log.addEvent({
        ...{ type: "connection.failed", at: begun + elapsed_time_ms, channel_id, connection_id, client_id, role },
        ...{ node_name: OUTAGE.nodeName, outcome: "failed", reason: "ice-timeout", media_reason: "ICE-TIMEOUT" },
        elapsed_time_ms,
      });
      begun += elapsed_time_ms + random.int(2_000, 8_000);
    }
  }
}

/** Returns a client that connects to a node that works. */
export function avoidOutage(random: Random, visitor: Visitor, { from, until }: Span, at: number): Visitor {
  const { channel, nodeName } = visitor;
  if (channel !== OUTAGE.channel || nodeName !== OUTAGE.nodeName || at < from || at >= until) return visitor;
  return { ...visitor, nodeName: random.pick([nodes[0], nodes[2]]) };
}

/**
 * Adds a client that has tried again and again since its token expired. As in the service, the first refusal of each
 * minute has its own entry, and the others share one.
 */
export function addStuckClient(log: PastLog, { from, until }: Span, channel_id: string, key_id: string): void {
  const { clientId: client_id, role, nodeName: node_name } = stuckClient;
  const expired = Math.ceil(from / MINUTE) * MINUTE;
  const detail = `at ${new Date(expired).toISOString().replace(".000Z", "Z")}`;
  const refuse = (at: number, more: { count?: number } = {}): void =>
    log.add("events", stampOf(at), {
      ...{ type: "admission.refused", channel_id, connection_id: idFor("refusal", at), client_id, role, node_name },
      ...{ outcome: "refused", reason: "expired", detail, key_id, ...more },
    });
  for (let minute = expired; minute + MINUTE < until; minute += MINUTE) {
    refuse(minute);
    refuse(minute + MINUTE - STUCK_EVERY_MS, { count: MINUTE / STUCK_EVERY_MS - 1 });
  }
}
