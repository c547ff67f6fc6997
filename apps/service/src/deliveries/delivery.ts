import type { NewEntry } from "../logs/log-store.js";
import { GONE, isSuccess, type Receipt } from "../webhooks/sender.js";

/** An event to deliver to a project's event address. */
export interface NewDelivery {
  readonly projectId: string;
  readonly eventId: string;
  readonly type: string;
  /** Events of one lane are delivered one after another. */
  readonly lane: string;
  readonly body: string;
}

/** A delivery that is due. */
export interface WaitingDelivery extends NewDelivery {
  readonly deliveryId: string;
  readonly tries: number;
}

/** The state of a delivery after a try. */
export interface DeliveryOutcome {
  readonly projectId: string;
  readonly deliveryId: string;
  readonly state: "waiting" | "delivered" | "failed";
  readonly tries: number;
  /** In ms since 1970; null if it has ended. */
  readonly nextAt: number | null;
  readonly status: number;
  readonly fault: string | null;
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

/** The state of a delivery after a try. `random` is from 0 to 1. */
export function outcomeOf(delivery: WaitingDelivery, receipt: Receipt, now: number, random: number): DeliveryOutcome {
  const { projectId, deliveryId } = delivery;
  const tries = delivery.tries + 1;
  const { status, startedAt: triedAt } = receipt;
  const tried = { projectId, deliveryId, tries, status, fault: receipt.fault ?? null, triedAt };
  if (isSuccess(receipt)) return { ...tried, state: "delivered", nextAt: null };
  const nextAt = receipt.status === GONE ? undefined : nextTryAt(tries, now, random);
  return nextAt === undefined ? { ...tried, state: "failed", nextAt: null } : { ...tried, state: "waiting", nextAt };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delay before each try: three days in all, so that a receiver can be repaired over a weekend. */
const delays: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

// Spreads out deliveries that failed at the same time.
const JITTER = 0.1;

/** The time of the next try after so many; undefined after the last one. */
export function nextTryAt(tries: number, now: number, random: number): number | undefined {
  const delay = delays[tries];
  return delay === undefined ? undefined : Math.round(now + delay * (1 + JITTER * random));
}

/** The latest times that {@link nextTryAt} returns after 0, 1, 2… tries: a clock that was ahead has set later ones. */
export function latestTries(now: number): number[] {
  return delays.map((delay) => Math.round(now + delay * (1 + JITTER)));
}
