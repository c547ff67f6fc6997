import { setImmediate } from "node:timers/promises";
import { type CompiledQuery, sql } from "kysely";
import type { ReadyAnswer } from "../http/send-answer.js";
import type { Storage } from "../storage/open-storage.js";
import { kindNumbers, type LogKind } from "./kinds.js";
import { ListingCache } from "./listing-cache.js";
import { type LogStore, MAX_ENTRIES, type NewEntry, WINDOW_MS } from "./log-store.js";
import { sortKey } from "./sort-key.js";

// A piece this small is deleted within a few milliseconds, and whoever wants to write comes in between.
const DELETED_AT_ONCE = 500;
const LOGS_LOOKED_AT_AT_ONCE = 100;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Which log of which project. */
interface Log {
  project_id: string;
  kind: number;
}

interface Listed {
  body: Buffer | null;
  oldest: string | null;
}

/** The logs in SQLite: each log is a range of one index, so that a listing is one walk through neighbouring pages. */
export class SqliteLogStore implements LogStore {
  readonly #query: Storage["query"];
  readonly #now: () => number;
  readonly #cache = new ListingCache();
  readonly #headQuery: CompiledQuery<{ seq: number }>;
  readonly #listQuery: CompiledQuery<Listed>;

  constructor({ query }: Storage, now: () => number) {
    this.#query = query;
    this.#now = now;
    // Compiled once; only the values differ from call to call.
    this.#headQuery = query
      .selectFrom("log_head")
      .select("seq")
      .where("project_id", "=", "")
      .where("kind", "=", 0)
      .compile();
    this.#listQuery = listQuery(query);
  }

  async append(entries: readonly NewEntry[]): Promise<void> {
    const counts = new Map<string, number>();
    const headOf = ({ projectId, kind }: NewEntry): string => `${projectId} ${kindNumbers[kind]}`;
    for (const entry of entries) counts.set(headOf(entry), (counts.get(headOf(entry)) ?? 0) + 1);
    const heads = [...counts].map(([head, count]) => [...head.split(" "), count]);
    // Each entry with how many of its log come behind it.
    const rows = entries.map((entry) => {
      const behind = (counts.get(headOf(entry)) ?? 0) - 1;
      counts.set(headOf(entry), behind);
      return [entry.projectId, kindNumbers[entry.kind], sortKey(entry.timestamp), behind, entry.text];
    });
    await this.#query.transaction().execute(async (transaction) => {
      await sql`
        insert into log_head (project_id, kind, seq)
        select value ->> 0, cast(value ->> 1 as integer), value ->> 2 from json_each(${JSON.stringify(heads)}) where true
        on conflict (project_id, kind) do update set seq = seq + excluded.seq
      `.execute(transaction);
      await sql`
        insert into log_entry (project_id, kind, at, seq, entry)
        select head.project_id, head.kind, value ->> 2, head.seq - (value ->> 3), value ->> 4
        from json_each(${JSON.stringify(rows)})
        join log_head as head on head.project_id = value ->> 0 and head.kind = value ->> 1
      `.execute(transaction);
    });
  }

  async list(projectId: string, kind: LogKind): Promise<ReadyAnswer> {
    const number = kindNumbers[kind];
    const since = sortKey(new Date(this.#now() - WINDOW_MS).toISOString());
    const { rows: heads } = await this.#query.executeQuery(withValues(this.#headQuery, [projectId, number]));
    const seq = heads[0]?.seq ?? 0;
    const cached = this.#cache.get(projectId, kind, seq, since);
    if (cached) return cached;
    const values = [projectId, number, since, MAX_ENTRIES];
    const { rows } = await this.#query.executeQuery(withValues(this.#listQuery, values));
    const { body, oldest } = rows[0] ?? { body: null, oldest: null };
    return this.#cache.set(projectId, kind, { seq, oldest, body: body ?? Buffer.from("[]") });
  }

  async dropExpired(signal: AbortSignal): Promise<number> {
    // Whole days only: within a day, what is old lies beside what is still shown.
    const today = Math.floor(this.#now() / DAY_MS) * DAY_MS;
    const before = sortKey(new Date(today - WINDOW_MS).toISOString());
    let dropped = 0;
    let from: Log = { project_id: "", kind: 0 };
    for (;;) {
      const logs = await this.#logsAfter(from);
      for (const log of logs) {
        for (;;) {
          if (signal.aborted) return dropped;
          const deleted = await this.#deletePiece(log, before);
          dropped += deleted;
          if (deleted < DELETED_AT_ONCE) break;
        }
      }
      const last = logs.at(-1);
      if (!last) return dropped;
      from = last;
      await setImmediate();
    }
  }

  async #deletePiece({ project_id, kind }: Log, before: string): Promise<number> {
    const old = this.#query
      .selectFrom("log_entry")
      .select(["at", "seq"])
      .where("project_id", "=", project_id)
      .where("kind", "=", kind)
      .where("at", "<", before);
    // Asked first of the connection that only reads: most logs have nothing to delete, and need not wait for a turn.
    if (!(await old.limit(1).executeTakeFirst())) return 0;
    const { numDeletedRows } = await this.#query
      .deleteFrom("log_entry")
      .where("project_id", "=", project_id)
      .where("kind", "=", kind)
      .where(({ eb, refTuple }) =>
        eb(refTuple("at", "seq"), "in", old.orderBy("at").orderBy("seq").limit(DELETED_AT_ONCE).$asTuple("at", "seq")),
      )
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }

  #logsAfter({ project_id, kind }: Log) {
    return this.#query
      .selectFrom("log_head")
      .select(["project_id", "kind"])
      .where(({ eb, refTuple, tuple }) => eb(refTuple("project_id", "kind"), ">", tuple(project_id, kind)))
      .orderBy("project_id")
      .orderBy("kind")
      .limit(LOGS_LOOKED_AT_AT_ONCE)
      .execute();
  }
}

/** The newest entries of a log as one text: of which project, which kind, since when, how many. */
export function listQuery(query: Storage["query"]): CompiledQuery<Listed> {
  return (
    query
      .selectFrom((db) =>
        db
          .selectFrom("log_entry")
          .select(["entry", "at"])
          .where("project_id", "=", "")
          .where("kind", "=", 0)
          .where("at", ">=", "")
          .orderBy("at", "desc")
          .orderBy("seq", "desc")
          .limit(MAX_ENTRIES)
          .as("newest"),
      )
      // SQLite joins the rows in the order in which the walk yields them, and a blob is not made a string on its way.
      .select([
        sql<Buffer | null>`cast('[' || group_concat(entry, ',') || ']' as blob)`.as("body"),
        sql<string | null>`min(at)`.as("oldest"),
      ])
      .compile()
  );
}

function withValues<Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> {
  return { ...query, parameters };
}
