import type { Statement } from "@media-ops/database";
import { sql } from "kysely";
import { entryStatements } from "../logs/sqlite-log-store.js";
import {
  CHANGED_AT_ONCE,
  CLAIMED_AT_ONCE,
  type DeliveryKey,
  type DeliveryOutcome,
  DeliveryQueue,
  FURTHEST_LEASE_MS,
  LEASE_MS,
  LEAST_LEASE_MS,
  type NewDelivery,
  newDeliveryId,
  type SettledDelivery,
} from "./delivery-queue.js";

const ENQUEUE = `
  insert into delivery (project_id, delivery_id, event_id, type, lane, body, state, tries, created_at, next_at)
  values (?, ?, ?, ?, ?, ?, 'waiting', 0, ?, ?) on conflict do nothing`;
const IS_FREE = `(owned_until <= excluded.due_at or owned_until > excluded.due_at + ${FURTHEST_LEASE_MS})`;
const DUE = `
  insert into delivery_queue (project_id, due_at, owner, owned_until) values (?, ?, ?, ?)
  on conflict do update set
    due_at = min(coalesce(due_at, excluded.due_at), excluded.due_at),
    owner = iif(${IS_FREE}, excluded.owner, owner),
    owned_until = iif(owner = excluded.owner or ${IS_FREE}, excluded.owned_until, owned_until)
  returning project_id, owner`;
const SETTLE = `
  update delivery set state = ?, tries = ?, next_at = ?, ended_at = ?, last_status = ?, last_fault = ?
  where project_id = ? and delivery_id = ?`;
const SETTLE_DELIVERED = `${SETTLE} and state <> 'delivered'`;
const SETTLE_FAILED_TRY = `${SETTLE} and state = 'waiting' and tries = ?`;
const LOOK_AHEAD = `
  update delivery_queue set due_at = (
    select min(next_at) from delivery where delivery.project_id = delivery_queue.project_id and next_at is not null
  ) where project_id = ?`;
const RETRY = `
  update delivery set state = 'waiting', tries = 0, next_at = ?, ended_at = null
  where project_id = ? and delivery_id = ? returning delivery_id`;

/** Puts an event into its project's queue, unless it is there already. */
export function enqueueStatement({ projectId, eventId, type, lane, body }: NewDelivery, now: number): Statement {
  return { sql: ENQUEUE, parameters: [projectId, newDeliveryId(now), eventId, type, lane, body, now, now] };
}

/** Marks a project's queue as due, and gives it to the owner if it is free. */
export function dueStatement(
  projectId: string,
  { now, owner, leaseMs = LEASE_MS }: { now: number; owner: string; leaseMs?: number },
): Statement {
  return { sql: DUE, parameters: [projectId, now, owner, now + leaseMs] };
}

/** The delivery queues in SQLite. */
export class SqliteDeliveryQueue extends DeliveryQueue {
  async claim(): Promise<string[]> {
    const now = this.now();
    const isOwn = ({ owned_until }: { owned_until: number }): boolean =>
      owned_until > now + LEAST_LEASE_MS && owned_until <= now + FURTHEST_LEASE_MS;
    const isFree = sql<boolean>`(owned_until <= ${now} or owned_until > ${now + FURTHEST_LEASE_MS})`;
    const due = this.storage.query
      .selectFrom("delivery_queue")
      .select(["project_id", "owned_until"])
      .where("due_at", "<=", now);
    const own = await due.where("owner", "=", this.owner).execute();
    const free = await due
      .where("owner", "<>", this.owner)
      .where(isFree)
      .orderBy("due_at")
      .limit(CLAIMED_AT_ONCE)
      .execute();
    const kept = own.filter(isOwn).map(({ project_id }) => project_id);
    const others = [...own.filter((queue) => !isOwn(queue)), ...free].map(({ project_id }) => project_id);
    if (others.length === 0) return kept;
    // Its own too: a try begun after the lease has lapsed could be begun by another process as well.
    const claimed = await this.storage.query
      .updateTable("delivery_queue")
      .set({ owner: this.owner, owned_until: now + LEASE_MS })
      .where("project_id", "in", others)
      .where(({ or, eb }) => or([eb("owner", "=", this.owner), isFree]))
      .returning("project_id")
      .execute();
    return [...kept, ...claimed.map(({ project_id }) => project_id)];
  }

  /** The batch is not needed: a failed commit has written nothing. */
  async settle(settled: readonly SettledDelivery[]): Promise<void> {
    const now = this.now();
    const projectIds = new Set(settled.map(({ outcome }) => outcome.projectId));
    await this.storage.writeAll([
      ...settled.flatMap(({ outcome, entry }) => [settleStatement(outcome, now), ...entryStatements(entry)]),
      ...[...projectIds].map(lookAheadStatement),
    ]);
  }

  async lookAhead(projectId: string): Promise<void> {
    await this.storage.writeAll([lookAheadStatement(projectId)]);
  }

  async retry(deliveries: readonly DeliveryKey[]): Promise<number> {
    const now = this.now();
    const projectIds = new Set(deliveries.map(({ projectId }) => projectId));
    const rows = await this.storage.writeAll([
      ...deliveries.map(({ projectId, deliveryId }) => ({ sql: RETRY, parameters: [now, projectId, deliveryId] })),
      // Without an owner, so that the next process that looks takes the queue.
      ...[...projectIds].map((projectId) => dueStatement(projectId, { now, owner: "", leaseMs: 0 })),
    ]);
    return rows.slice(0, deliveries.length).flat().length;
  }

  protected async deleteEnded(state: string, before: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      delete from delivery where (project_id, delivery_id) in
      (select project_id, delivery_id from delivery
        where ended_at <= ${before} and state = ${state} limit ${CHANGED_AT_ONCE})
    `.execute(this.storage.query);
    return Number(numAffectedRows);
  }
}

function settleStatement(outcome: DeliveryOutcome, now: number): Statement {
  const { projectId, deliveryId, state, tries, nextAt, status, fault } = outcome;
  const endedAt = nextAt === null ? now : null;
  const parameters = [state, tries, nextAt, endedAt, status, fault, projectId, deliveryId];
  if (state === "delivered") return { sql: SETTLE_DELIVERED, parameters };
  return { sql: SETTLE_FAILED_TRY, parameters: [...parameters, tries - 1] };
}

function lookAheadStatement(projectId: string): Statement {
  return { sql: LOOK_AHEAD, parameters: [projectId] };
}
