import type { Statement, Step } from "@media-ops/database";
import type { SelectQueryBuilder } from "kysely";
import { type Batch, byProject } from "../logs/log-store.js";
import { type ProjectWriter, projectWriterOf } from "../storage/postgres-writer.js";
import { newSortedId } from "../storage/sorted-ids.js";
import type { Tables } from "../storage/tables.js";
import { attemptText, type NewDelivery, type SettledDelivery } from "./delivery.js";
import { DeliveryQueue, dueText, LEASE_MS } from "./delivery-queue.js";

// Locked before looking ahead, so that a concurrent insert is either seen or follows afterwards.
const LOCK_QUEUE = "select 1 from delivery_queue where project_id = $1 for update";
const NEXT_DUE = `
  select (select min(next_at) from delivery where project_id = $1 and next_at is not null) as next,
    (select min(resend_at) from delivery where project_id = $1 and resend_at is not null) as resend`;
const SET_DUE = "update delivery_queue set due_at = $2 where project_id = $1";
// A batch that was written before is left out.
const SETTLE = `
  update delivery set state = new.state, tries = new.tries, next_at = new.next_at, resend_at = null,
    ended_at = new.ended_at, last_status = new.status, last_fault = new.fault,
    attempts = ltrim(delivery.attempts || ',' || new.attempt, ',')
  from unnest(
    $2::text[], $3::text[], $4::integer[], $5::bigint[], $6::bigint[], $7::integer[], $8::text[], $9::text[]
  ) as new (delivery_id, state, tries, next_at, ended_at, status, fault, attempt)
  where delivery.project_id = $1 and delivery.delivery_id = new.delivery_id and case
    when new.state = 'delivered' then delivery.state <> 'delivered'
    else delivery.state = 'waiting' and delivery.tries = new.tries - 1
  end and not exists (select 1 from last_batch where project_id = $1 and writer = $10 and number >= $11)`;

/** The delivery queues in PostgreSQL. Processes that claim at the same time do not wait for each other. */
export class PostgresDeliveryQueue extends DeliveryQueue {
  async settle(settled: readonly SettledDelivery[], batch: Batch): Promise<void> {
    const now = this.now();
    const writer = projectWriterOf(this.storage);
    const projects = byProject(settled, ({ outcome }) => outcome.projectId).map(([projectId, own]) => {
      const outcomes = own.map(({ outcome }) => ({
        ...outcome,
        endedAt: outcome.nextAt === null ? now : null,
        attempt: attemptText(outcome),
      }));
      const names = ["deliveryId", "state", "tries", "nextAt", "endedAt", "status", "fault", "attempt"] as const;
      const columns = names.map((name) => outcomes.map((outcome) => outcome[name]));
      const settle = { sql: SETTLE, parameters: [projectId, ...columns, batch.writer, batch.number] };
      const entries = own.map(({ entry }) => entry);
      return { projectId, steps: lookingAhead(projectId, settle, writer.append(projectId, entries, batch)) };
    });
    await writer.write(projects);
  }

  async lookAhead(projectId: string): Promise<void> {
    await projectWriterOf(this.storage).write([{ projectId, steps: lookingAhead(projectId) }]);
  }

  protected override skipLocked<Name extends keyof Tables, Row>(rows: SelectQueryBuilder<Tables, Name, Row>) {
    return rows.forUpdate().skipLocked();
  }
}

/** The steps, and then those that update when the project's next delivery is due. */
const lookingAhead = (projectId: string, ...steps: readonly Step[]): Step[] => [
  { sql: LOCK_QUEUE, parameters: [projectId] },
  ...steps,
  {
    ask: [{ sql: NEXT_DUE, parameters: [projectId] }],
    next: ([rows = []]) => {
      const [{ next, resend }] = rows as [{ next: number | null; resend: number | null }];
      const times = [next, resend].filter((time) => time !== null);
      return [{ sql: SET_DUE, parameters: [projectId, times.length === 0 ? null : Math.min(...times)] }];
    },
  },
];

const DUE = dueText("$1, $2, $3, $4");

/** Adds events to a project's queue unless they are stored already, and assigns it to the owner if it is free. */
export function enqueueStatements(
  writer: ProjectWriter,
  projectId: string,
  deliveries: readonly NewDelivery[],
  { now, owner }: { now: number; owner: string },
): Statement[] {
  const rows = deliveries.map(({ eventId, type, lane, body }) => ({
    ...{ delivery_id: newSortedId(now), event_id: eventId, type, lane, body },
    ...{ state: "waiting", tries: 0, created_at: now, next_at: now },
  }));
  return [
    ...writer.insert(projectId, { table: "delivery", rows, onConflict: "on conflict do nothing" }),
    { sql: DUE, parameters: [projectId, now, owner, now + LEASE_MS] },
  ];
}
