import type { Statement } from "@media-ops/database";
import { projectsOnStatement, seatStatements } from "../admission/sqlite-seats.js";
import { dueStatement, enqueueStatement } from "../deliveries/sqlite-delivery-queue.js";
import { entryStatements } from "../logs/sqlite-log-table.js";
import type { Storage } from "../storage/open-storage.js";
import {
  type EventEffects,
  type IntakeStore,
  type IntakeWriter,
  isNodeGone,
  ownedBy,
  type WrittenEffects,
} from "./intake-store.js";

/** Writes the effects of many events in one transaction. */
export class SqliteIntakeStore implements IntakeStore {
  readonly #storage: Storage;
  readonly #writer: IntakeWriter;

  constructor(storage: Storage, writer: IntakeWriter) {
    this.#storage = storage;
    this.#writer = writer;
  }

  async write(effects: readonly EventEffects[]): Promise<WrittenEffects> {
    const { owner } = this.#writer;
    const now = this.#writer.now();
    const statements = effects.flatMap((one) => statementsOf(one, now));
    const due = new Set(effects.flatMap(({ delivery }) => delivery?.projectId ?? []));
    for (const projectId of due) statements.push(dueStatement(projectId, { now, owner }));
    const rows = await this.#storage.writeAll(statements);
    const gone = effects.filter(isNodeGone);
    // The statements that return rows: first one for each vanished node, then those for due deliveries.
    const onNodes = new Map(gone.map((one, at) => [one, projectsIn(rows[at])]));
    return { due: ownedBy(owner, rows.slice(gone.length).flat()), onNodes };
  }
}

function statementsOf({ entry, seats, delivery }: EventEffects, now: number): Statement[] {
  return [
    ...(seats?.kind === "node-gone" ? [projectsOnStatement(seats.nodeName)] : []),
    ...(seats ? seatStatements(seats, now, entry && entryStatements(entry, "if new")) : []),
    ...(delivery ? [enqueueStatement(delivery, now)] : []),
  ];
}

const projectsIn = (rows: readonly unknown[] = []): string[] =>
  (rows as { project_id: string }[]).map(({ project_id }) => project_id);
