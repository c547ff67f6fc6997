import { hash } from "node:crypto";
import type { EventLogEntry } from "../generated/extensions.js";
import { type EventFields, toEvent } from "../logs/event-log.js";
import { type NewEntry, sortKey } from "../logs/log-store.js";

/** Why a client is refused, in the words of the event log. It contains no secret. */
export type RefusalFacts = Required<Pick<EventLogEntry, "reason">> &
  Partial<Pick<EventFields, "detail" | "jwt_id" | "key_id">>;

/** A refusal that shares an entry with others of its minute. */
export interface SharedRefusal {
  readonly projectId: string;
  /** Minutes since 1970. */
  readonly minute: number;
  /** The same for all refusals that share the entry. */
  readonly name: string;
  /** The sort key of its time. */
  readonly at: string;
  /** Its entry as JSON, which counts if it is the last one. */
  readonly entry: string;
}

/** How a refusal is written: as an entry, or added to those that share one. */
export type WrittenRefusal = { readonly entries: readonly NewEntry[] } | { readonly refusal: SharedRefusal };

const MINUTE_MS = 60_000;

/** How many groups of refusals a project has in a minute; beyond that, there is one for each reason. */
export const MAX_GROUPS = 1000;

/** The minutes since 1970 of a time in ms. */
export const minuteOf = (time: number): number => Math.floor(time / MINUTE_MS);

/**
 * Limits what refused clients add to the event log, since no rate limit applies to them. For each channel, client,
 * token and reason, the first refusal of a minute has its own entry, and the others share one. Clients choose their
 * ids, so the number of groups is limited, too.
 */
export class Refusals {
  readonly #now: () => number;
  #minute = 0;
  /** The groups of this minute, by project. */
  #groups = new Map<string, Set<string>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How to write a refusal. */
  take(projectId: string, entry: EventFields): WrittenRefusal {
    const minute = minuteOf(this.#now());
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#groups = new Map();
    }
    const groups = this.#groups.get(projectId) ?? new Set();
    this.#groups.set(projectId, groups);
    const { reason, channel_id, client_id, jwt_id, key_id } = entry;
    const name = hash("sha256", JSON.stringify([reason, channel_id, client_id, jwt_id, key_id]), "base64url");
    if (groups.has(name)) return { refusal: shared(projectId, minute, name, entry) };
    if (groups.size >= MAX_GROUPS) return { refusal: shared(projectId, minute, `${reason}`, withoutNames(entry)) };
    groups.add(name);
    return { entries: [toEvent(projectId, entry)] };
  }
}

function shared(projectId: string, minute: number, name: string, entry: EventFields): SharedRefusal {
  return { projectId, minute, name, at: sortKey(entry.timestamp), entry: JSON.stringify(entry) };
}

/** What refusals have in common that share only their reason. */
const withoutNames = ({ timestamp, type, outcome, reason }: EventFields): EventFields => ({
  timestamp,
  type,
  outcome,
  reason,
});
