import { randomInt } from "node:crypto";
import type { Clocks } from "../config/surroundings.js";
import type { Batch, NewEntry } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";
import { byProject } from "../storage/open-storage.js";
import { latestTryAt } from "./retry-schedule.js";

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
}

/** An outcome, and the webhook log's entry of the try. */
export interface SettledDelivery {
  readonly outcome: DeliveryOutcome;
  readonly entry: NewEntry;
}

/** The unique key of a delivery. */
export type DeliveryKey = Pick<WaitingDelivery, "projectId" | "deliveryId">;

/** How long a process owns a project's queue without renewing it; the queue of a killed process is free after this time. */
export const LEASE_MS = 15_000;

/** A lease with this much time left need not be renewed at once: the next regular renewal is early enough. */
export const LEAST_LEASE_MS: number = LEASE_MS / 2;

/** A lease that ends later than this from now was set by a wrong clock, and counts as free. Clocks may differ a little. */
export const FURTHEST_LEASE_MS: number = 2 * LEASE_MS;

/** Few enough that a statement takes milliseconds, so that other writers get their turn. */
export const CHANGED_AT_ONCE = 500;

/** How many free queues a process takes at once, so that others get some too. */
export const CLAIMED_AT_ONCE = 500;

const DELIVERED_KEPT_MS = 24 * 60 * 60 * 1000;
const FAILED_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Until when this process may begin tries from a queue, by both of its clocks. */
export interface Lease {
  readonly wallUntil: number;
  readonly elapsedUntil: number;
}

/** A lease that starts now. Take it before asking the database, so that it never outlasts the one there. */
export function startLease({ now, elapsed }: Clocks, ms: number): Lease {
  return { wallUntil: now() + ms, elapsedUntil: elapsed() + ms };
}

/** Whether another process may own the queue by now. The wall clock also counts the time that a machine was suspended. */
export function hasLapsed({ wallUntil, elapsedUntil }: Lease, { now, elapsed }: Clocks): boolean {
  return now() >= wallUntil || elapsed() >= elapsedUntil;
}

/** The projects' queues as one process sees them. Each database has its own statements. */
export abstract class DeliveryQueue {
  protected readonly storage: Storage;
  protected readonly owner: string;
  protected readonly now: () => number;

  constructor(storage: Storage, owner: string, now: () => number) {
    this.storage = storage;
    this.owner = owner;
    this.now = now;
  }

  /** Takes the free queues that have something due. Returns the projects of all due queues that this process owns. */
  abstract claim(): Promise<string[]>;

  /**
   * Writes outcomes together with their log entries. A batch may be settled again if it is unknown whether it was written:
   * nothing is written twice. A failed try counts only if the delivery is as it was read, so that a process that lost its
   * queue does not undo what the new owner did.
   */
  abstract settle(settled: readonly SettledDelivery[], batch: Batch): Promise<void>;

  /** Updates when the next delivery of a project is due. */
  abstract lookAhead(projectId: string): Promise<void>;

  /** Makes deliveries due again, from the first try on. Returns how many there were. */
  abstract retry(deliveries: readonly DeliveryKey[]): Promise<number>;

  /** Deletes some deliveries that ended in a state before a time. Returns how many. */
  protected abstract deleteEnded(state: string, before: number): Promise<number>;

  /** Renews leases. Returns the projects whose queues this process still owns. */
  async renew(projectIds: readonly string[]): Promise<string[]> {
    if (projectIds.length === 0) return [];
    const renewed = await this.storage.query
      .updateTable("delivery_queue")
      .set({ owned_until: this.now() + LEASE_MS })
      .where("owner", "=", this.owner)
      .where("project_id", "in", projectIds)
      .returning("project_id")
      .execute();
    return renewed.map(({ project_id }) => project_id);
  }

  /** Frees all queues of this process, so that others need not wait for the leases to end. */
  async release(): Promise<void> {
    await this.storage.query
      .updateTable("delivery_queue")
      .set({ owned_until: 0 })
      .where("owner", "=", this.owner)
      .where("owned_until", ">", 0)
      .execute();
  }

