import type { Statement } from "@media-ops/database";
import { seatStatements } from "../admission/sqlite-seats.js";
import { dueStatement, enqueueStatement } from "../deliveries/sqlite-delivery-queue.js";
import { entryStatements } from "../logs/sqlite-log-table.js";
import type { Storage } from "../storage/open-storage.js";
import { type IntakeStore, ownedBy, type Taken, type Taker } from "./intake-store.js";

/** Writes all that many events leave behind in one transaction. */
export class SqliteIntakeStore implements IntakeStore {
  readonly #storage: Storage;
  readonly #taker: Taker;

  constructor(storage: Storage, taker: Taker) {
    this.#storage = storage;
    this.#taker = taker;
  }

  async take(taken: readonly Taken[]): Promise<string[]> {
    const { owner } = this.#taker;
    const now = this.#taker.now();
    const statements = taken.flatMap((one) => statementsOf(one, now));
    const due = new Set(taken.flatMap(({ delivery }) => delivery?.projectId ?? []));
    for (const projectId of due) statements.push(dueStatement(projectId, { now, owner }));
    return ownedBy(owner, (await this.#storage.writeAll(statements)).flat());
  }
}

function statementsOf({ entry, seats, delivery }: Taken, now: number): Statement[] {
  return [
    ...(seats ? seatStatements(seats, now, entry && entryStatements(entry, "if new")) : []),
    ...(delivery ? [enqueueStatement(delivery, now)] : []),
  ];
}
