import type { Statement } from "@media-ops/database";
import type { SeatChange } from "../admission/seats.js";
import { seatStatements } from "../admission/sqlite-seats.js";
import type { NewDelivery } from "../deliveries/delivery-queue.js";
import { dueStatement, enqueueStatement, ownedBy } from "../deliveries/sqlite-delivery-queue.js";
import type { NewEntry } from "../logs/log-store.js";
import { entryStatements } from "../logs/sqlite-log-store.js";
import type { Storage } from "../storage/open-storage.js";

/** What an event leaves behind. */
export interface Taken {
  readonly seats?: SeatChange | undefined;
  /** What stands in the log of what ends by `seats`: once, however often the event comes. */
  readonly entry?: NewEntry | undefined;
  readonly delivery?: NewDelivery | undefined;
}

/** Options of {@link takeAll}. */
export interface TakeOptions {
  readonly now: number;
  /** Who is to deliver what nobody delivers yet. */
  readonly owner: string;
}

/** Writes what many events leave behind in one transaction. Gives the projects whose deliveries fall to the owner. */
export async function takeAll(
  storage: Storage,
  taken: readonly Taken[],
  { now, owner }: TakeOptions,
): Promise<string[]> {
  const statements = taken.flatMap((one) => statementsOf(one, now));
  const due = new Set(taken.flatMap(({ delivery }) => delivery?.projectId ?? []));
  for (const projectId of due) statements.push(dueStatement(projectId, { now, owner }));
  return ownedBy(owner, await storage.writeAll(statements));
}

function statementsOf({ entry, seats, delivery }: Taken, now: number): Statement[] {
  return [
    ...(seats ? seatStatements(seats, now, entry && entryStatements(entry, "if new")) : []),
    ...(delivery ? [enqueueStatement(delivery, now)] : []),
  ];
}
