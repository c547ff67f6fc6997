import type { Statement } from "@media-ops/database";
import type { SelectQueryBuilder } from "kysely";
import { type Batch, byProject } from "../logs/log-store.js";
import { appendFrom, columnsOf, newFrom } from "../logs/postgres-log-store.js";
import { newSortedId } from "../storage/sorted-ids.js";
import type { Tables } from "../storage/tables.js";
import {
  attemptText,
  DeliveryQueue,
  dueText,
  LEASE_MS,
  type NewDelivery,
  type SettledDelivery,
} from "./delivery-queue.js";

const ENQUEUE = `
  with enqueued as (
    insert into delivery (project_id, delivery_id, event_id, type, lane, body, state, tries, created_at, next_at)
    select $1, delivery_id, event_id, type, lane, body, 'waiting', 0, $7::bigint, $7::bigint
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      as made (delivery_id, event_id, type, lane, body)
    order by event_id on conflict do nothing
  )
  ${dueText("$1, $7, $8, $9")}`;
// Locked before looking ahead, so that a concurrent insert is either seen or follows afterwards.
const LOCK_QUEUE = "select 1 from delivery_queue where project_id = $1 for update";
const LOOK_AHEAD = `
  update delivery_queue set due_at = (
    select least(
      (select min(next_at) from delivery where project_id = $1 and next_at is not null),
      (select min(resend_at) from delivery where project_id = $1 and resend_at is not null)
    )
  ) where project_id = $1`;
const SETTLE = `
  with given as (
    select * from unnest(
      $2::text[], $3::text[], $4::integer[], $5::bigint[], $6::bigint[], $7::integer[], $8::text[],
      $9::text[], $10::integer[], $11::text[], $12::text[]
    ) with ordinality as given (
      delivery_id, state, tries, next_at, ended_at, status, fault, attempt, kind, at, entry, n
    )
  ), ${newFrom("given", "$13, $14")}, settled as (
    update delivery set state = new.state, tries = new.tries, next_at = new.next_at, resend_at = null,
      ended_at = new.ended_at, last_status = new.status, last_fault = new.fault,
      attempts = ltrim(delivery.attempts || ',' || new.attempt, ',')
    from new where delivery.project_id = $1 and delivery.delivery_id = new.delivery_id and case
      when new.state = 'delivered' then delivery.state <> 'delivered'
      else delivery.state = 'waiting' and delivery.tries = new.tries - 1
    end
  ), ${appendFrom("new")}`;

/** The delivery queues in PostgreSQL. Processes that claim at the same time do not wait for each other. */
export class PostgresDeliveryQueue extends DeliveryQueue {
  async settle(settled: readonly SettledDelivery[], { writer, number }: Batch): Promise<void> {
    const now = this.now();
    const statements = byProject(settled, ({ outcome }) => outcome.projectId).flatMap(([projectId, own]) => {
      const outcomes = own.map(({ outcome }) => ({
        ...outcome,
        endedAt: outcome.nextAt === null ? now : null,
        attempt: attemptText(outcome),
      }));
      const names = ["deliveryId", "state", "tries", "nextAt", "endedAt", "status", "fault", "attempt"] as const;
      const columns = [
        ...names.map((name) => outcomes.map((outcome) => outcome[name])),
        ...columnsOf(own.map(({ entry }) => entry)),
      ];
      return this.lookingAhead(projectId, { sql: SETTLE, parameters: [projectId, ...columns, writer, number] });
    });
    await this.storage.writeAll(statements);
  }

  protected lookingAhead(projectId: string, ...statements: readonly Statement[]): Statement[] {
    const parameters = [projectId];
    return [{ sql: LOCK_QUEUE, parameters }, ...statements, { sql: LOOK_AHEAD, parameters }];
  }

  protected override skipLocked<Name extends keyof Tables, Row>(rows: SelectQueryBuilder<Tables, Name, Row>) {
    return rows.forUpdate().skipLocked();
  }
}

/** Adds events to a project's queue unless they are stored already, and assigns it to the owner if it is free. */
export function enqueueStatement(
  projectId: string,
  deliveries: readonly NewDelivery[],
  { now, owner }: { now: number; owner: string },
): Statement {
  const ids = deliveries.map(() => newSortedId(now));
  const names = ["eventId", "type", "lane", "body"] as const;
  const columns = names.map((name) => deliveries.map((delivery) => delivery[name]));
  return { sql: ENQUEUE, parameters: [projectId, ids, ...columns, now, owner, now + LEASE_MS] };
}
