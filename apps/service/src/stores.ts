import { endedDays, PostgresSeats } from "./admission/postgres-seats.js";
import { ENDED_MS, type Seats } from "./admission/seats.js";
import { SqliteSeats } from "./admission/sqlite-seats.js";
import type { Clocks } from "./config/surroundings.js";
import type { DeliveryQueue } from "./deliveries/delivery-queue.js";
import { PostgresDeliveryQueue } from "./deliveries/postgres-delivery-queue.js";
import { SqliteDeliveryQueue } from "./deliveries/sqlite-delivery-queue.js";
import type { IntakeStore, IntakeWriter } from "./intake/intake-store.js";
import { PostgresIntakeStore } from "./intake/postgres-intake-store.js";
import { SqliteIntakeStore } from "./intake/sqlite-intake-store.js";
import { CachedListings, listingCacheBytes } from "./logs/cached-listings.js";
import { type Listings, LogStore, WINDOW_MS } from "./logs/log-store.js";
import { entryDays, PostgresLogReader, PostgresLogTable } from "./logs/postgres-log-table.js";
import { SqliteLogReader, SqliteLogTable } from "./logs/sqlite-log-table.js";
import { AHEAD_MS, startOfDay } from "./storage/day-partitions.js";
import type { Storage } from "./storage/open-storage.js";

/** What the features store, each in the way that suits the database. Only this file asks which database it is. */
export interface Stores {
  readonly logs: LogStore;
  readonly seats: Seats;
  readonly queue: DeliveryQueue;
  readonly intake: IntakeStore;
}

/** Options of {@link openStores}. */
export interface StoresOptions extends IntakeWriter, Pick<Clocks, "now"> {
  /** Milliseconds by a clock that nobody can set. @default now */
  elapsed?(): number;
}

/**
 * Opens the stores in a database for one process.
 *
 * @param cacheBytes How much memory the cached listings may use.
 */
export async function openStores(storage: Storage, options: StoresOptions, cacheBytes?: number): Promise<Stores> {
  const { now, elapsed = now } = options;
  const clocks = { now, elapsed };
  const logs = await openLogs(storage, now, cacheBytes);
  const queue = openQueue(storage, options);
  if (storage.kind === "sqlite") {
    return { logs, queue, seats: new SqliteSeats(storage, clocks), intake: new SqliteIntakeStore(storage, options) };
  }
  const seats = await PostgresSeats.open(storage, clocks);
  return { logs, queue, seats, intake: new PostgresIntakeStore(storage, options) };
}

/** Opens the logs alone. */
export function openLogs(storage: Storage, now: () => number, cacheBytes?: number): Promise<LogStore> {
  const table = storage.kind === "sqlite" ? new SqliteLogTable(storage) : new PostgresLogTable(storage);
  return LogStore.open(table, listingsOf(storage, now, cacheBytes), now);
}

/** The listings alone, which only read. */
export function listingsOf(
  { kind, query }: Pick<Storage, "kind" | "query">,
  now: () => number,
  cacheBytes: number = listingCacheBytes(),
): Listings {
  const reader = kind === "sqlite" ? new SqliteLogReader(query) : new PostgresLogReader(query);
  return new CachedListings(reader, now, cacheBytes);
}

/** The delivery queues alone. */
export function openQueue(storage: Storage, { owner, now }: IntakeWriter): DeliveryQueue {
  const Queue = storage.kind === "sqlite" ? SqliteDeliveryQueue : PostgresDeliveryQueue;
  return new Queue(storage, owner, now);
}

/** Creates the partitions for entries of the last 30 days that arrive all at once, from another database. */
export async function makeRoomForPast(storage: Storage, now: number): Promise<void> {
  if (storage.kind !== "postgres") return;
  const today = startOfDay(now);
  await entryDays(storage.query).make(today - WINDOW_MS, today + AHEAD_MS);
  await endedDays(storage.query).make(today, today + ENDED_MS + AHEAD_MS);
}
