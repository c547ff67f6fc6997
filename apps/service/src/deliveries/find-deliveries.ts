import { setTimeout } from "node:timers/promises";
import type { Kysely, Selection } from "kysely";
import { type Page, readAlong } from "../reads/along.js";
import type { Work } from "../reads/pace.js";
import { type IdRange, idBounds } from "../storage/sorted-ids.js";
import type { Tables } from "../storage/tables.js";
import { CHANGED_AT_ONCE, FURTHEST_LEASE_MS } from "./delivery-queue.js";

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
  /** `since` and `until` are in ms since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
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

// Leaves most of the database's time to other writes.
const REST = 3;

export interface DeliveryList {
  readonly filter: DeliveryFilter;
  readonly after?: string | undefined;
  /** @default as many as are changed at once */
  readonly limit?: number;
  /** @default "newest" */
  readonly order?: "newest" | "oldest";
}

/** A page of the matching deliveries of a project. */
export async function listDeliveries(
  { query, work }: { query: Kysely<Tables>; work: Work },
  projectId: string,
  { filter, after: start, limit = CHANGED_AT_ONCE, order = "newest" }: DeliveryList,
): Promise<Page<StoredDelivery>> {
  const { deliveryId, eventId, since, until } = filter;
  // Found by an index.
  if (deliveryId !== undefined || eventId !== undefined) {
    return { rows: await findDeliveries(query, { ...filter, projectId }, limit), next: undefined };
  }
  return readAlong<StoredDelivery>(work, {
    after: start,
    limit,
    keyOf: (delivery) => delivery.deliveryId,
    async border(after, count) {
      const last = matching(query, projectId, { since, until }, { order, after })
        .select("delivery.delivery_id as id")
        .offset(count - 1);
      return (await last.limit(1).executeTakeFirst())?.id;
    },
    read: (after, upTo, most) =>
      matching(query, projectId, filter, { order, after, upTo }).select(listed).limit(most).execute(),
  });
}

/** Changes deliveries page by page, each once. Returns how many, and where to continue. */
export async function changeDeliveries(
  list: (after: string | undefined) => Promise<Page<StoredDelivery>>,
  change: (found: readonly StoredDelivery[]) => Promise<number>,
  { after, isOver }: { readonly after?: string | undefined; isOver(): boolean } = { isOver: () => false },
): Promise<{ changed: number; next: string | undefined }> {
  let changed = 0;
  for (let last = after; ; ) {
    const { rows, next } = await list(last);
    const since = performance.now();
    if (rows.length > 0) changed += await change(rows);
    if (next === undefined || isOver()) return { changed, next };
    last = next;
    await setTimeout(REST * (performance.now() - since));
  }
}

/** How many deliveries of a project wait for an attempt. */
export async function countWaiting(query: Kysely<Tables>, projectId: string): Promise<number> {
  const counted = (["next_at", "resend_at"] as const).map((column) =>
    query
      .selectFrom("delivery")
      .select(({ fn }) => fn.countAll<number | string>().as("count"))
      .where("project_id", "=", projectId)
      .where(column, "is not", null)
      .executeTakeFirstOrThrow(),
  );
  return (await Promise.all(counted)).reduce((sum, { count }) => sum + Number(count), 0);
}

/** The matching deliveries, the newest first. */
export async function findDeliveries(
  query: Kysely<Tables>,
  filter: DeliveryFilter,
  limit: number,
): Promise<StoredDelivery[]> {
  if (filter.projectId !== undefined) return deliveriesQuery(query, filter.projectId, filter, limit).execute();
  const queues = await query.selectFrom("delivery_queue").select("project_id").execute();
  let found: StoredDelivery[] = [];
  for (let from = 0; from < queues.length; from += PROJECTS_AT_ONCE) {
    const last = found.length === limit ? found.at(-1)?.deliveryId : undefined;
    const some = queues
      .slice(from, from + PROJECTS_AT_ONCE)
      .map(({ project_id }) => deliveriesQuery(query, project_id, filter, limit, last).execute());
    found = [...found, ...(await Promise.all(some)).flat()].sort(newestFirst).slice(0, limit);
  }
  return found;
}

const newestFirst = (one: StoredDelivery, other: StoredDelivery): number =>
  one.deliveryId < other.deliveryId ? 1 : -1;

// All at once would wait too long for their connections.
const PROJECTS_AT_ONCE = 100;

/** The newest matching deliveries of one project, up to the oldest one to look at. */
export function deliveriesQuery(
  query: Kysely<Tables>,
  projectId: string,
  filter: DeliveryFilter,
  limit: number,
  upTo?: string,
) {
  return matching(query, projectId, filter, { order: "newest", upTo }).limit(limit).select(listed);
}

function matching(query: Kysely<Tables>, projectId: string, filter: DeliveryFilter, part: IdRange) {
  const { state, type, deliveryId, eventId, since, until } = filter;
  let found = query
    .selectFrom("delivery")
    .where("delivery.project_id", "=", projectId)
    .where(({ and, eb }) =>
      and(idBounds({ since, until, ...part }).map(([is, id]) => eb("delivery.delivery_id", is, id))),
    );
  if (deliveryId !== undefined) found = found.where("delivery.delivery_id", "=", deliveryId);
  if (eventId !== undefined) found = found.where("delivery.event_id", "=", eventId);
  if (state !== undefined) found = found.where("delivery.state", "=", state);
  if (type !== undefined) found = found.where("delivery.type", "=", type);
  return found.orderBy("delivery.delivery_id", part.order === "newest" ? "desc" : "asc");
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
