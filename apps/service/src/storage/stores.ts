import { PostgresSeats } from "../admission/postgres-seats.js";
import type { Seats } from "../admission/seats.js";
import { SqliteSeats } from "../admission/sqlite-seats.js";
import type { DeliveryQueue } from "../deliveries/delivery-queue.js";
import { PostgresDeliveryQueue } from "../deliveries/postgres-delivery-queue.js";
import { SqliteDeliveryQueue } from "../deliveries/sqlite-delivery-queue.js";
import type { IntakeStore, Taker } from "../intake/intake-store.js";
import { PostgresIntakeStore } from "../intake/postgres-intake-store.js";
import { SqliteIntakeStore } from "../intake/sqlite-intake-store.js";
import { defaultCacheBytes } from "../logs/cache-size.js";
import { CachedListings } from "../logs/cached-listings.js";
import { CachedLogStore } from "../logs/cached-log-store.js";
import { type Listings, type LogStore, WINDOW_MS } from "../logs/log-store.js";
import { PostgresLogReader, PostgresLogTable } from "../logs/postgres-log-table.js";
import { SqliteLogReader, SqliteLogTable } from "../logs/sqlite-log-table.js";
import { AHEAD_MS, endedDays, entryDays, startOfDay } from "./day-partitions.js";
import { ENDED_MS } from "./ended.js";
import type { Storage } from "./open-storage.js";

/** What is kept, each in the way that its database does best. Here alone it matters which one it is. */
export interface Stores {
  readonly logs: LogStore;
  readonly seats: Seats;
  readonly queue: DeliveryQueue;
  readonly intake: IntakeStore;
}

/**
 * The stores in a database, as one process uses them.
 *
 * @param cacheBytes How much memory the listings may take that are kept.
 */
export async function openStores(storage: Storage, taker: Taker, cacheBytes?: number): Promise<Stores> {
  const { now, elapsed = now } = taker;
  const clocks = { now, elapsed };
  const logs = await openLogs(storage, now, cacheBytes);
  const queue = openQueue(storage, taker);
  if (storage.kind === "sqlite") {
    return { logs, queue, seats: new SqliteSeats(storage, clocks), intake: new SqliteIntakeStore(storage, taker) };
  }
  return {
    logs,
    queue,
    seats: await PostgresSeats.open(storage, clocks),
    intake: new PostgresIntakeStore(storage, taker),
  };
}

/** Makes room for entries of the last 30 days that come all at once, from another database. */
export async function makeRoomForPast(storage: Storage, now: number): Promise<void> {
  if (storage.kind !== "postgres") return;
  const today = startOfDay(now);
  await entryDays(storage.query).make(today - WINDOW_MS, today + AHEAD_MS);
  await endedDays(storage.query).make(today, today + ENDED_MS + AHEAD_MS);
}

/** The logs alone. */
export function openLogs(storage: Storage, now: () => number, cacheBytes?: number): Promise<LogStore> {
  const table = storage.kind === "sqlite" ? new SqliteLogTable(storage) : new PostgresLogTable(storage);
  return CachedLogStore.open(table, listingsOf(storage, now, cacheBytes), now);
}

/** The listings alone, which only read. */
export function listingsOf(
  { kind, query }: Pick<Storage, "kind" | "query">,
  now: () => number,
  cacheBytes: number = defaultCacheBytes(),
): Listings {
  const reader = kind === "sqlite" ? new SqliteLogReader(query) : new PostgresLogReader(query);
  return new CachedListings(reader, now, cacheBytes);
}

/** The queues alone. */
export function openQueue(storage: Storage, { owner, now }: Taker): DeliveryQueue {
  const Queue = storage.kind === "sqlite" ? SqliteDeliveryQueue : PostgresDeliveryQueue;
  return new Queue(storage, owner, now);
}
