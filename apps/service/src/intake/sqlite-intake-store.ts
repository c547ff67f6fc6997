import type { Statement } from "@media-ops/database";
import { projectsOnStatement, seatStatements } from "../admission/sqlite-seats.js";
import { dueStatement, enqueueStatement } from "../deliveries/sqlite-delivery-queue.js";
import { entryStatements } from "../logs/sqlite-log-table.js";
import type { Storage } from "../storage/open-storage.js";
import { type IntakeStore, isNodeGone, ownedBy, type Taken, type Taker, type Written } from "./intake-store.js";

/** Writes all that many events leave behind in one transaction. */
export class SqliteIntakeStore implements IntakeStore {
  readonly #storage: Storage;
  readonly #taker: Taker;

  constructor(storage: Storage, taker: Taker) {
    this.#storage = storage;
    this.#taker = taker;
  }

  async take(taken: readonly Taken[]): Promise<Written> {
    const { owner } = this.#taker;
    const now = this.#taker.now();
    const statements = taken.flatMap((one) => statementsOf(one, now));
    const due = new Set(taken.flatMap(({ delivery }) => delivery?.projectId ?? []));
    for (const projectId of due) statements.push(dueStatement(projectId, { now, owner }));
    const rows = await this.#storage.writeAll(statements);
    const gone = taken.filter(isNodeGone);
    // Statements that give rows: one for each vanished node, then those that say what is due.
    const onNodes = new Map(gone.map((one, at) => [one, projectsIn(rows[at])]));
    return { due: ownedBy(owner, rows.slice(gone.length).flat()), onNodes };
  }
}

function statementsOf({ entry, seats, delivery }: Taken, now: number): Statement[] {
  return [
    ...(seats?.kind === "node-gone" ? [projectsOnStatement(seats.nodeName)] : []),
    ...(seats ? seatStatements(seats, now, entry && entryStatements(entry, "if new")) : []),
    ...(delivery ? [enqueueStatement(delivery, now)] : []),
  ];
}

const projectsIn = (rows: readonly unknown[] = []): string[] =>
  (rows as { project_id: string }[]).map(({ project_id }) => project_id);
