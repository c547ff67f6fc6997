import type { NodeGone, SeatChange } from "../admission/seats.js";
import type { NewDelivery } from "../deliveries/delivery-queue.js";
import type { NewEntry } from "../logs/log-store.js";

/** What an event changes in the database. */
export interface EventEffects {
  readonly seats?: SeatChange | undefined;
  /** The log entry of what ends by `seats`: written once, however often the event arrives. */
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
   * written, which does no harm when they are written again. Batches that report a vanished node take effect in the order
   * of the calls, too.
   */
  write(effects: readonly EventEffects[]): Promise<WrittenEffects>;
}

/** The process that writes, and its clock. */
export interface IntakeWriter {
  /** The name under which this process takes over deliveries that no process has. */
  readonly owner: string;
  now(): number;
}

/** Whether an event reports a vanished node. */
export const isNodeGone = (effects: EventEffects): effects is EventEffects & { seats: NodeGone } =>
  effects.seats?.kind === "node-gone";

/** The project whose data changes; empty if a vanished node's projects are meant. */
export function projectOf({ seats, entry, delivery }: EventEffects): string {
  const own = seats && seats.kind !== "node-gone" ? seats.projectId : undefined;
  return own ?? entry?.projectId ?? delivery?.projectId ?? "";
}

/** The projects whose queues belong to an owner, by the rows that the statements for due deliveries return. */
export function ownedBy(owner: string, rows: readonly unknown[]): string[] {
  const queues = rows as { project_id: string; owner: string }[];
  return queues.filter((queue) => queue.owner === owner).map(({ project_id }) => project_id);
}
