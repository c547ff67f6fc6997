import { randomUUID } from "node:crypto";
import { Kysely } from "kysely";
import { backUpSqlite } from "../backup.js";
import { DatabaseError } from "../errors.js";
import { GroupCommit } from "../group-commit.js";
import { migrate, type OpenOptions } from "../migrate.js";
import type { Database } from "../open.js";
import { toBatch } from "./batch.js";
import { CheckedRunner, Soundness } from "./checked-runner.js";
import { type SqliteRunners, sqliteDialect } from "./dialect.js";
import { openFault } from "./faults.js";
import { fingerprintOf, identityOf, isSameFile, preparePrivateFile } from "./files.js";
import { Session } from "./session.js";
import { Turns } from "./turns.js";
import { Writer } from "./writer.js";

/** Opens an SQLite file, or a database in memory, its owner's tables up to date. */
export async function openSqlite<Tables>(
  file: string | undefined,
  { owner, migrations, mustExist = false }: OpenOptions,
): Promise<Database<Tables>> {
  const { runners, fingerprint } = await connect(file, mustExist);
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
    fingerprint: async () => fingerprint,
    backup: (to) => backUpSqlite(query, to),
    close() {
      isClosed = true;
      return query.destroy();
    },
  };
}

interface Connected {
  readonly runners: SqliteRunners;
  readonly fingerprint: string;
}

// A restore swaps the file once; to meet several in a row is a fault.
const MAX_SWAPS = 5;

async function connect(file: string | undefined, mustExist: boolean): Promise<Connected> {
  const turns = new Turns();
  if (file === undefined) {
    if (mustExist) throw new DatabaseError("missing", "A database in memory is gone when its program ends.");
    const session = new CheckedRunner(new Session(file, "write"), new Soundness("in memory"));
    return { runners: { reader: session, writer: session, turns }, fingerprint: randomUUID() };
  }
  try {
    for (let swaps = 0; swaps < MAX_SWAPS; swaps++) {
      const before = await preparePrivateFile(file, mustExist);
      const opened = await openBoth(file).catch((error: unknown) => ({ error }));
      // Whoever waited for a restore has the file that was moved aside: it would be written with the new one's log.
      const isMoved = !isSameFile(before, await identityOf(file));
      if (!("error" in opened)) {
        if (!isMoved) return { runners: { ...checked(opened, file), turns }, fingerprint: fingerprintOf(before) };
        opened.reader.close();
        await opened.writer.close();
      } else if (!isMoved) throw opened.error;
    }
    throw new Error("the file was replaced again and again");
  } catch (error) {
    throw openFault(file, error);
  }
}

async function openBoth(file: string): Promise<{ reader: Session; writer: Writer }> {
  const writer = await Writer.open(file);
  try {
    return { reader: new Session(file, "read"), writer };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function checked({ reader, writer }: Omit<SqliteRunners, "turns">, file: string): Omit<SqliteRunners, "turns"> {
  const soundness = new Soundness(file);
  return { reader: new CheckedRunner(reader, soundness), writer: new CheckedRunner(writer, soundness) };
}
