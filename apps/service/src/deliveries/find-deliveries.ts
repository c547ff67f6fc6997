import type { CompiledQuery, Expression, Kysely } from "kysely";
import type { Tables } from "../storage/tables.js";
import { firstIdAt } from "./delivery-id.js";
import { FURTHEST_LEASE_MS, type NewDelivery } from "./delivery-queue.js";
import { CHANGED_AT_ONCE } from "./stored-delivery-queue.js";

/** How a delivery may stand. */
export const deliveryStates = ["waiting", "delivered", "failed"] as const;

export type DeliveryState = (typeof deliveryStates)[number];

/** A delivery as it is kept, but for its body. */
export interface KeptDelivery extends Omit<NewDelivery, "body"> {
  readonly deliveryId: string;
  /** One of {@link deliveryStates}. */
  readonly state: string;
  readonly tries: number;
  /** Times are in ms since 1970. */
  readonly createdAt: number;
  /** Null when it has ended. */
  readonly nextAt: number | null;
  readonly endedAt: number | null;
  /** What the receiver answered last; 0 where it did not. */
  readonly lastStatus: number | null;
  readonly lastFault: string | null;
}

/** A delivery with all that is kept of it. */
export type WholeDelivery = KeptDelivery & Pick<NewDelivery, "body">;

/** Which deliveries are looked for; what is left out does not matter. */
export interface DeliveryFilter {
  readonly projectId?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly type?: string | undefined;
  /** Made then or later, in ms since 1970. */
  readonly since?: number | undefined;
  /** Made before then. */
  readonly until?: number | undefined;
  /** Only those whose id sorts before this one. */
  readonly beforeId?: string | undefined;
}

/** Whether a process delivers a project's events at the moment, or has been killed within the last seconds. */
export async function isQueueOwned(query: Kysely<Tables>, projectId: string, now: number): Promise<boolean> {
  const queue = await query
    .selectFrom("delivery_queue")
    .select("owner")
    .where("project_id", "=", projectId)
    .where("owner", "<>", "")
    .where("owned_until", ">", now)
    .where("owned_until", "<=", now + FURTHEST_LEASE_MS)
    .executeTakeFirst();
  return queue !== undefined;
}

/**
 * Changes all deliveries that fit, a piece at a time. Each piece lies further back: what fits anew meanwhile is not changed
 * without end.
 *
 * @param change Gives how many of a piece were changed.
 * @returns how many were changed in all.
 */
export async function changeDeliveries(
  query: Kysely<Tables>,
  filter: DeliveryFilter,
  change: (found: readonly KeptDelivery[]) => Promise<number>,
): Promise<number> {
  let changed = 0;
  let beforeId: string | undefined;
  for (;;) {
    const found = await findDeliveries(query, { ...filter, beforeId }, CHANGED_AT_ONCE);
    if (found.length > 0) changed += await change(found);
    if (found.length < CHANGED_AT_ONCE) return changed;
    beforeId = found.at(-1)?.deliveryId;
  }
}

/** The deliveries that fit, the newest first. */
export async function findDeliveries(
  query: Kysely<Tables>,
  filter: DeliveryFilter,
  limit: number,
): Promise<KeptDelivery[]> {
  if (filter.projectId !== undefined) return newestOf(query, filter.projectId, filter, limit);
  const { rows: projects } = await query.executeQuery(projectsQuery(query, filter, limit));
  let found: KeptDelivery[] = [];
  for (const { project_id, newest } of projects) {
    const last = found.length === limit ? found.at(-1)?.deliveryId : undefined;
    // None of those that follow has anything newer.
    if (newest === null || (last !== undefined && newest < last)) break;
    const own = await newestOf(query, project_id, { ...filter, afterId: last }, limit);
    found = [...found, ...own].sort(newestFirst).slice(0, limit);
  }
  return found;
}

const newestFirst = (one: KeptDelivery, other: KeptDelivery): number => (one.deliveryId < other.deliveryId ? 1 : -1);

async function newestOf(
  query: Kysely<Tables>,
  projectId: string,
  filter: Filter,
  limit: number,
): Promise<KeptDelivery[]> {
  const { rows } = await query.executeQuery(deliveriesQuery(query, projectId, filter, limit));
  return rows.map(toDelivery);
}

/** The projects whose newest one that fits is the newest: in no other can one of the first be. */
export function projectsQuery(
  query: Kysely<Tables>,
  filter: DeliveryFilter,
  limit: number,
): CompiledQuery<{ project_id: string; newest: string | null }> {
  return query
    .selectFrom("delivery_queue as queue")
    .select(({ ref }) => [
      "queue.project_id",
      newestThatFit(query, ref("queue.project_id"), filter, 1).select("delivery.delivery_id").as("newest"),
    ])
    .orderBy("newest", (order) => order.desc().nullsLast())
    .limit(limit)
    .compile();
}

export function deliveriesQuery(
  query: Kysely<Tables>,
  projectId: string,
  filter: Filter,
  limit: number,
): CompiledQuery<ListedRow> {
  return newestThatFit(query, projectId, filter, limit).select(listed).compile();
}

interface Filter extends DeliveryFilter {
  /** Only those whose id sorts behind this one. */
  readonly afterId?: string | undefined;
}

/** Of one project: a walk along its key, from the newest on. */
function newestThatFit(query: Kysely<Tables>, projectId: string | Expression<string>, filter: Filter, limit: number) {
  const { state, type, since, until, beforeId, afterId } = filter;
  let found = query.selectFrom("delivery").where("delivery.project_id", "=", projectId);
  if (since !== undefined) found = found.where("delivery.delivery_id", ">=", firstIdAt(since));
  if (until !== undefined) found = found.where("delivery.delivery_id", "<", firstIdAt(until));
  if (beforeId !== undefined) found = found.where("delivery.delivery_id", "<", beforeId);
  if (afterId !== undefined) found = found.where("delivery.delivery_id", ">", afterId);
  if (state !== undefined) found = found.where("delivery.state", "=", state);
  if (type !== undefined) found = found.where("delivery.type", "=", type);
  return found.orderBy("delivery.delivery_id", "desc").limit(limit);
}

/** The delivery of this id, whichever project has it: two never have the same but by an accident that does not happen. */
export async function findDelivery(query: Kysely<Tables>, deliveryId: string): Promise<WholeDelivery | undefined> {
  const row = await query
    .selectFrom("delivery_queue as queue")
    .crossJoin("delivery")
    .select([...listed, "delivery.body"])
    .whereRef("delivery.project_id", "=", "queue.project_id")
    .where("delivery.delivery_id", "=", deliveryId)
    .limit(1)
    .executeTakeFirst();
  return row && { ...toDelivery(row), body: row.body };
}

type ListedRow = Omit<Tables["delivery"], "body">;

const listed = [
  "delivery.project_id",
  "delivery.delivery_id",
  "delivery.event_id",
  "delivery.type",
  "delivery.lane",
  "delivery.state",
  "delivery.tries",
  "delivery.created_at",
  "delivery.next_at",
  "delivery.ended_at",
  "delivery.last_status",
  "delivery.last_fault",
] as const;

function toDelivery(row: ListedRow): KeptDelivery {
  return {
    projectId: row.project_id,
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    type: row.type,
    lane: row.lane,
    state: row.state,
    tries: row.tries,
    createdAt: row.created_at,
    nextAt: row.next_at,
    endedAt: row.ended_at,
    lastStatus: row.last_status,
    lastFault: row.last_fault,
  };
}
