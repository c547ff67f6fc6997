import { type RawBuilder, type SelectQueryBuilder, sql, type UpdateQueryBuilder, type UpdateResult } from "kysely";
import { type Batch, byProject } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";
import type { WriterStorage } from "../storage/postgres-writer.js";
import type { Tables } from "../storage/tables.js";
import { type DeliveryKey, latestTries, RESEND_LANE, type SettledDelivery, type WaitingDelivery } from "./delivery.js";

/** How long a process owns a project's queue without renewing its lease. */
export const LEASE_MS = 15_000;

/** A lease with this much time left need not be renewed at once: the next regular renewal is early enough. */
export const LEAST_LEASE_MS: number = LEASE_MS / 2;

/** A lease that ends later than this from now was set by a wrong clock, and counts as free. */
export const FURTHEST_LEASE_MS: number = 2 * LEASE_MS;

/** Small enough that a statement takes milliseconds, so that other writers are not blocked. */
export const CHANGED_AT_ONCE = 500;

/** How many free queues a process claims at once, so that other processes get some too. */
const CLAIMED_AT_ONCE = 500;

/** How many deliveries of the resend lane are read at once: new events must not wait for the memory of old ones. */
export const RESENDS_AT_ONCE = 20;

const DELIVERED_KEPT_MS = 24 * 60 * 60 * 1000;
const FAILED_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export type QueueStorage = Pick<Storage, "query" | "writeAll"> & WriterStorage;

/** The projects' queues as one process sees them. */
export abstract class DeliveryQueue {
  protected readonly storage: QueueStorage;
  protected readonly owner: string;
  protected readonly now: () => number;

  constructor(storage: QueueStorage, owner: string, now: () => number) {
    this.storage = storage;
    this.owner = owner;
    this.now = now;
  }

  /** Writes outcomes and entries, once; a failed try only if no new owner of the queue has changed the delivery. */
  abstract settle(settled: readonly SettledDelivery[], batch: Batch): Promise<void>;

  /** Stores when the next delivery of a project is due. */
  abstract lookAhead(projectId: string): Promise<void>;

  /** Skips the rows that other processes are changing. SQLite has a single writer, so no row is skipped. */
  protected skipLocked<Name extends keyof Tables, Row>(rows: SelectQueryBuilder<Tables, Name, Row>) {
    return rows;
  }

