import type { NodeGone, SeatChange } from "../admission/seats.js";
import type { NewDelivery } from "../deliveries/delivery-queue.js";
import type { NewEntry } from "../logs/log-store.js";

/** What an event leaves behind. */
export interface Taken {
  readonly seats?: SeatChange | undefined;
  /** What stands in the log of what ends by `seats`: once, however often the event comes. */
  readonly entry?: NewEntry | undefined;
  readonly delivery?: NewDelivery | undefined;
}

/** What the store reports of a batch that it has written. */
export interface Written {
  /** The projects whose deliveries fall to this process. */
  readonly due: string[];
  /** For each event that reports a vanished node: the projects that had seats on it. */
  readonly onNodes: ReadonlyMap<Taken, string[]>;
}

/** Where what events leave behind is kept. */
export interface IntakeStore {
  /**
   * Writes what many events leave behind, as if one after another in this order; it is durable when it is done. If it
   * fails, some of it may be written, and does no harm when it comes again. Batches that report a vanished node take
   * effect in the order of the calls, too.
   */
  take(taken: readonly Taken[]): Promise<Written>;
}

/** Whether an event reports a vanished node. */
export const isNodeGone = (taken: Taken): taken is Taken & { seats: NodeGone } => taken.seats?.kind === "node-gone";

/** Who takes in, and when. */
export interface Taker {
  /** Who is to deliver what nobody delivers yet. */
  readonly owner: string;
  now(): number;
  /** Milliseconds by a clock that nobody can set. @default now */
  elapsed?(): number;
}

/** Whose it is; empty where it concerns all who are on a node. */
export function projectOf({ seats, entry, delivery }: Taken): string {
  const own = seats && seats.kind !== "node-gone" ? seats.projectId : undefined;
  return own ?? entry?.projectId ?? delivery?.projectId ?? "";
}

/** The projects whose queues are the owner's, by the rows of the statements that said that something is due. */
export function ownedBy(owner: string, rows: readonly unknown[]): string[] {
  const queues = rows as { project_id: string; owner: string }[];
  return queues.filter((queue) => queue.owner === owner).map(({ project_id }) => project_id);
}
