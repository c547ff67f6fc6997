import type { Batch } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";
import { byProject } from "../storage/open-storage.js";
import {
  type DeliveryName,
  type DeliveryQueue,
  LEASE_MS,
  type Settled,
  type WaitingDelivery,
} from "./delivery-queue.js";
import { latestTryAt } from "./retry-schedule.js";

/** So few are changed within milliseconds, and others come in between. */
export const CHANGED_AT_ONCE = 500;

export const CLAIMED_AT_ONCE = 500;

const DELIVERED_KEPT_MS = 24 * 60 * 60 * 1000;
const FAILED_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The projects' queues, as they are kept in whichever database. */
export abstract class StoredDeliveryQueue implements DeliveryQueue {
  protected readonly storage: Storage;
  protected readonly owner: string;
  protected readonly now: () => number;

  constructor(storage: Storage, owner: string, now: () => number) {
    this.storage = storage;
    this.owner = owner;
    this.now = now;
  }

  abstract claim(): Promise<string[]>;
  abstract settle(settled: readonly Settled[], batch: Batch): Promise<void>;
  abstract lookAhead(projectId: string): Promise<void>;
  abstract retry(deliveries: readonly DeliveryName[]): Promise<number>;

  /** Forgets some of those that have ended in a state before a time. Gives how many they were. */
  protected abstract forget(state: string, before: number): Promise<number>;

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

  async release(): Promise<void> {
    await this.storage.query
      .updateTable("delivery_queue")
      .set({ owned_until: 0 })
      .where("owner", "=", this.owner)
      .where("owned_until", ">", 0)
      .execute();
  }

  async due(projectId: string, limit: number): Promise<WaitingDelivery[]> {
    const now = this.now();
    const rows = await this.storage.query
      .selectFrom("delivery")
      .select(["delivery_id", "event_id", "type", "lane", "body", "tries"])
      .where("project_id", "=", projectId)
      .where("next_at", "<=", now)
      // In the same statement: what another process may have begun is never given.
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

  async remove(deliveries: readonly DeliveryName[]): Promise<number> {
    let removed = 0;
    for (const [projectId, own] of byProject(deliveries, (delivery) => delivery.projectId)) {
      const { numDeletedRows } = await this.storage.query
        .deleteFrom("delivery")
        .where("project_id", "=", projectId)
        .where(
          "delivery_id",
          "in",
          own.map(({ deliveryId }) => deliveryId),
        )
        // One of them may have been put back meanwhile.
        .where("ended_at", "is not", null)
        .executeTakeFirstOrThrow();
      removed += Number(numDeletedRows);
    }
    return removed;
  }

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

  /** Gives whether any delivery of a project was changed. */
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
        // Said twice, as PostgreSQL finds the index by this, and goes on from the last one by the next.
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
          // What has ended meanwhile stays so.
          .where("next_at", ">", now)
          .execute();
      }
      const last = rows.at(-1);
      if (rows.length < CHANGED_AT_ONCE || !last || last.next_at === null) break;
      from = { next_at: last.next_at, delivery_id: last.delivery_id };
    }
    return isChanged;
  }

  async sweep(time: number, signal: AbortSignal): Promise<void> {
    for (const [state, before] of [
      ["delivered", time - DELIVERED_KEPT_MS],
      ["failed", time - FAILED_KEPT_MS],
    ] as const) {
      while (!signal.aborted) {
        if ((await this.forget(state, before)) < CHANGED_AT_ONCE) break;
      }
    }
  }
}
