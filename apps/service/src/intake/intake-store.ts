import type { SeatChange } from "../admission/seats.js";
import type { NewDelivery } from "../deliveries/delivery-queue.js";
import type { NewEntry } from "../logs/log-store.js";

/** The changes that an event causes in the database. */
export interface EventEffects {
  readonly seats?: SeatChange | undefined;
  /** The log entry of the connection or session that ends by `seats`: written once, however often the event arrives. */
  readonly entry?: NewEntry | undefined;
  readonly delivery?: NewDelivery | undefined;
}

/** The result of a batch that was written. */
export interface WrittenEffects {
  /** The projects with deliveries for this process. */
  readonly due: string[];
  /** For each event that reports a vanished node: the projects that had seats on it. */
  readonly onNodes: ReadonlyMap<EventEffects, string[]>;
}

/** Writes the effects of events. */
export interface IntakeStore {
  /**
   * Writes the effects of many events durably, as if one after another in this order. If it fails, some of them may be
   * written; writing them again does no harm. Batches that report a vanished node take effect in the order of the
   * calls, too.
   */
  write(effects: readonly EventEffects[]): Promise<WrittenEffects>;
}