  /** Claims the free queues that have due deliveries. Returns the projects of all due queues that this process owns. */
  async claim(): Promise<string[]> {
    const now = this.now();
    const [least, furthest] = [now + LEAST_LEASE_MS, now + FURTHEST_LEASE_MS];
    const due = this.storage.query.selectFrom("delivery_queue").select("project_id").where("due_at", "<=", now);
    const kept = await due
      .where("owner", "=", this.owner)
      .where("owned_until", ">", least)
      .where("owned_until", "<=", furthest)
      .execute();
    const free = due
      .where(({ and, eb, or }) =>
        or([
          eb("owned_until", "<=", now),
          eb("owned_until", ">", furthest),
          // Also its own leases that expire soon: a try begun after expiry could be begun by another process as well.
          and([eb("owner", "=", this.owner), eb("owned_until", "<=", least)]),
        ]),
      )
      .orderBy("due_at")
      .limit(CLAIMED_AT_ONCE);
    const own = kept.map(({ project_id }) => project_id);
    // An idle process writes nothing.
    if ((await free.limit(1).execute()).length === 0) return own;
    return [...own, ...(await this.#take((queue) => queue.where("project_id", "in", this.skipLocked(free))))];
  }

  /** Renews leases. Returns the projects whose queues this process still owns. */
  async renew(projectIds: readonly string[]): Promise<string[]> {
    if (projectIds.length === 0) return [];
    return this.#take((queue) => queue.where("owner", "=", this.owner).where("project_id", "in", projectIds));
  }

  async #take(choose: (queues: QueueUpdate) => QueueUpdate): Promise<string[]> {
    const taken = this.storage.query
      .updateTable("delivery_queue")
      .set({ owner: this.owner, owned_until: this.now() + LEASE_MS })
      .$call(choose)
      .returning("project_id")
      .compile();
    // `writeAll` retries after a deadlock.
    const [rows = []] = await this.storage.writeAll([taken]);
    return (rows as { project_id: string }[]).map(({ project_id }) => project_id);
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
    return this.#owned(projectId)
      .select("lane")
      .where("next_at", "<=", this.now())
      .orderBy("next_at")
      .orderBy("delivery_id")
      .limit(limit)
      .execute();
  }

  /** The next deliveries of a project that are sent again together; none if another process owns the queue. */
  async dueAgain(projectId: string): Promise<WaitingDelivery[]> {
    const found = await this.#owned(projectId)
      .where("resend_at", "is not", null)
      .orderBy("resend_at")
      .orderBy("delivery_id")
      .limit(RESENDS_AT_ONCE)
      .execute();
    return found.map((delivery) => ({ ...delivery, lane: RESEND_LANE }));
  }

  #owned(projectId: string) {
    return (
      this.storage.query
        .selectFrom("delivery")
        .select(["project_id as projectId", "delivery_id as deliveryId", "event_id as eventId"])
        .select(["type", "body", "tries"])
        .where("project_id", "=", projectId)
        // In the same statement, so that a delivery that another process may have begun is never returned.
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("delivery_queue")
              .select("owner")
              .where("delivery_queue.project_id", "=", projectId)
              .where("owner", "=", this.owner)
              .where("owned_until", ">", this.now()),
          ),
        )
    );
  }

  /** Makes deliveries due again, starting from the first try. Returns how many were changed. */
  async retry(deliveries: readonly DeliveryKey[]): Promise<number> {
    return this.#restart(deliveries, { next_at: this.now(), resend_at: null });
  }

  /** Queues failed deliveries to be sent again one after another; `at` is the same for all of one request. */
  async resend(deliveries: readonly DeliveryKey[], at: number): Promise<number> {
    return this.#restart(deliveries, { next_at: null, resend_at: at });
  }

  async #restart(
    deliveries: readonly DeliveryKey[],
    due: { readonly next_at: number | null; readonly resend_at: number | null },
  ): Promise<number> {
    const now = this.now();
    const statements = byProject(deliveries, ({ projectId }) => projectId).flatMap(([projectId, own]) => {
      const ids = own.map(({ deliveryId }) => deliveryId);
      const restarting = this.storage.query
        .updateTable("delivery")
        .set({ state: "waiting", tries: 0, ended_at: null, ...due })
        .where("project_id", "=", projectId)
        .where("delivery_id", "in", ids)
        // Requested twice at once, they are queued once.
        .$if(due.resend_at !== null, (found) => found.where("state", "=", "failed"))
        .returning("delivery_id");
      // Some are due at once, whichever was due next. Changed after them, so that nobody sees it without them.
      const dueNow = this.storage.query
        .updateTable("delivery_queue")
        .set(({ eb, ref }) => ({ due_at: eb.case().when("due_at", "<", now).then(ref("due_at")).else(now).end() }))
        .where("project_id", "=", projectId);
      return [restarting.compile(), dueNow.compile()];
    });
    const rows = (await this.storage.writeAll(statements)).flat();
    return rows.filter((row) => row instanceof Object && "delivery_id" in row).length;
  }

  async giveUp(projectId: string, fault: string): Promise<void> {
    const own = this.storage.query.selectFrom("delivery").select("delivery_id").where("project_id", "=", projectId);
    const waiting = own.where(({ eb, or }) => or([eb("next_at", "is not", null), eb("resend_at", "is not", null)]));
    await inSteps(async () => {
      const given = this.storage.query
        .updateTable("delivery")
        .set({ state: "failed", next_at: null, resend_at: null, ended_at: this.now(), last_fault: fault })
        .where("project_id", "=", projectId)
        .where("delivery_id", "in", waiting.limit(CHANGED_AT_ONCE));
      return (await given.executeTakeFirstOrThrow()).numUpdatedRows;
    });
    await this.lookAhead(projectId);
  }

  /** Deletes deliveries that have ended. Returns how many were deleted. */
  async remove(deliveries: readonly DeliveryKey[]): Promise<number> {
    let removed = 0;
    for (const [projectId, own] of byProject(deliveries, (delivery) => delivery.projectId)) {
      const ids = own.map(({ deliveryId }) => deliveryId);
      const { numDeletedRows } = await this.storage.query
        .deleteFrom("delivery")
        .where("project_id", "=", projectId)
        .where("delivery_id", "in", ids)
        // A delivery may have been requeued meanwhile.
        .where("ended_at", "is not", null)
        .executeTakeFirstOrThrow();
      removed += Number(numDeletedRows);
    }
    return removed;
  }

  /** Makes deliveries due that wait longer than the retry schedule allows: a clock that was ahead had put them off. */
  async bringForward(signal: AbortSignal): Promise<void> {
    const waiting = await this.storage.query
      .selectFrom("delivery_queue")
      .select("project_id")
      .where("due_at", "is not", null)
      .execute();
    for (const { project_id: projectId } of waiting) {
      const own = this.storage.query.selectFrom("delivery").select("delivery_id").where("project_id", "=", projectId);
      const changed = await inSteps(async () => {
        const now = this.now();
        const putOff = own.where("next_at", ">", now).where("next_at", ">", latestTryOf(now)).orderBy("next_at");
        const due = this.storage.query
          .updateTable("delivery")
          .set({ next_at: now })
          .where("project_id", "=", projectId)
          .where("delivery_id", "in", putOff.limit(CHANGED_AT_ONCE))
          // A delivery that has ended meanwhile is left unchanged.
          .where("next_at", ">", now);
        return (await due.executeTakeFirstOrThrow()).numUpdatedRows;
      }, signal);
      if (changed > 0) await this.lookAhead(projectId);
    }
  }

  /** Deletes deliveries that ended well before a time, in ms since 1970. */
  async sweep(time: number, signal: AbortSignal): Promise<void> {
    for (const [state, before] of [
      ["delivered", time - DELIVERED_KEPT_MS],
      ["failed", time - FAILED_KEPT_MS],
    ] as const) {
      const ended = this.storage.query
        .selectFrom("delivery")
        .where("state", "=", state)
        .where("ended_at", "<=", before);
      // Project by project, since Citus locks rows of one shard only.
      for (const { project_id: projectId } of await ended.select("project_id").distinct().execute()) {
        const own = ended.where("project_id", "=", projectId).select("delivery_id").limit(CHANGED_AT_ONCE);
        await inSteps(async () => {
          const deleted = this.storage.query
            .deleteFrom("delivery")
            .where("project_id", "=", projectId)
            .where("delivery_id", "in", this.skipLocked(own));
          return (await deleted.executeTakeFirstOrThrow()).numDeletedRows;
        }, signal);
      }
    }
  }
}

