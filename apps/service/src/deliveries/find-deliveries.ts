import type { Kysely, Selection } from "kysely";
import { firstIdAt } from "../storage/sorted-ids.js";
import type { Tables } from "../storage/tables.js";
import { CHANGED_AT_ONCE, type DeliveryQueue, FURTHEST_LEASE_MS } from "./delivery-queue.js";

/** The states of a delivery. */
export const deliveryStates = ["waiting", "delivered", "failed"] as const;

/** One of {@link deliveryStates}. */
export type DeliveryState = (typeof deliveryStates)[number];

const listed = [
  "delivery.project_id as projectId",
  "delivery.delivery_id as deliveryId",
  "delivery.event_id as eventId",
  "delivery.type",
  "delivery.lane",
  "delivery.state",
  "delivery.tries",
  "delivery.created_at as createdAt",
  "delivery.next_at as nextAt",
  "delivery.ended_at as endedAt",
  "delivery.last_status as lastStatus",
  "delivery.last_fault as lastFault",
  "delivery.attempts",
  "delivery.resend_at as resendAt",
] as const;

/** A stored delivery without its body. */
export type StoredDelivery = Selection<Tables, "delivery", (typeof listed)[number]>;

/** Selects deliveries; an omitted field matches everything. */
export interface DeliveryFilter {
  readonly projectId?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly deliveryId?: string | undefined;
  readonly eventId?: string | undefined;
  /** Created at this time or later, in ms since 1970. */
  readonly since?: number | undefined;
  /** Created before this time. */
  readonly until?: number | undefined;
  /** Only those whose id sorts before this one. */
  readonly beforeId?: string | undefined;
  /** Only those whose id sorts after this one. */
  readonly afterId?: string | undefined;
}

/** Whether a process delivers a project's events now, or was killed within the last seconds. */
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
 * Changes all matching deliveries in batches, newest first, so that a delivery that matches again meanwhile is not
 * changed twice.
 *
 * @param change Returns how many of a batch were changed.
 * @returns how many were changed in all.
 */
export async function changeDeliveries(
  query: Kysely<Tables>,
  filter: DeliveryFilter,
  change: (found: readonly StoredDelivery[]) => Promise<number>,
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

/**
 * Queues all matching failed deliveries of a project to be sent again one after another, the oldest first. Returns how
 * many were queued.
 */
export async function resendDeliveries(
  query: Kysely<Tables>,
  queue: Pick<DeliveryQueue, "resend">,
  filter: DeliveryFilter & { readonly projectId: string },
  now: number,
): Promise<number> {
  let resent = 0;
  let afterId: string | undefined;
  for (;;) {
    const matching = newestMatching(query, filter.projectId, { ...filter, state: "failed", afterId }, CHANGED_AT_ONCE);
    const found = await matching.clearOrderBy().orderBy("delivery.delivery_id").select(listed).execute();
    if (found.length > 0) resent += await queue.resend(found, now);
    if (found.length < CHANGED_AT_ONCE) return resent;
    afterId = found.at(-1)?.deliveryId;
  }
}

/** The matching deliveries, the newest first. */
export async function findDeliveries(
  query: Kysely<Tables>,
  filter: DeliveryFilter,
  limit: number,
): Promise<StoredDelivery[]> {
  if (filter.projectId !== undefined) return deliveriesQuery(query, filter.projectId, filter, limit).execute();
  let found: StoredDelivery[] = [];
  for (const [project_id, newest] of await projectsWith(query, filter)) {
    const last = found.length === limit ? found.at(-1)?.deliveryId : undefined;
    // Projects are sorted by their newest delivery, so the remaining ones have none that is newer.
    if (last !== undefined && newest < last) break;
    const own = await deliveriesQuery(query, project_id, { ...filter, afterId: last }, limit).execute();
    found = [...found, ...own].sort(newestFirst).slice(0, limit);
  }
  return found;
}

const newestFirst = (one: StoredDelivery, other: StoredDelivery): number =>
  one.deliveryId < other.deliveryId ? 1 : -1;

// All at once would wait too long for their connections.
const PROJECTS_AT_ONCE = 100;

/** The projects with matching deliveries, and the newest delivery of each; the project with the newest one is first. */
async function projectsWith(query: Kysely<Tables>, filter: DeliveryFilter): Promise<[string, string][]> {
  const queues = await query.selectFrom("delivery_queue").select("project_id").execute();
  const found: [string, string][] = [];
  for (let from = 0; from < queues.length; from += PROJECTS_AT_ONCE) {
    const some = queues.slice(from, from + PROJECTS_AT_ONCE).map(async ({ project_id: projectId }) => {
      const [newest] = await deliveriesQuery(query, projectId, filter, 1).execute();
      if (newest) found.push([projectId, newest.deliveryId]);
    });
    await Promise.all(some);
  }
  return found.sort(([, one], [, other]) => (one < other ? 1 : -1));
}

/** The newest matching deliveries of one project. */
export function deliveriesQuery(query: Kysely<Tables>, projectId: string, filter: DeliveryFilter, limit: number) {
  return newestMatching(query, projectId, filter, limit).select(listed);
}

/** Walks along the key of one project, from the newest delivery on. */
function newestMatching(query: Kysely<Tables>, projectId: string, filter: DeliveryFilter, limit: number) {
  const { state, type, deliveryId, eventId, since, until, beforeId, afterId } = filter;
  let found = query.selectFrom("delivery").where("delivery.project_id", "=", projectId);
  if (since !== undefined) found = found.where("delivery.delivery_id", ">=", firstIdAt(since));
  if (until !== undefined) found = found.where("delivery.delivery_id", "<", firstIdAt(until));
  if (beforeId !== undefined) found = found.where("delivery.delivery_id", "<", beforeId);
  if (afterId !== undefined) found = found.where("delivery.delivery_id", ">", afterId);
  if (deliveryId !== undefined) found = found.where("delivery.delivery_id", "=", deliveryId);
  if (eventId !== undefined) found = found.where("delivery.event_id", "=", eventId);
  if (state !== undefined) found = found.where("delivery.state", "=", state);
  if (type !== undefined) found = found.where("delivery.type", "=", type);
  return found.orderBy("delivery.delivery_id", "desc").limit(limit);
}

/** The delivery with this id, with its body, in any project: ids are unique across projects. */
export function findDelivery(query: Kysely<Tables>, deliveryId: string) {
  return query
    .selectFrom("delivery_queue as queue")
    .crossJoin("delivery")
    .select([...listed, "delivery.body"])
    .whereRef("delivery.project_id", "=", "queue.project_id")
    .where("delivery.delivery_id", "=", deliveryId)
    .limit(1)
    .executeTakeFirst();
}
