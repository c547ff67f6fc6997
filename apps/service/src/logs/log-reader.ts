import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type { Storage } from "../storage/open-storage.js";
import { type LogName, MAX_ENTRIES } from "./log-store.js";

/** The newest entries of a log as one text, and the log's state when they were read. */
interface NewestEntries {
  /** How many entries had ever been written to the log. */
  readonly seq: number;
  /** A JSON array; null if the log is empty. */
  readonly body: Buffer | string | null;
  /** How many bytes each entry has, with commas between the numbers. */
  readonly lengths: string | null;
}

interface StoredEntry {
  readonly entry: Buffer;
  readonly seq: number;
}

type Readable = Pick<Storage, "kind" | "query">;

// Compiled once; only the values differ from call to call.
const compiled = <Row>({ query }: Readable, text: RawBuilder<Row>): CompiledQuery<Row> => text.compile(query);

const seqText = sql<{ seq: number }>`select seq from log_head where project_id = ${""} and kind = ${0}`;

/** The newest entries of a log as one text. Its values: project and kind, both twice, and the earliest time. */
export function newestQuery(storage: Readable): CompiledQuery<NewestEntries> {
  const [body, lengths] =
    storage.kind === "sqlite"
      ? // SQLite joins the rows in the order in which they are read, and a blob is not converted to a string.
        [sql`cast('[' || group_concat(entry, ',') || ']' as blob)`, sql`group_concat(octet_length(entry))`]
      : [sql`'[' || string_agg(entry, ',') || ']'`, sql`string_agg(octet_length(entry)::text, ',')`];
  // In one statement, so that no entry is written in between. The limit is part of the text, since the planner of
  // PostgreSQL must know it.
  return compiled(
    storage,
    sql<NewestEntries>`
      select coalesce((${seqText}), 0) as seq, ${body} as body, ${lengths} as lengths
      from (
        select entry from log_entry where project_id = ${""} and kind = ${0} and at >= ${""}
        order by at desc, seq desc limit ${sql.lit(MAX_ENTRIES)}
      ) as newest`,
  );
}

/** Reads logs for listings: in both databases, the entries of a log are neighbours in one index. */
export class LogReader {
  readonly #query: Storage["query"];
  readonly #seqQuery: CompiledQuery<{ seq: number }>;
  readonly #newestQuery: CompiledQuery<NewestEntries>;
  readonly #newerQuery: CompiledQuery<{ entry: Buffer | string; seq: number }>;

  constructor(storage: Readable) {
    this.#query = storage.query;
    this.#seqQuery = compiled(storage, seqText);
    this.#newestQuery = newestQuery(storage);
    const entry = storage.kind === "sqlite" ? sql`cast(entry as blob) as entry` : sql`entry`;
    this.#newerQuery = compiled(
      storage,
      sql`select ${entry}, seq from log_entry where project_id = ${""} and kind = ${0} and at >= ${""}
        order by at desc, seq desc limit ${0}`,
    );
  }

  /** How many entries were ever written to a log. */
  async seqOf(log: LogName): Promise<number> {
    return (await this.#run(this.#seqQuery, log))[0]?.seq ?? 0;
  }

  /** The newest entries since a time, and how many were ever written, both as of one moment. */
  async newest(log: LogName, since: string): Promise<NewestEntries & { readonly body: Buffer | null }> {
    const [newest] = await this.#run(this.#newestQuery, [...log, ...log, since]);
    const { seq = 0, body = null, lengths = null } = newest ?? {};
    return { seq, body: typeof body === "string" ? Buffer.from(body) : body, lengths };
  }

  /** The entries since a time, newest first, at most `limit`. */
  async newerThan(log: LogName, since: string, limit: number): Promise<readonly StoredEntry[]> {
    const rows = await this.#run(this.#newerQuery, [...log, since, limit]);
    return rows.map(({ entry, seq }) => ({ entry: typeof entry === "string" ? Buffer.from(entry) : entry, seq }));
  }

  async #run<Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): Promise<Row[]> {
    return (await this.#query.executeQuery<Row>({ ...query, parameters })).rows;
  }
}
