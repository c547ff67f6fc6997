import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Kysely } from "kysely";
import { backUpSqlite } from "./backup.js";
import { DatabaseError, messageOf } from "./errors.js";
import { migrate, type OpenOptions } from "./migrate.js";
import { toBatch } from "./sqlite/batch.js";
import { type SqliteRunners, sqliteDialect } from "./sqlite/dialect.js";
import { Session, type Statement } from "./sqlite/session.js";
import { Turns } from "./sqlite/turns.js";
import { Writer } from "./sqlite/writer.js";
import { parseDatabaseUrl } from "./url.js";

/** A database that is open, its tables up to date. */
export interface Database<Tables> {
  readonly kind: "sqlite";
  /** The file; undefined in memory. */
  readonly file: string | undefined;
  /** Where it is asked. What only reads, outside of a transaction, does not wait for what writes. */
  readonly query: Kysely<Tables>;
  /**
   * Runs statements one after another in one transaction, all or none, in one go: the fastest way to write. Gives the rows
   * of those that give rows, in their order.
   */
  writeAll(statements: readonly Statement[]): Promise<unknown[][]>;
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
  const runners = await connect(file);
  const query = new Kysely<Tables>({ dialect: sqliteDialect(runners) });
  try {
    await migrate(query, options);
  } catch (error) {
    await query.destroy();
    throw error;
  }
  let isClosed = false;
  return {
    kind: "sqlite",
    file,
    query,
    async writeAll(statements) {
      if (isClosed) throw new DatabaseError("closed", "The database is closed.");
      await runners.turns.pass();
      return runners.writer.runAll(toBatch(statements));
    },
    backup: (to) => backUpSqlite(query, to),
    close() {
      isClosed = true;
      return query.destroy();
    },
  };
}

async function connect(file: string | undefined): Promise<SqliteRunners> {
  const turns = new Turns();
  if (file === undefined) {
    const session = new Session(file, "write");
    return { reader: session, writer: session, turns };
  }
  try {
    // What stands in it is nobody else's to read.
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const writer = await Writer.open(file);
    return { reader: new Session(file, "read"), writer, turns };
  } catch (error) {
    const message = `The database ${file} could not be opened: ${messageOf(error)}. Is it an SQLite file, and may it be read and written?`;
    throw new DatabaseError("open", message, { cause: error });
  }
}
