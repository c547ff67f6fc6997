import type { Batch } from "../logs/batch.js";
import type { NewEntry } from "../logs/log-store.js";

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

/** The projects' queues, as one process sees them. */
export interface DeliveryQueue {
  /** The projects that have something due and are this process's, or nobody's: then they become its own. */
  claim(): Promise<string[]>;
  /** Keeps queues that are at work. */
  renew(projectIds: readonly string[]): Promise<void>;
  /** Gives all queues away, so that others need not wait for them. */
  release(): Promise<void>;
  /** What is due in a project, in the order in which it came. */
  due(projectId: string, limit: number): Promise<WaitingDelivery[]>;
  /**
   * Notes what became of deliveries, together with what the log says of it. A batch whose outcome is unknown may be
   * settled again: what is written already is not written once more.
   */
  settle(settled: readonly Settled[], batch: Batch): Promise<void>;
  /** Notes anew when the next delivery of a project is due. */
  lookAhead(projectId: string): Promise<void>;
  /** Gives up all that waits in a project, a little at a time. */
  giveUp(projectId: string, fault: string): Promise<void>;
  /** Puts deliveries back, to be tried anew from the first try on. Gives how many there were. */
  retry(deliveries: readonly DeliveryName[]): Promise<number>;
  /** Forgets what has ended long before a time, in ms since 1970, a little at a time. */
  sweep(time: number, signal: AbortSignal): Promise<void>;
}
