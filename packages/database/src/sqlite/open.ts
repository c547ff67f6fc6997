import { randomUUID } from "node:crypto";
import { Kysely } from "kysely";
import type { Database, DatabaseWatcher, Glimpse, OpenOptions } from "../database.js";
import { DatabaseError } from "../errors.js";
import { GroupCommit } from "../group-commit.js";
import { migrate, readTableState } from "../migrate.js";
import { backUpSqlite } from "./backup.js";
import { CheckedRunner, Soundness } from "./checked-runner.js";
import { type SqliteRunners, sqliteDialect, WriterTurns } from "./dialect.js";
import { openFault } from "./faults.js";
import { fingerprintOf, identityOf, isSameFile, needFile, preparePrivateFile } from "./files.js";
import { refuseForeignLog } from "./foreign-log.js";
import { Guard } from "./guard.js";
import { type HeldFile, headerOf, holdFile } from "./held-file.js";
import { type Runner, Session, toBatch } from "./session.js";
import { Writer } from "./writer.js";

/** Opens an SQLite file, or a database in memory, with its owner's tables up to date. */
export async function openSqlite<Tables>(
  file: string | undefined,
  { owner, migrations, mustExist = false, watcher }: OpenOptions,
): Promise<Database<Tables>> {
  const { runners, fingerprint, guard } = await connect(file, mustExist, watcher);
  const query = new Kysely<Tables>({ dialect: sqliteDialect(runners) });
  try {
    await guard?.start();
    await migrate(query, owner, migrations.sqlite);
  } catch (error) {
    await query.destroy();
    // Kysely does not close a driver that it never used.
    await runners.close();
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
    // There is one writer, and a commit costs the same for one item and for many.
    groupCommit: (options) => new GroupCommit(options),
    describe: async () => file ?? "a database in memory",
    fingerprint: async () => fingerprint,
    check: async () => guard?.look(),
    backup: (to) => backUpSqlite(query, to),
    close() {
      isClosed = true;
      return query.destroy();
    },
  };
}

interface SqliteConnections {
  readonly runners: SqliteRunners;
  readonly fingerprint: string;
  /** Undefined in memory. */
  readonly guard?: Guard;
}

/** A file with its two connections. */
interface OpenFile {
  readonly held: HeldFile;
  readonly reader: Session;
  readonly writer: Writer;
}

// A restore swaps the file once; several swaps in a row are a fault.
const MAX_SWAPS = 5;

async function connect(
  file: string | undefined,
  mustExist: boolean,
  watcher: DatabaseWatcher | undefined,
): Promise<SqliteConnections> {
  if (file === undefined) {
    if (mustExist) throw new DatabaseError("missing", "A database in memory is gone when its program ends.");
    const session = new CheckedRunner(new Session(file, "write"), new Soundness("in memory"));
    const close = async (): Promise<void> => session.close();
    return {
      runners: { reader: session, writer: session, turns: new WriterTurns(), close },
      fingerprint: randomUUID(),
    };
  }
  try {
    for (let swaps = 0; swaps < MAX_SWAPS; swaps++) {
      const before = await preparePrivateFile(file, mustExist);
      const held = holdFile(file);
      const isNew = headerOf(held) === undefined;
      const opened = await openBoth(held).catch((error: unknown) => ({ error }));
      // After a restore, the opened file is the one that was moved aside: it would be written with the new file's log.
      const isMoved = !isSameFile(before, await identityOf(file));
      if (!("error" in opened) && !isMoved) {
        const guard = new Guard({ held, writer: opened.writer, isNew, watcher });
        return { runners: guardedRunners({ ...opened, held }, guard), fingerprint: fingerprintOf(before), guard };
      }
      if (!("error" in opened)) {
        opened.reader.close();
        await opened.writer.close();
      }
      held.release();
      if ("error" in opened && !isMoved) throw opened.error;
    }
    throw new Error("the file was replaced again and again");
  } catch (error) {
    throw openFault(file, error);
  }
}

/** Runs statements on both connections as long as the file is in its place and sound. */
function guardedRunners({ reader, writer, held }: OpenFile, guard: Guard): SqliteRunners {
  const closeAll = async (): Promise<void> => {
    // The last connection to close removes the file under the log's name, unless it is the reader: if the database file
    // is gone, that log belongs to another database.
    if (await guard.close()) reader.close();
    await writer.close();
    reader.close();
    held.release();
  };
  let closed: Promise<void> | undefined;
  const soundness = new Soundness(held.file);
  return {
    reader: new CheckedRunner(guardReader(reader, guard), soundness),
    writer: new CheckedRunner(writer, soundness),
    turns: new WriterTurns(),
    close() {
      closed ??= closeAll();
      return closed;
    },
  };
}

function guardReader(reader: Session, guard: Guard): Runner {
  return {
    run(statement) {
      guard.needContent();
      return reader.run(statement);
    },
    begin: (first) => reader.begin(first),
    runAll: (batch) => reader.runAll(batch),
    close: () => reader.close(),
  };
}

async function openBoth(held: HeldFile): Promise<Pick<OpenFile, "reader" | "writer">> {
  if (!held.isShared) await refuseForeignLog(held);
  const writer = await Writer.open(held);
  try {
    return { reader: new Session(held.file, "read"), writer };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** Opens an SQLite file as it is. */
export async function lookAtSqlite<Tables>(
  file: string | undefined,
  { owner, migrations, isOpenInProcess = false }: OpenOptions,
): Promise<Glimpse<Tables>> {
  if (file === undefined) throw new DatabaseError("missing", "A database in memory is gone when its program ends.");
  let query: Kysely<Tables> | undefined;
  let held: HeldFile | undefined;
  try {
    await needFile(file);
    // Closing a second descriptor would drop the locks of the process; the thread that has the file open holds it.
    if (!isOpenInProcess) held = holdFile(file);
    if (held && !held.isShared) await refuseForeignLog(held);
    const session = new CheckedRunner(new Session(file, "look"), new Soundness(file));
    const release = held?.release;
    const close = async (): Promise<void> => {
      session.close();
      release?.();
    };
    const runners = { reader: session, writer: session, turns: new WriterTurns(), close };
    query = new Kysely<Tables>({ dialect: sqliteDialect(runners) });
    const tables = await readTableState({ kind: "sqlite", query }, owner, migrations.sqlite);
    const fingerprint = fingerprintOf(await identityOf(file));
    const opened = query;
    return {
      kind: "sqlite",
      file,
      query: opened,
      tables,
      describe: async () => file,
      fingerprint: async () => fingerprint,
      close: () => opened.destroy(),
    };
  } catch (error) {
    await query?.destroy();
    held?.release();
    throw openFault(file, error);
  }
}
