import { hash } from "node:crypto";
import type { EventLogEntry } from "../generated/extensions.js";
import { type EventFields, type NewEntry, sortKey, toEvent } from "../logs/log-store.js";

/** Why a client is refused, in the words of the event log. It contains no secret. */
export type RefusedFacts = Required<Pick<EventLogEntry, "reason">> &
  Partial<Pick<EventFields, "detail" | "jwt_id" | "key_id">>;

/** A refused client that shares an entry with others of its minute. */
export interface SharedRefused {
  readonly projectId: string;
  /** Minutes since 1970. */
  readonly minute: number;
  /** The same for all that share the entry. */
  readonly name: string;
  /** The sort key of its time. */
  readonly at: string;
  /** Its entry as JSON, which counts if it is the last one. */
  readonly entry: string;
}

/** How a refused client is recorded: as an entry, or added to those that share one. */
export type WrittenRefused = { readonly entries: readonly NewEntry[] } | { readonly refused: SharedRefused };

const MINUTE_MS = 60_000;

/** How many groups of refused clients a project has in a minute; beyond that, there is one for each reason. */
export const MAX_GROUPS = 1000;

/** The minutes since 1970 of a time in ms. */
export const minuteOf = (time: number): number => Math.floor(time / MINUTE_MS);

/**
 * Limits what refused clients add to the event log, since no rate limit applies to them. For each channel, client,
 * token and reason, the first one of a minute has its own entry, and the others share one. Clients choose their
 * ids, so the number of groups is limited, too.
 */
export class RefusedClients {
  readonly #now: () => number;
  #minute = 0;
  /** The groups of this minute, by project. */
  #groups = new Map<string, Set<string>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How to record a refused client. */
  take(projectId: string, entry: EventFields): WrittenRefused {
    const minute = minuteOf(this.#now());
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#groups = new Map();
    }
    const groups = this.#groups.get(projectId) ?? new Set();
    this.#groups.set(projectId, groups);
    const { reason, channel_id, client_id, jwt_id, key_id } = entry;
    const name = hash("sha256", JSON.stringify([reason, channel_id, client_id, jwt_id, key_id]), "base64url");
    if (groups.has(name)) return { refused: shared(projectId, minute, name, entry) };
    if (groups.size >= MAX_GROUPS) return { refused: shared(projectId, minute, `${reason}`, withoutNames(entry)) };
    groups.add(name);
    return { entries: [toEvent(projectId, entry)] };
  }
}

function shared(projectId: string, minute: number, name: string, entry: EventFields): SharedRefused {
  return { projectId, minute, name, at: sortKey(entry.timestamp), entry: JSON.stringify(entry) };
}

/** What those have in common that share only their reason. */
const withoutNames = ({ timestamp, type, outcome, reason }: EventFields): EventFields => ({
  timestamp,
  type,
  outcome,
  reason,
});
