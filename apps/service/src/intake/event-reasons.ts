import type { EventLogEntry, EventReason } from "../generated/extensions.js";

type Outcome = EventLogEntry["outcome"];

/** What a media server's word for the end of a connection means. */
interface Meaning {
  readonly reason: EventReason;
  /** Whether a connection that had been made counts as broken. */
  readonly outcome: Outcome;
}

// The words differ between versions, so they are told apart by what they contain. The first that fits counts.
const meanings: readonly (readonly [pattern: RegExp, meaning: Meaning])[] = [
  [/\bICE\b.*TIME.?OUT/, { reason: "ice-timeout", outcome: "failed" }],
  [/\bICE\b/, { reason: "ice-failed", outcome: "failed" }],
  [/DTLS/, { reason: "dtls-failed", outcome: "failed" }],
  [/DISCONNECT(ED)?.*API|API.*DISCONNECT/, { reason: "disconnected-by-api", outcome: "ok" }],
  [/(LIFETIME|SESSION).*(EXPIRED|TIME.?OUT)/, { reason: "lifetime-expired", outcome: "ok" }],
  [/NODE.*(DOWN|GONE|DIED)/, { reason: "node-gone", outcome: "failed" }],
  [/SIGNALING|WEB.?SOCKET/, { reason: "signaling-lost", outcome: "failed" }],
  [/TIME.?OUT/, { reason: "timeout", outcome: "failed" }],
];

// The ends that a client or the last participant causes. They explain nothing.
const ORDINARY = /^(NO.?ERROR|NORMAL|OK|CLIENT.*|DISCONNECT(ED)?|WEB.?SOCKET.?ON.?CLOSE|SESSION.?DESTROYED)$/;

const MAX_WORD = 255;

/**
 * The outcome of a connection that has ended, and its reason in our words and in the media server's. A word that is not
 * known is passed on as the reason `other`, and is no failure.
 *
 * @example readReason("ICE-CONNECTION-TIMEOUT") // { outcome: "failed", reason: "ice-timeout", media_reason: … }
 */
export function readReason(word: string | undefined): Pick<EventLogEntry, "outcome" | "reason" | "media_reason"> {
  if (word === undefined || word === "") return { outcome: "ok" };
  const media_reason = word.slice(0, MAX_WORD);
  const upper = media_reason.toUpperCase().replaceAll("_", "-");
  if (ORDINARY.test(upper)) return { outcome: "ok", media_reason };
  const [, meaning] = meanings.find(([pattern]) => pattern.test(upper)) ?? [];
  const { outcome, reason } = meaning ?? { outcome: "ok", reason: "other" };
  return { outcome, reason, media_reason };
}
