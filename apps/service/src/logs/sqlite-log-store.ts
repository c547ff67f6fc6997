import { setImmediate } from "node:timers/promises";
import type { Statement } from "@media-ops/database";
import {
  allHeads,
  byProject,
  type LogName,
  LogStore,
  logKinds,
  type NewEntry,
  type ProjectBatch,
  sortKey,
} from "./log-store.js";

// Deleting this many takes milliseconds, so that other writers are not blocked.
const DELETE_LIMIT = 500;

/** The logs in SQLite. */
export class SqliteLogStore extends LogStore {
  /** The names of the batches are not needed: a failed commit has written nothing. */
  async write(batches: readonly ProjectBatch[]): Promise<void> {
    await this.storage.writeAll(appendStatements(batches.flatMap(({ entries }) => entries)));
  }

  protected async dropBefore(day: number, signal: AbortSignal): Promise<string | undefined> {
    const before = sortKey(new Date(day).toISOString());
    let dropped = 0;
    for await (const heads of allHeads(this.storage.query)) {
      for (const { project_id, kind } of heads) {
        let deleted = DELETE_LIMIT;
        while (deleted === DELETE_LIMIT && !signal.aborted) {
          deleted = await this.#deleteSome([project_id, kind], before);
          dropped += deleted;
        }
      }
      if (signal.aborted) break;
      await setImmediate();
    }
    return dropped === 0 ? undefined : `${dropped} log entries older than 30 days were deleted`;
  }

  async #deleteSome([projectId, kind]: LogName, before: string): Promise<number> {
    const old = this.storage.query
      .selectFrom("log_entry")
      .select(["at", "seq"])
      .where("project_id", "=", projectId)
      .where("kind", "=", kind)
      .where("at", "<", before);
    // Read first, on the read-only connection: most logs have nothing to delete, and need no write.
    if (!(await old.limit(1).executeTakeFirst())) return 0;
    const { numDeletedRows } = await this.storage.query
      .deleteFrom("log_entry")
      .where("project_id", "=", projectId)
      .where("kind", "=", kind)
      .where(({ eb, refTuple }) =>
        eb(refTuple("at", "seq"), "in", old.orderBy("at").orderBy("seq").limit(DELETE_LIMIT).$asTuple("at", "seq")),
      )
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }
}

const COUNT = `
  insert into log_head (project_id, kind, seq) values (?, ?, ?)
  on conflict (project_id, kind) do update set seq = seq + excluded.seq`;
const ADD = `
  with given (at, entry, before) as (values (?, ?, ?))
  insert into log_entry (project_id, kind, at, seq, entry)
  select project_id, kind, given.at, seq - before, given.entry
  from log_head as head join given where head.project_id = ? and head.kind = ?`;
const ADD_NEW = `${ADD} and not exists (
    select 1 from log_entry as known where known.project_id = head.project_id and known.kind = head.kind
      and known.at = given.at and known.entry = given.entry
  )`;

/** The statements that append entries within a transaction. */
export const appendStatements = (entries: readonly NewEntry[]): Statement[] => append(ADD, entries);

/** The same without those that their log has already, whose seqs are left out. */
export const appendNew = (entries: readonly NewEntry[]): Statement[] => append(ADD_NEW, entries);

function append(sql: string, entries: readonly NewEntry[]): Statement[] {
  return byProject(entries, ({ projectId, kind }) => `${kind} ${projectId}`).flatMap(([, own]) => {
    const [first] = own;
    if (!first) return [];
    const log = [first.projectId, logKinds[first.kind].number];
    return [
      { sql: COUNT, parameters: [...log, own.length] },
      ...own.map(({ timestamp, text }, at) => {
        return { sql, parameters: [sortKey(timestamp), text, own.length - 1 - at, ...log] };
      }),
    ];
  });
}
