import type { NewEntry } from "../logs/log-store.js";

/** An event to deliver to a project's event address. */
export interface NewDelivery {
  readonly projectId: string;
  readonly eventId: string;
  readonly type: string;
  /** Events of one lane are delivered one after another. */
  readonly lane: string;
  /** The event as the media server sent it. */
  readonly body: string;
}

/** A delivery that is due. */
export interface WaitingDelivery extends NewDelivery {
  readonly deliveryId: string;
  /** How often it has been tried. */
  readonly tries: number;
}

/** The state of a delivery after a try. */
export interface DeliveryOutcome {
  readonly projectId: string;
  readonly deliveryId: string;
  readonly state: "waiting" | "delivered" | "failed";
  readonly tries: number;
  /** When it is tried next, in ms since 1970; null if it has ended. */
  readonly nextAt: number | null;
  readonly status: number;
  readonly fault: string | null;
  /** When it was tried, in ms since 1970. */
  readonly triedAt: number;
}

/** An outcome, and the webhook log's entry of the try. */
export interface SettledDelivery {
  readonly outcome: DeliveryOutcome;
  readonly entry: NewEntry;
}

/** An attempt as the column `attempts` has it. */
export const attemptText = ({ triedAt, status }: Pick<DeliveryOutcome, "triedAt" | "status">): string =>
  `${triedAt}:${status}`;

/** The lane of deliveries that are sent again together: one after another, in the order of their events. */
export const RESEND_LANE = "resend";

/** The unique key of a delivery. */
export type DeliveryKey = Pick<WaitingDelivery, "projectId" | "deliveryId">;
