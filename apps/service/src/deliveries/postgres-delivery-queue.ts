import type { Statement } from "@media-ops/database";
import type { Batch } from "../logs/log-store.js";
import { appendFrom, columnsOf, newFrom } from "../logs/postgres-log-store.js";
import { byProject } from "../storage/open-storage.js";
import {
  CHANGED_AT_ONCE,
  CLAIMED_AT_ONCE,
  type DeliveryKey,
  DeliveryQueue,
  FURTHEST_LEASE_MS,
  LEASE_MS,
  LEAST_LEASE_MS,
  type NewDelivery,
  newDeliveryId,
  type SettledDelivery,
} from "./delivery-queue.js";

const IS_FREE = `(queue.owned_until <= excluded.due_at or queue.owned_until > excluded.due_at + ${FURTHEST_LEASE_MS})`;
const DUE = (values: string): string => `
  insert into delivery_queue as queue (project_id, due_at, owner, owned_until) values (${values})
  on conflict (project_id) do update set
    due_at = least(coalesce(queue.due_at, excluded.due_at), excluded.due_at),
    owner = case when ${IS_FREE} then excluded.owner else queue.owner end,
    owned_until = case
      when queue.owner = excluded.owner or ${IS_FREE} then excluded.owned_until
      else queue.owned_until
    end
  returning project_id, owner`;
const ENQUEUE = `
  with enqueued as (
    insert into delivery (project_id, delivery_id, event_id, type, lane, body, state, tries, created_at, next_at)
    select $1, delivery_id, event_id, type, lane, body, 'waiting', 0, $7::bigint, $7::bigint
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      as made (delivery_id, event_id, type, lane, body)
    order by event_id on conflict do nothing
  )
  ${DUE("$1, $7, $8, $9")}`;
// Locked before looking ahead, so that a concurrent insert is either seen or follows afterwards.
const LOCK_QUEUE = "select 1 from delivery_queue where project_id = $1 for update";
const LOOK_AHEAD = `
  update delivery_queue set due_at = (
    select min(next_at) from delivery where project_id = $1 and next_at is not null
  ) where project_id = $1`;
const SETTLE = `
  with given as (
    select * from unnest(
      $2::text[], $3::text[], $4::integer[], $5::bigint[], $6::bigint[], $7::integer[], $8::text[],
      $9::integer[], $10::text[], $11::text[]
    ) with ordinality as given (delivery_id, state, tries, next_at, ended_at, status, fault, kind, at, entry, n)
  ), ${newFrom("given", "$12, $13")}, settled as (
    update delivery set state = new.state, tries = new.tries, next_at = new.next_at, ended_at = new.ended_at,
      last_status = new.status, last_fault = new.fault
    from new where delivery.project_id = $1 and delivery.delivery_id = new.delivery_id and case
      when new.state = 'delivered' then delivery.state <> 'delivered'
      else delivery.state = 'waiting' and delivery.tries = new.tries - 1
    end
  ), ${appendFrom("new")}`;
const RETRY = `
  with retried as (
    update delivery set state = 'waiting', tries = 0, next_at = $3, ended_at = null
    where project_id = $1 and delivery_id = any($2::text[]) returning 1
  ), due as (
    ${DUE("$1, $3, $4, $5")}
  )
  select count(*) as retried from retried`;
const CLAIM = `
  update delivery_queue set owner = $1, owned_until = $2
  where project_id in (
    select project_id from delivery_queue
    where due_at <= $3 and (owned_until <= $3 or owned_until > $6 or (owner = $1 and owned_until <= $4))
    order by due_at limit $5 for update skip locked
  ) returning project_id`;
const KEPT = `
  select project_id from delivery_queue
  where due_at <= $1 and owner = $2 and owned_until > $3 and owned_until <= $4`;
const RENEW = `
  update delivery_queue set owned_until = $1 where project_id = any($2::text[]) and owner = $3 returning project_id`;
const DELETE_ENDED = `
  delete from delivery where (project_id, delivery_id) in (
    select project_id, delivery_id from delivery where state = $1 and ended_at <= $2
    limit $3 for update skip locked
  ) returning 1`;

