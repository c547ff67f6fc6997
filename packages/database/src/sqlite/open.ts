import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Kysely } from "kysely";
import { backUpSqlite } from "../backup.js";
import { DatabaseError, messageOf } from "../errors.js";
import { GroupCommit } from "../group-commit.js";
import { migrate, type OpenOptions } from "../migrate.js";
import type { Database } from "../open.js";
import { toBatch } from "./batch.js";
import { type SqliteRunners, sqliteDialect } from "./dialect.js";
import { Session } from "./session.js";
import { Turns } from "./turns.js";
import { Writer } from "./writer.js";

/** Opens an SQLite file, or a database in memory, its owner's tables up to date. */
export async function openSqlite<Tables>(
  file: string | undefined,
  { owner, migrations }: OpenOptions,
): Promise<Database<Tables>> {
  const runners = await connect(file);
  const query = new Kysely<Tables>({ dialect: sqliteDialect(runners) });
  try {
    await migrate(query, owner, migrations.sqlite);
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
    // There is one writer, and a commit costs the same for one and for many.
    groupCommit: (commit) => new GroupCommit(commit),
    describe: async () => file ?? "a database in memory",
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
