import type { Statement } from "@media-ops/database";
import { sql } from "kysely";
import { entryStatements } from "../logs/sqlite-log-store.js";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { newDeliveryId } from "./delivery-id.js";
import type { NewDelivery, Outcome, Settled, WaitingDelivery } from "./delivery-queue.js";

/** For how long a process has a project's queue without another sign of life: a killed one is waited for so long. */
export const LEASE_MS = 15_000;
// Long enough for the next renewal of those at work.
const LEAST_LEASE_MS = LEASE_MS / 2;

const DELIVERED_KEPT_MS = 24 * 60 * 60 * 1000;
const FAILED_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const CHANGED_AT_ONCE = 500;
const CLAIMED_AT_ONCE = 500;

const ENQUEUE = `
  insert into delivery (project_id, delivery_id, event_id, type, lane, body, state, tries, created_at, next_at)
  values (?, ?, ?, ?, ?, ?, 'waiting', 0, ?, ?) on conflict do nothing`;
const DUE = `
  insert into delivery_queue (project_id, due_at, owner, owned_until) values (?, ?, ?, ?)
  on conflict do update set
    due_at = min(coalesce(due_at, excluded.due_at), excluded.due_at),
    owner = iif(owned_until <= excluded.due_at, excluded.owner, owner),
    owned_until = iif(owned_until <= excluded.due_at or owner = excluded.owner, excluded.owned_until, owned_until)
  returning project_id, owner`;
const SETTLE = `
  update delivery set state = ?, tries = ?, next_at = ?, ended_at = ?, last_status = ?, last_fault = ?
  where project_id = ? and delivery_id = ?`;
const LOOK_AHEAD = `
  update delivery_queue set due_at = (
    select min(next_at) from delivery where delivery.project_id = delivery_queue.project_id and next_at is not null
  ) where project_id = ?`;
const RETRY = `
  update delivery set state = 'waiting', tries = 0, next_at = ?, ended_at = null
  where project_id = ? and delivery_id = ? returning delivery_id`;

/** Puts an event into its project's queue, unless it is there. */
export function enqueueStatement({ projectId, eventId, type, lane, body }: NewDelivery, now: number): Statement {
  return { sql: ENQUEUE, parameters: [projectId, newDeliveryId(now), eventId, type, lane, body, now, now] };
}

/** Says that something is due in a project, and gives its queue to the owner if nobody has it. */
export function dueStatement(
  projectId: string,
  { now, owner, leaseMs = LEASE_MS }: { now: number; owner: string; leaseMs?: number },
): Statement {
  return { sql: DUE, parameters: [projectId, now, owner, now + leaseMs] };
}

/** The projects whose queues are the owner's, by what the statements of {@link dueStatement} gave. */
export function ownedBy(owner: string, rows: readonly (readonly unknown[])[]): string[] {
  const queues = rows.flat() as Pick<Tables["delivery_queue"], "project_id" | "owner">[];
  return queues.filter((queue) => queue.owner === owner).map(({ project_id }) => project_id);
}

/** The projects' queues in SQLite, as one process sees them. */
export class SqliteDeliveryQueue {
  readonly #storage: Storage;
  readonly #query: Storage["query"];
  readonly #owner: string;
  readonly #now: () => number;

  constructor(storage: Storage, owner: string, now: () => number) {
    this.#storage = storage;
    this.#query = storage.query;
    this.#owner = owner;
    this.#now = now;
  }

