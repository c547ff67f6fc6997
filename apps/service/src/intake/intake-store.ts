import type { SharedRefused } from "../admission/refused-clients.js";
import type { SeatChange } from "../admission/seats.js";
import type { NewDelivery } from "../deliveries/delivery.js";
import type { NewEntry } from "../logs/log-store.js";

/** The changes that an event causes in the database. */
export interface EventEffects {
  readonly seats?: SeatChange | undefined;
  /** Log entries, each written once, however often the event arrives: a repeated one has the same text. */
  readonly entries?: readonly NewEntry[] | undefined;
  readonly refused?: SharedRefused | undefined;
  readonly delivery?: NewDelivery | undefined;
}

/** The result of a batch that was written. */
export interface WrittenEffects {
  readonly due: string[];
  /** For each event that reports a vanished node: the projects that had seats on it. */
  readonly onNodes: ReadonlyMap<EventEffects, string[]>;
}

/** Writes the effects of events. */
export interface IntakeStore {
  /**
   * Writes the effects of many events durably, as if one after another, and vanished nodes in the order of the calls,
   * too. If it fails, some may be written; writing them again does no harm.
   */
  write(effects: readonly EventEffects[]): Promise<WrittenEffects>;

  /** Writes the entries that refused clients share, of all periods but one and the next. Each of them counts once. */
  writeRefused(exceptPeriod: number): Promise<void>;
}

/** The project whose data changes; empty for a vanished node, which may affect several. */
export function projectOf({ seats, entries: [entry] = [], refused, delivery }: EventEffects): string {
  const own = seats && seats.kind !== "node-gone" ? seats.projectId : undefined;
  return own ?? (entry ?? refused ?? delivery)?.projectId ?? "";
}

/** The rows of `refused_client` for a batch, one for each group: `project, period, name, count, at, entry`. */
export function sharedRows(clients: readonly SharedRefused[]): [string, number, string, number, string, string][] {
  const groups = new Map<string, { count: number; last: SharedRefused }>();
  for (const client of clients) {
    const key = JSON.stringify([client.projectId, client.period, client.name]);
    groups.set(key, { count: (groups.get(key)?.count ?? 0) + 1, last: client });
  }
  return [...groups.values()].map(({ count, last: { projectId, period, name, at, entry } }) => [
    projectId,
    period,
    name,
    count,
    at,
    entry,
  ]);
}
