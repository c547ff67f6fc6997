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
