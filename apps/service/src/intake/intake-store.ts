import type { SeatChange } from "../admission/seats.js";
import type { NewDelivery } from "../deliveries/delivery-queue.js";
import type { NewEntry } from "../logs/log-store.js";

/** What an event leaves behind. */
export interface Taken {
  readonly seats?: SeatChange | undefined;
  /** What stands in the log of what ends by `seats`: once, however often the event comes. */
  readonly entry?: NewEntry | undefined;
  readonly delivery?: NewDelivery | undefined;
}

/** Where what events leave behind is kept. */
export interface IntakeStore {
  /**
   * Writes what many events leave behind; it is durable when it is done. When it fails, some of it may be written, and does
   * no harm when it comes again. Gives the projects whose deliveries fall to this process.
   */
  take(taken: readonly Taken[]): Promise<string[]>;
}

/** Who takes in, and when. */
export interface Taker {
  /** Who is to deliver what nobody delivers yet. */
  readonly owner: string;
  now(): number;
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