/** The delivery queues in PostgreSQL. Processes that claim at the same time do not wait for each other. */
export class PostgresDeliveryQueue extends DeliveryQueue {
  async claim(): Promise<string[]> {
    const now = this.now();
    const [least, furthest] = [now + LEAST_LEASE_MS, now + FURTHEST_LEASE_MS];
    const [kept = [], claimed = []] = await this.storage.writeAll([
      { sql: KEPT, parameters: [now, this.owner, least, furthest] },
      // Its own too: a try begun after the lease has lapsed could be begun by another process as well.
      { sql: CLAIM, parameters: [this.owner, now + LEASE_MS, now, least, CLAIMED_AT_ONCE, furthest] },
    ]);
    return idsIn([...kept, ...claimed]);
  }

  /** The same by `writeAll`, which tries again after a deadlock. */
  override async renew(projectIds: readonly string[]): Promise<string[]> {
    if (projectIds.length === 0) return [];
    const parameters = [this.now() + LEASE_MS, projectIds, this.owner];
    const [renewed = []] = await this.storage.writeAll([{ sql: RENEW, parameters }]);
    return idsIn(renewed);
  }

  async settle(settled: readonly SettledDelivery[], { writer, number }: Batch): Promise<void> {
    const now = this.now();
    const statements = byProject(settled, ({ outcome }) => outcome.projectId).flatMap(([projectId, own]) => {
      const outcomes = own.map(({ outcome }) => outcome);
      const columns = [
        outcomes.map(({ deliveryId }) => deliveryId),
        outcomes.map(({ state }) => state),
        outcomes.map(({ tries }) => tries),
        outcomes.map(({ nextAt }) => nextAt),
        outcomes.map(({ nextAt }) => (nextAt === null ? now : null)),
        outcomes.map(({ status }) => status),
        outcomes.map(({ fault }) => fault),
        ...columnsOf(own.map(({ entry }) => entry)),
      ];
      return lookingAhead(projectId, { sql: SETTLE, parameters: [projectId, ...columns, writer, number] });
    });
    await this.storage.writeAll(statements);
  }

  async lookAhead(projectId: string): Promise<void> {
    await this.storage.writeAll(lookingAhead(projectId));
  }

  async retry(deliveries: readonly DeliveryKey[]): Promise<number> {
    const now = this.now();
    const statements = byProject(deliveries, ({ projectId }) => projectId).flatMap(([projectId, own]) => [
      { sql: LOCK_QUEUE, parameters: [projectId] },
      // Without an owner, so that the next process that looks takes the queue.
      { sql: RETRY, parameters: [projectId, own.map(({ deliveryId }) => deliveryId), now, "", now] },
    ]);
    const rows = await this.storage.writeAll(statements);
    return rows.flat().reduce<number>((sum, row) => sum + ((row as { retried?: number }).retried ?? 0), 0);
  }

  protected async deleteEnded(state: string, before: number): Promise<number> {
    const [rows = []] = await this.storage.writeAll([
      { sql: DELETE_ENDED, parameters: [state, before, CHANGED_AT_ONCE] },
    ]);
    return rows.length;
  }
}

const idsIn = (rows: readonly unknown[]): string[] =>
  (rows as { project_id: string }[]).map(({ project_id }) => project_id);

/** Changes a project's queue, and updates when its next delivery is due. */
function lookingAhead(projectId: string, ...statements: readonly Statement[]): Statement[] {
  return [{ sql: LOCK_QUEUE, parameters: [projectId] }, ...statements, { sql: LOOK_AHEAD, parameters: [projectId] }];
}

/** Puts events into a project's queue unless they are there already, and gives it to the owner if it is free. */
export function enqueueStatement(
  projectId: string,
  deliveries: readonly NewDelivery[],
  { now, owner }: { now: number; owner: string },
): Statement {
  const columns = [
    deliveries.map(() => newDeliveryId(now)),
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ type }) => type),
    deliveries.map(({ lane }) => lane),
    deliveries.map(({ body }) => body),
  ];
  return { sql: ENQUEUE, parameters: [projectId, ...columns, now, owner, now + LEASE_MS] };
}
