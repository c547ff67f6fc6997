import { endedDays, PostgresSeats } from "./admission/postgres-seats.js";
import { ENDED_MS, type Seats } from "./admission/seats.js";
import { SqliteSeats } from "./admission/sqlite-seats.js";
import type { DeliveryQueue, QueueStorage } from "./deliveries/delivery-queue.js";
import { PostgresDeliveryQueue } from "./deliveries/postgres-delivery-queue.js";
import { SqliteDeliveryQueue } from "./deliveries/sqlite-delivery-queue.js";
import type { IntakeStore } from "./intake/intake-store.js";
import { PostgresIntakeStore } from "./intake/postgres-intake-store.js";
import { SqliteIntakeStore } from "./intake/sqlite-intake-store.js";
import { type LogStore, WINDOW_MS } from "./logs/log-store.js";
import { entryDays, PostgresLogStore } from "./logs/postgres-log-store.js";
import { SqliteLogStore } from "./logs/sqlite-log-store.js";
import { AHEAD_MS, startOfDay } from "./storage/day-partitions.js";
import type { Storage } from "./storage/open-storage.js";

/** The stores of the features, implemented for the database in use. */
export interface Stores {
  readonly logs: LogStore;
  readonly seats: Seats;
  readonly queue: DeliveryQueue;
  readonly intake: IntakeStore;
}

interface StoresOptions {
  /** The name under which this process takes over deliveries that no process owns. */
  readonly owner: string;
  now(): number;
  /** A monotonic clock in milliseconds. @default now */
  elapsed?(): number;
}

/** Opens the stores in a database for one process. */
export async function openStores(storage: Storage, options: StoresOptions): Promise<Stores> {
  const { owner, now, elapsed = now } = options;
  const isSqlite = storage.kind === "sqlite";
  const logs = await openLogs(storage, now);
  const seats = new (isSqlite ? SqliteSeats : PostgresSeats)(storage, { now, elapsed });
  await seats.prepare();
  const intake = new (isSqlite ? SqliteIntakeStore : PostgresIntakeStore)(storage, owner, now);
  return { logs, seats, queue: openQueue(storage, { owner, now }), intake };
}

/** Opens only the logs, ready for the entries of the coming days. */
export async function openLogs(storage: Storage, now: () => number): Promise<LogStore> {
  const logs = new (storage.kind === "sqlite" ? SqliteLogStore : PostgresLogStore)(storage, now);
  await logs.prepare();
  return logs;
}

/** Opens only the delivery queues. */
export function openQueue(
  storage: QueueStorage & Pick<Storage, "kind">,
  { owner, now }: Pick<StoresOptions, "owner" | "now">,
): DeliveryQueue {
  const Queue = storage.kind === "sqlite" ? SqliteDeliveryQueue : PostgresDeliveryQueue;
  return new Queue(storage, owner, now);
}

/** Creates the partitions for entries of the last 30 days that are copied from another database at once. */
export async function makeRoomForPast(storage: Storage, now: number): Promise<void> {
  if (storage.kind !== "postgres") return;
  const today = startOfDay(now);
  await entryDays(storage.query).make(today - WINDOW_MS, today + AHEAD_MS);
  await endedDays(storage.query).make(today, today + ENDED_MS + AHEAD_MS);
}
