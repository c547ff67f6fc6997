import type { Kysely } from "kysely";
import type { Committer, CommitterOptions } from "./keyed-group-commit.js";
import type { OpenOptions } from "./migrate.js";
import type { Statement } from "./statement.js";
import { parseDatabaseUrl } from "./url.js";

/** A database that is open, its tables up to date. */
export interface Database<Tables> {
  readonly kind: "sqlite" | "postgres";
  /** The file; undefined in memory and in PostgreSQL. */
  readonly file: string | undefined;
  /** Where it is asked. In SQLite, what only reads, outside of a transaction, does not wait for what writes. */
  readonly query: Kysely<Tables>;
  /**
   * Runs statements one after another in one transaction, all or none, in one go: the fastest way to write. Gives the rows
   * of those that give rows, in their order.
   */
  writeAll(statements: readonly Statement[]): Promise<unknown[][]>;
  /** Does the work of many callers in few commits, as it is fastest in this database. */
  groupCommit<Item, Result>(options: CommitterOptions<Item, Result>): Committer<Item, Result>;
  /**
   * What and where it is, for whoever looks after it.
   *
   * @throws {DatabaseError} where it does not keep what it says is written.
   */
  describe(): Promise<string>;
  /** A short text that is the same for everyone who has this very database open, and differs for a copy of it. */
  fingerprint(): Promise<string>;
  /**
   * Looks whether the database is where it was, and the same.
   *
   * @throws {DatabaseError} which says why nothing can be written now.
   */
  check(): Promise<void>;
  /** Writes a consistent copy to a new file while others go on reading and writing. */
  backup(file: string): Promise<void>;
  /** Waits for what has begun, and closes. */
  close(): Promise<void>;
}

/**
 * Opens a database, and brings the owner's tables up to date. An SQLite file that is not there is created,
 * readable by its owner alone; a database in PostgreSQL must be there.
 *
 * @throws {DatabaseError} which says what was wrong and what to do.
 * @example
 * const database = await openDatabase<Tables>("sqlite:./data/media.db", { owner: "service", migrations });
 * await database.query.selectFrom("projects").selectAll().execute();
 * await database.close();
 */
export async function openDatabase<Tables>(url: string, options: OpenOptions): Promise<Database<Tables>> {
  const address = parseDatabaseUrl(url);
  // Loaded when it is needed: nobody waits for, or must have, what the other one takes.
  if (address.kind === "postgres") return (await import("./postgres/open.js")).openPostgres(address.url, options);
  return (await import("./sqlite/open.js")).openSqlite(address.file, options);
}
