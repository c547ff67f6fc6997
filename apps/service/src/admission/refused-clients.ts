import { hash } from "node:crypto";
import type { EventLogEntry } from "@media-ops/contract";
import { type EventFields, type NewEntry, sortKey, toEvent } from "../logs/log-store.js";

/** Why a client is refused, in the words of the event log. It contains no secret. */
export type RefusedFacts = Required<Pick<EventLogEntry, "reason">> &
  Partial<Pick<EventFields, "detail" | "jwt_id" | "key_id">>;

/** A refused client that shares an entry with others of its period. */
export interface SharedRefused {
  readonly projectId: string;
  readonly period: number;
  /** The same for all that share the entry. */
  readonly name: string;
  readonly at: string;
  /** Its entry as JSON, which counts if it is the last one. */
  readonly entry: string;
}

/** How a refused client is recorded: as an entry, or added to those that share one. */
export type WrittenRefused = { readonly entries: readonly NewEntry[] } | { readonly refused: SharedRefused };

const MINUTE_MS = 60_000;
// So that each refused client is counted within 5 s. It divides a minute, which has 15 shared entries for each group.
const PERIOD_MS = 4000;

/** How many groups of a project have a client's name in a minute: a flood takes less than 100 entries a minute. */
export const MAX_CLIENTS = 40;
/** How many more groups have the name of a channel, if there are too many clients. */
export const MAX_CHANNELS = 2;

/** The number of the period that a time in ms since 1970 lies in. Refused clients of a period share entries. */
export const periodOf = (time: number): number => Math.floor(time / PERIOD_MS);

/** Limits what refused clients add to the event log, as no rate limit applies to them: those alike share entries. */
export class RefusedClients {
  readonly #now: () => number;
  #minute = 0;
  #groups = new Map<string, Set<string>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  take(projectId: string, entry: EventFields): WrittenRefused {
    const now = this.#now();
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#groups = new Map();
    }
    const groups = this.#groups.get(projectId) ?? new Set();
    this.#groups.set(projectId, groups);
    const shared = (name: string, fields: EventFields): WrittenRefused => ({
      refused: {
        projectId,
        period: periodOf(now),
        name,
        at: sortKey(fields.timestamp),
        entry: JSON.stringify(fields),
      },
    });
    const { timestamp, type, outcome, reason, channel_id, client_id, jwt_id, key_id } = entry;
    const name = nameOf(reason, channel_id, client_id, jwt_id, key_id);
    if (groups.has(name)) return shared(name, entry);
    if (groups.size < MAX_CLIENTS) {
      groups.add(name);
      return { entries: [toEvent(projectId, entry)] };
    }
    const inChannel = nameOf(reason, channel_id);
    if (groups.size < MAX_CLIENTS + MAX_CHANNELS) groups.add(inChannel);
    if (groups.has(inChannel)) return shared(inChannel, { timestamp, type, outcome, reason, channel_id });
    return shared(`${reason}`, { timestamp, type, outcome, reason });
  }
}

const nameOf = (...shared: readonly unknown[]): string => hash("sha256", JSON.stringify(shared), "base64url");
