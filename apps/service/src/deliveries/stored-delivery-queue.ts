import type { Batch } from "../logs/batch.js";
import type { Storage } from "../storage/open-storage.js";
import {
  type DeliveryName,
  type DeliveryQueue,
  LEASE_MS,
  type Settled,
  type WaitingDelivery,
} from "./delivery-queue.js";

/** So few are changed within milliseconds, and others come in between. */
export const CHANGED_AT_ONCE = 500;

/** Long enough for the next renewal of those at work. */
export const LEAST_LEASE_MS: number = LEASE_MS / 2;
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

  async renew(projectIds: readonly string[]): Promise<void> {
    if (projectIds.length === 0) return;
    await this.storage.query
      .updateTable("delivery_queue")
      .set({ owned_until: this.now() + LEASE_MS })
      .where("owner", "=", this.owner)
      .where("project_id", "in", projectIds)
      .execute();
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
    const rows = await this.storage.query
      .selectFrom("delivery")
      .select(["delivery_id", "event_id", "type", "lane", "body", "tries"])
      .where("project_id", "=", projectId)
      .where("next_at", "<=", this.now())
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
