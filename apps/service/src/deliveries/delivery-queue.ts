import type { Batch, NewEntry } from "../logs/log-store.js";

/** An event that is to be delivered to a project's own address. */
export interface NewDelivery {
  readonly projectId: string;
  readonly eventId: string;
  readonly type: string;
  /** Events of one lane go one after another. */
  readonly lane: string;
  /** As it came. */
  readonly body: string;
}

/** One that waits. */
export interface WaitingDelivery extends NewDelivery {
  readonly deliveryId: string;
  /** How often it has been tried. */
  readonly tries: number;
}

/** What becomes of a delivery after a try. */
export interface Outcome {
  readonly projectId: string;
  readonly deliveryId: string;
  readonly state: "waiting" | "delivered" | "failed";
  readonly tries: number;
  /** When it is tried next, in ms since 1970; null where it has ended. */
  readonly nextAt: number | null;
  readonly status: number;
  readonly fault: string | null;
}

/** An outcome, and what the log says of the try. */
export interface Settled {
  readonly outcome: Outcome;
  readonly entry: NewEntry;
}

/** A delivery, by whose it is and its id. */
export type DeliveryName = Pick<WaitingDelivery, "projectId" | "deliveryId">;

/** For how long a process has a project's queue without another sign of life: a killed one is waited for so long. */
export const LEASE_MS = 15_000;

/** A lease that is found to last so long need not be renewed at once: long enough for the next renewal of those at work. */
export const LEAST_LEASE_MS: number = LEASE_MS / 2;

/**
 * A lease that ends later than this from now was set by a clock that was wrong, and is free. Twice what a lease lasts, as
 * the clocks of several machines differ a little.
 */
export const FURTHEST_LEASE_MS: number = 2 * LEASE_MS;

/** The projects' queues, as one process sees them. */
export interface DeliveryQueue {
  /** The projects that have something due and are this process's, or nobody's: then they become its own. */
  claim(): Promise<string[]>;
  /** Keeps queues that are at work. Gives those that this process still owns. */
  renew(projectIds: readonly string[]): Promise<string[]>;
  /** Gives all queues away, so that others need not wait for them. */
  release(): Promise<void>;
  /** What is due in a project, in the order in which it came: nothing if another process owns the queue. */
  due(projectId: string, limit: number): Promise<WaitingDelivery[]>;
  /**
   * Notes what became of deliveries, together with what the log says of it. A batch whose outcome is unknown may be
   * settled again: what is written already is not written once more. A failed try counts only if the delivery is as it
   * was read: a process that lost the queue meanwhile does not undo what its new owner has done.
   */
  settle(settled: readonly Settled[], batch: Batch): Promise<void>;
  /** Notes anew when the next delivery of a project is due. */
  lookAhead(projectId: string): Promise<void>;
  /** Gives up all that waits in a project, a little at a time. */
  giveUp(projectId: string, fault: string): Promise<void>;
  /** Puts deliveries back, to be tried anew from the first try on. Gives how many there were. */
  retry(deliveries: readonly DeliveryName[]): Promise<number>;
  /** Deletes deliveries that have ended. Gives how many there were. */
  remove(deliveries: readonly DeliveryName[]): Promise<number>;
  /** Makes due what waits for longer than the retry schedule can say: a clock that was ahead has put it off. */
  bringForward(signal: AbortSignal): Promise<void>;
  /** Forgets what has ended long before a time, in ms since 1970, a little at a time. */
  sweep(time: number, signal: AbortSignal): Promise<void>;
}
