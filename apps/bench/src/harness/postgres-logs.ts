import { Client } from "pg";
import { DAY_MS, kinds, perKind, type StoredEntry } from "./entries.js";
import { kindNumbers, sortKey } from "./log-file.js";

/** Fills the logs of one project in PostgreSQL, faster than HTTP could. */
export class PostgresLogs {
  readonly #client: Client;
  readonly #seqs = perKind(() => 0);

  private constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Opens a database whose logs are empty.
   *
   * @param url Must have its tables already, which creating a project does.
   * @param from The time of the oldest entry. Each day until the current one gets its partition, as if the service had run.
   */
  static async open(url: string, from: number): Promise<PostgresLogs> {
    const client = new Client({ connectionString: url });
    // If the row fails, its server stops first; the row's own error is reported.
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'log_entry'::regclass",
    );
    for (const { name } of rows) await client.query(`drop table ${name}`);
    const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
    const add = (name: string, first: string, end: string) =>
      client.query(`create table log_entry_${name} partition of log_entry for values from (${first}) to (${end})`);
    const days: string[] = [];
    for (let at = from; at < Date.now() + DAY_MS; at += DAY_MS) days.push(dayOf(at));
    await add("early", "minvalue", `'${days[0]}'`);
    for (const [at, day] of days.slice(0, -1).entries())
      await add(`d${day.replaceAll("-", "")}`, `'${day}'`, `'${days[at + 1]}'`);
    await add("late", `'${days.at(-1)}'`, "maxvalue");
    return new PostgresLogs(client);
  }

  /** Commits entries of one project in one transaction. */
  async append(entries: readonly StoredEntry[]): Promise<void> {
    const projectId = entries[0]?.projectId;
    const seqs = entries.map(({ kind }) => {
      this.#seqs[kind] += 1;
      return this.#seqs[kind];
    });
    await this.#client.query("begin");
    await this.#client.query(
      `insert into log_head (project_id, kind, seq) select $1, * from unnest($2::integer[], $3::bigint[])
       on conflict (project_id, kind) do update set seq = excluded.seq`,
      [projectId, kinds.map((kind) => kindNumbers[kind]), kinds.map((kind) => this.#seqs[kind])],
    );
    await this.#client.query(
      "insert into log_entry select $1, * from unnest($2::integer[], $3::text[], $4::bigint[], $5::text[])",
      [
        projectId,
        entries.map(({ kind }) => kindNumbers[kind]),
        entries.map(({ timestamp }) => sortKey(timestamp)),
        seqs,
        entries.map(({ text }) => text),
      ],
    );
    await this.#client.query("commit");
  }

  /** Does what autovacuum would do soon, so that it does not disturb the measurements. */
  async settle(): Promise<void> {
    await this.#client.query("vacuum (analyze)");
    await this.#client.query("checkpoint");
  }

  /** Returns the bytes that all tables and indexes take on the disk. */
  async bytes(): Promise<number> {
    const { rows } = await this.#client.query(
      `select sum(pg_total_relation_size(oid)) as bytes from pg_class
       where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
    );
    return Number(rows[0].bytes);
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