  /** The due deliveries of a project, the oldest first; none if another process owns the queue. */
  async due(projectId: string, limit: number): Promise<WaitingDelivery[]> {
    const now = this.now();
    const rows = await this.storage.query
      .selectFrom("delivery")
      .select(["delivery_id", "event_id", "type", "lane", "body", "tries"])
      .where("project_id", "=", projectId)
      .where("next_at", "<=", now)
      // In the same statement, so that a delivery that another process may have begun is never returned.
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("delivery_queue")
            .select("owner")
            .where("delivery_queue.project_id", "=", projectId)
            .where("owner", "=", this.owner)
            .where("owned_until", ">", now),
        ),
      )
      .orderBy("next_at")
      .orderBy("delivery_id")
      .limit(limit)
      .execute();
    return rows.map(({ delivery_id: deliveryId, event_id: eventId, ...row }) => ({
      ...row,
      projectId,
      deliveryId,
      eventId,
    }));
  }

  /** Ends all waiting deliveries of a project as failed, in small steps. */
  async giveUp(projectId: string, fault: string): Promise<void> {
    for (;;) {
      const given = this.storage.query
        .updateTable("delivery")
        .set({ state: "failed", next_at: null, ended_at: this.now(), last_fault: fault })
        .where("project_id", "=", projectId)
        .where("delivery_id", "in", ({ selectFrom }) =>
          selectFrom("delivery")
            .select("delivery_id")
            .where("project_id", "=", projectId)
            .where("next_at", "is not", null)
            .orderBy("next_at")
            .limit(CHANGED_AT_ONCE),
        );
      const { numUpdatedRows } = await given.executeTakeFirstOrThrow();
      if (numUpdatedRows < CHANGED_AT_ONCE) break;
    }
    await this.lookAhead(projectId);
  }

  /** Deletes deliveries that have ended. Returns how many there were. */
  async remove(deliveries: readonly DeliveryKey[]): Promise<number> {
    let removed = 0;
    for (const [projectId, own] of byProject(deliveries, (delivery) => delivery.projectId)) {
      const ids = own.map(({ deliveryId }) => deliveryId);
      const { numDeletedRows } = await this.storage.query
        .deleteFrom("delivery")
        .where("project_id", "=", projectId)
        .where("delivery_id", "in", ids)
        // One of them may have been put back meanwhile.
        .where("ended_at", "is not", null)
        .executeTakeFirstOrThrow();
      removed += Number(numDeletedRows);
    }
    return removed;
  }

  /** Makes due what waits longer than the retry schedule allows: a clock that was ahead had put it off. */
  async bringForward(signal: AbortSignal): Promise<void> {
    const waiting = await this.storage.query
      .selectFrom("delivery_queue")
      .select("project_id")
      .where("due_at", "is not", null)
      .execute();
    for (const { project_id: projectId } of waiting) {
      if (await this.#bringForwardOf(projectId, signal)) await this.lookAhead(projectId);
    }
  }

  /** Returns whether any delivery of the project was changed. */
  async #bringForwardOf(projectId: string, signal: AbortSignal): Promise<boolean> {
    const { query } = this.storage;
    let isChanged = false;
    let from = { next_at: this.now(), delivery_id: "" };
    while (!signal.aborted) {
      const now = this.now();
      const rows = await query
        .selectFrom("delivery")
        .select(["delivery_id", "next_at", "tries"])
        .where("project_id", "=", projectId)
        // PostgreSQL finds the index by this condition, and continues from the last row by the next one.
        .where("next_at", ">=", from.next_at)
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple("next_at", "delivery_id"), ">", tuple(from.next_at, from.delivery_id)),
        )
        .orderBy("next_at")
        .orderBy("delivery_id")
        .limit(CHANGED_AT_ONCE)
        .execute();
      const putOff = rows.filter(({ next_at, tries }) => next_at !== null && next_at > latestTryAt(tries, now));
      if (putOff.length > 0) {
        isChanged = true;
        const ids = putOff.map(({ delivery_id }) => delivery_id);
        await query
          .updateTable("delivery")
          .set({ next_at: now })
          .where("project_id", "=", projectId)
          .where("delivery_id", "in", ids)
          // A delivery that has ended meanwhile stays so.
          .where("next_at", ">", now)
          .execute();
      }
      const last = rows.at(-1);
      if (rows.length < CHANGED_AT_ONCE || !last || last.next_at === null) break;
      from = { next_at: last.next_at, delivery_id: last.delivery_id };
    }
    return isChanged;
  }

  /** Deletes what ended long before a time, in ms since 1970, in small steps. */
  async sweep(time: number, signal: AbortSignal): Promise<void> {
    for (const [state, before] of [
      ["delivered", time - DELIVERED_KEPT_MS],
      ["failed", time - FAILED_KEPT_MS],
    ] as const) {
      while (!signal.aborted) {
        if ((await this.deleteEnded(state, before)) < CHANGED_AT_ONCE) break;
      }
    }
  }
}

const TIME_LENGTH = 9;
const COUNT_LENGTH = 4;
const RANDOM_LENGTH = 6;
const digits = (value: number, length: number): string => value.toString(36).padStart(length, "0");

let last = { at: 0, count: 0 };

/** An id that sorts after all ids that this process made before, and by its time among those of other processes. */
export function newDeliveryId(now: number): string {
  last = now > last.at ? { at: now, count: 0 } : { at: last.at, count: last.count + 1 };
  if (last.count === 36 ** COUNT_LENGTH) last = { at: last.at + 1, count: 0 };
  const random = randomInt(36 ** RANDOM_LENGTH);
  return digits(last.at, TIME_LENGTH) + digits(last.count, COUNT_LENGTH) + digits(random, RANDOM_LENGTH);
}

/** The lower bound of all ids made at a time or later. */
export function firstIdAt(time: number): string {
  return digits(Math.min(Math.max(Math.ceil(time), 0), 36 ** TIME_LENGTH - 1), TIME_LENGTH);
}
