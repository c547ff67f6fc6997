import type { Statement } from "@media-ops/database";
import { appendStatements } from "../logs/sqlite-log-store.js";
import { newSortedId } from "../storage/sorted-ids.js";
import { attemptText, type DeliveryOutcome, type NewDelivery, type SettledDelivery } from "./delivery.js";
import { DeliveryQueue, dueText, LEASE_MS } from "./delivery-queue.js";

const ENQUEUE = `
  insert into delivery (project_id, delivery_id, event_id, type, lane, body, state, tries, created_at, next_at)
  values (?, ?, ?, ?, ?, ?, 'waiting', 0, ?, ?) on conflict do nothing`;
const DUE = dueText("?, ?, ?, ?");
const SETTLE = `
  update delivery set state = ?, tries = ?, next_at = ?, resend_at = null, ended_at = ?, last_status = ?,
    last_fault = ?, attempts = ltrim(attempts || ',' || ?, ',')
  where project_id = ? and delivery_id = ?`;
const SETTLE_DELIVERED = `${SETTLE} and state <> 'delivered'`;
const SETTLE_FAILED_TRY = `${SETTLE} and state = 'waiting' and tries = ?`;
const LOOK_AHEAD = `
  update delivery_queue set due_at = (
    select min(at) from (
      select min(next_at) as at from delivery where project_id = ? and next_at is not null
      union all
      select min(resend_at) from delivery where project_id = ? and resend_at is not null
    )
  ) where project_id = ?`;

/** Adds an event to its project's queue, unless it is stored already. */
export function enqueueStatement({ projectId, eventId, type, lane, body }: NewDelivery, now: number): Statement {
  return { sql: ENQUEUE, parameters: [projectId, newSortedId(now), eventId, type, lane, body, now, now] };
}

/** Marks a project's queue as due, and assigns it to the owner if it is free. */
export function dueStatement(projectId: string, { now, owner }: { now: number; owner: string }): Statement {
  return { sql: DUE, parameters: [projectId, now, owner, now + LEASE_MS] };
}

/** The delivery queues in SQLite. */
export class SqliteDeliveryQueue extends DeliveryQueue {
  /** The batch is not needed: a failed commit has written nothing. */
  async settle(settled: readonly SettledDelivery[]): Promise<void> {
    const now = this.now();
    const projectIds = new Set(settled.map(({ outcome }) => outcome.projectId));
    await this.storage.writeAll([
      ...settled.map(({ outcome }) => settleStatement(outcome, now)),
      ...appendStatements(settled.map(({ entry }) => entry)),
      ...[...projectIds].map(lookAheadStatement),
    ]);
  }

  async lookAhead(projectId: string): Promise<void> {
    await this.storage.writeAll([lookAheadStatement(projectId)]);
  }
}

const lookAheadStatement = (projectId: string): Statement => ({
  sql: LOOK_AHEAD,
  parameters: [projectId, projectId, projectId],
});

function settleStatement(outcome: DeliveryOutcome, now: number): Statement {
  const { projectId, deliveryId, state, tries, nextAt, status, fault } = outcome;
  const endedAt = nextAt === null ? now : null;
  const attempt = attemptText(outcome);
  const parameters = [state, tries, nextAt, endedAt, status, fault, attempt, projectId, deliveryId];
  if (state === "delivered") return { sql: SETTLE_DELIVERED, parameters };
  return { sql: SETTLE_FAILED_TRY, parameters: [...parameters, tries - 1] };
}