/** Repeats a small change, so that others can write meanwhile, until it changes no row. Returns how many it changed. */
async function inSteps(change: () => Promise<bigint>, signal?: AbortSignal): Promise<number> {
  let changed = 0;
  for (let last = 1; last > 0 && !signal?.aborted; changed += last) last = Number(await change());
  return changed;
}

/** The latest time for which the retry schedule can have put off a delivery. */
function latestTryOf(now: number): RawBuilder<number> {
  const cases = latestTries(now).map((at, tries) => sql`when ${sql.lit(tries)} then cast(${at} as bigint)`);
  return sql`case tries ${sql.join(cases, sql` `)} else cast(${now} as bigint) end`;
}

type QueueUpdate = UpdateQueryBuilder<Tables, "delivery_queue", "delivery_queue", UpdateResult>;

const IS_FREE = `(queue.owned_until <= excluded.due_at or queue.owned_until > excluded.due_at + ${FURTHEST_LEASE_MS})`;

/** Marks a queue as due, for the owner if it is free; `values` are placeholders: project, time, owner, lease's end. */
export const dueText = (values: string): string => `
  insert into delivery_queue as queue (project_id, due_at, owner, owned_until) values (${values})
  on conflict (project_id) do update set
    due_at = case when queue.due_at < excluded.due_at then queue.due_at else excluded.due_at end,
    owner = case when ${IS_FREE} then excluded.owner else queue.owner end,
    owned_until = case
      when queue.owner = excluded.owner or ${IS_FREE} then excluded.owned_until
      else queue.owned_until
    end
  returning project_id, owner`;