  /** The projects that have something due and are this process's, or nobody's: then they become its own. */
  async claim(): Promise<string[]> {
    const now = this.#now();
    const isFree = sql<boolean>`owned_until <= ${now}`;
    const due = this.#query
      .selectFrom("delivery_queue")
      .select(["project_id", "owned_until"])
      .where("due_at", "<=", now);
    const own = await due.where("owner", "=", this.#owner).execute();
    const free = await due
      .where("owner", "<>", this.#owner)
      .where(isFree)
      .orderBy("due_at")
      .limit(CLAIMED_AT_ONCE)
      .execute();
    const kept = own
      .filter(({ owned_until }) => owned_until > now + LEAST_LEASE_MS)
      .map(({ project_id }) => project_id);
    const others = [...own.filter(({ owned_until }) => owned_until <= now + LEAST_LEASE_MS), ...free].map(
      ({ project_id }) => project_id,
    );
    if (others.length === 0) return kept;
    // Its own ones too: what it begins after its lease has lapsed, another process would begin as well.
    const claimed = await this.#query
      .updateTable("delivery_queue")
      .set({ owner: this.#owner, owned_until: now + LEASE_MS })
      .where("project_id", "in", others)
      .where(({ or, eb }) => or([eb("owner", "=", this.#owner), isFree]))
      .returning("project_id")
      .execute();
    return [...kept, ...claimed.map(({ project_id }) => project_id)];
  }

  /** Keeps queues that are at work. */
  async renew(projectIds: readonly string[]): Promise<void> {
    if (projectIds.length === 0) return;
    await this.#query
      .updateTable("delivery_queue")
      .set({ owned_until: this.#now() + LEASE_MS })
      .where("owner", "=", this.#owner)
      .where("project_id", "in", projectIds)
      .execute();
  }

  /** Gives all queues away, so that others need not wait for them. */
  async release(): Promise<void> {
    await this.#query
      .updateTable("delivery_queue")
      .set({ owned_until: 0 })
      .where("owner", "=", this.#owner)
      .where("owned_until", ">", 0)
      .execute();
  }

  /** What is due in a project, in the order in which it came. */
  async due(projectId: string, limit: number): Promise<WaitingDelivery[]> {
    const rows = await this.#query
      .selectFrom("delivery")
      .select(["delivery_id", "event_id", "type", "lane", "body", "tries"])
      .where("project_id", "=", projectId)
      .where("next_at", "<=", this.#now())
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

  /** Notes what became of deliveries, together with what the log says of it. */
  async settle(settled: readonly Settled[]): Promise<void> {
    const now = this.#now();
    const projectIds = new Set(settled.map(({ outcome }) => outcome.projectId));
    await this.#storage.writeAll([
      ...settled.flatMap(({ outcome, entry }) => [settleStatement(outcome, now), ...entryStatements(entry)]),
      ...[...projectIds].map(lookAheadStatement),
    ]);
  }

  /** Notes anew when the next delivery of a project is due. */
  async lookAhead(projectId: string): Promise<void> {
    await this.#storage.writeAll([lookAheadStatement(projectId)]);
  }

  /** Gives up all that waits in a project, a little at a time. */
  async giveUp(projectId: string, fault: string): Promise<void> {
    for (;;) {
      const given = this.#query
        .updateTable("delivery")
        .set({ state: "failed", next_at: null, ended_at: this.#now(), last_fault: fault })
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

  /** Forgets what has ended long ago, a little at a time. */
  async sweep(signal: AbortSignal): Promise<void> {
    const now = this.#now();
    for (const [state, before] of [
      ["delivered", now - DELIVERED_KEPT_MS],
      ["failed", now - FAILED_KEPT_MS],
    ] as const) {
      while (!signal.aborted) {
        const { numAffectedRows = 0n } = await sql`
          delete from delivery where (project_id, delivery_id) in
          (select project_id, delivery_id from delivery
            where ended_at <= ${before} and state = ${state} limit ${CHANGED_AT_ONCE})
        `.execute(this.#query);
        if (numAffectedRows < CHANGED_AT_ONCE) break;
      }
    }
  }
}

function settleStatement(outcome: Outcome, now: number): Statement {
  const { projectId, deliveryId, state, tries, nextAt, status, fault } = outcome;
  const endedAt = nextAt === null ? now : null;
  return { sql: SETTLE, parameters: [state, tries, nextAt, endedAt, status, fault, projectId, deliveryId] };
}

/** Notes when the next delivery of a project is due. */
function lookAheadStatement(projectId: string): Statement {
  return { sql: LOOK_AHEAD, parameters: [projectId] };
}

/** Puts deliveries back, to be tried anew from the first try on. Gives how many there were. */
export async function retryDeliveries(
  { writeAll }: Pick<Storage, "writeAll">,
  deliveries: readonly { projectId: string; deliveryId: string }[],
  now: number,
): Promise<number> {
  const projectIds = new Set(deliveries.map(({ projectId }) => projectId));
  const rows = await writeAll([
    ...deliveries.map(({ projectId, deliveryId }) => ({ sql: RETRY, parameters: [now, projectId, deliveryId] })),
    // Nobody is named, so that whoever looks next takes it.
    ...[...projectIds].map((projectId) => dueStatement(projectId, { now, owner: "", leaseMs: 0 })),
  ]);
  return rows.slice(0, deliveries.length).flat().length;
}
