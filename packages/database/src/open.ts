import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Kysely } from "kysely";
import { backUpSqlite } from "./backup.js";
import { DatabaseError, messageOf } from "./errors.js";
import { migrate, type OpenOptions } from "./migrate.js";
import { sqliteDialect } from "./sqlite/dialect.js";
import { Session } from "./sqlite/session.js";
import { Writer } from "./sqlite/writer.js";
import { parseDatabaseUrl } from "./url.js";

/** A database that is open, its tables up to date. */
export interface Database<Tables> {
  readonly kind: "sqlite";
  /** The file; undefined in memory. */
  readonly file: string | undefined;
  /** Where it is asked. What only reads, outside of a transaction, does not wait for what writes. */
  readonly query: Kysely<Tables>;
  /** Writes a consistent copy to a new file while others go on reading and writing. */
  backup(file: string): Promise<void>;
  /** Waits for what has begun, and closes. */
  close(): Promise<void>;
}

/**
 * Opens a database, creates it where there is none, and brings the owner's tables up to date.
 *
 * @throws {DatabaseError} which says what was wrong and what to do.
 * @example
 * const database = await openDatabase<Tables>("sqlite:./data/media.db", { owner: "service", migrations });
 * await database.query.selectFrom("projects").selectAll().execute();
 * await database.close();
 */
export async function openDatabase<Tables>(url: string, options: OpenOptions): Promise<Database<Tables>> {
  const address = parseDatabaseUrl(url);
  if (address.kind === "postgres") {
    throw new DatabaseError("open", "PostgreSQL is not supported yet. Use an SQLite file: sqlite:./data/media.db.");
  }
  const { file } = address;
  const query = new Kysely<Tables>({ dialect: await connect(file) });
  try {
    await migrate(query, options);
  } catch (error) {
    await query.destroy();
    throw error;
  }
  return {
    kind: "sqlite",
    file,
    query,
    backup: (to) => backUpSqlite(query, to),
    close: () => query.destroy(),
  };
}

async function connect(file: string | undefined): Promise<ReturnType<typeof sqliteDialect>> {
  if (file === undefined) {
    const session = new Session(file, "write");
    return sqliteDialect(session, session);
  }
  try {
    // What stands in it is nobody else's to read.
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const writer = await Writer.open(file);
    return sqliteDialect(new Session(file, "read"), writer);
  } catch (error) {
    const message = `The database ${file} could not be opened: ${messageOf(error)}. Is it an SQLite file, and may it be read and written?`;
    throw new DatabaseError("open", message, { cause: error });
  }
}
