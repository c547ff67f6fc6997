import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { CompiledQuery, Kysely, type QueryExecutorProvider, sql } from "kysely";
import type { Database, DatabaseWatcher, Glimpse, OpenOptions, Statement, Step } from "../database.js";
import { DatabaseError } from "../errors.js";
import { GroupCommit } from "../group-commit.js";
import { migrate, readTableState } from "../migrate.js";
import { Soundness, SqliteDriver } from "./driver.js";
import { openFault } from "./faults.js";
import {
  fingerprintOf,
  type HeldFile,
  holdFile,
  idInFile,
  isAt,
  needFile,
  preparePrivateFile,
  refuseForeignLog,
  writeCopy,
} from "./files.js";
import { Guard } from "./guard.js";
import { Session } from "./session.js";
import { Writer } from "./writer.js";

/** Opens an SQLite file, or a database in memory, with its owner's tables up to date. */
export async function openSqlite<Tables>(
  file: string | undefined,
  { owner, migrations, mustExist = false, watcher }: OpenOptions,
): Promise<Database<Tables>> {
  if (file === undefined && mustExist) throw inMemory();
  const { driver, fingerprint, guard } =
    file === undefined ? connectInMemory() : await connect(file, mustExist, watcher);
  const query = new Kysely<Tables>({ dialect: driver.dialect });
  try {
    await guard?.start();
    await migrate(query, owner, migrations.sqlite);
  } catch (error) {
    await driver.destroy();
    throw error;
  }
  return {
    kind: "sqlite",
    isDistributed: false,
    file,
    query,
    writeAll: driver.writeAll,
    writeSteps: (steps) => query.transaction().execute((transaction) => runSteps(transaction, steps)),
    // There is one writer, and a commit costs the same for one item and for many.
    groupCommit: ({ together, ...options }) =>
      new GroupCommit({ ...options, ...(together !== undefined && { atOnce: together }) }),
    describe: async () => file ?? "a database in memory",
    fingerprint: async () => fingerprint,
    check: async () => guard?.look(),
    // A single read transaction provides a consistent snapshot; writers continue.
    backup: (copy) => writeCopy(copy, (to) => sql`vacuum into ${to}`.execute(query)),
    // Kysely's destroy would leave an unused driver open.
    close: () => driver.destroy(),
  };
}

async function runSteps(query: QueryExecutorProvider, steps: readonly Step[]): Promise<unknown[][]> {
  const run = ({ sql: text, parameters }: Statement) =>
    query.getExecutor().executeQuery<unknown>(CompiledQuery.raw(text, [...parameters]));
  const written: unknown[][] = [];
  for (const step of steps) {
    if ("ask" in step) {
      const asked: unknown[][] = [];
      for (const question of step.ask) asked.push((await run(question)).rows);
      written.push(...(await runSteps(query, step.next(asked))));
    } else {
      const { rows, numAffectedRows } = await run(step);
      if (numAffectedRows === undefined) written.push(rows);
    }
  }
  return written;
}

const inMemory = (): DatabaseError =>
  new DatabaseError("missing", "A database in memory is gone when its program ends.");

interface ConnectedDatabase {
  readonly driver: SqliteDriver;
  readonly fingerprint: string;
  readonly guard?: Guard;
}

function connectInMemory(): ConnectedDatabase {
  const session = new Session(undefined, "write");
  const close = async (): Promise<void> => session.close();
  const driver = new SqliteDriver({ reader: session, writer: session, soundness: new Soundness("in memory"), close });
  return { driver, fingerprint: randomUUID() };
}

// A restore swaps the file once; several swaps in a row are a fault.
const MAX_SWAPS = 5;

async function connect(
  file: string,
  mustExist: boolean,
  watcher: DatabaseWatcher | undefined,
): Promise<ConnectedDatabase> {
  try {
    for (let swaps = 0; swaps < MAX_SWAPS; swaps++) {
      await preparePrivateFile(file, mustExist);
      const held = holdFile(file);
      const isNew = idInFile(held) === undefined;
      const opened = await openBoth(held).catch((error: unknown) => ({ error }));
      // After a restore, the opened file is the one that was moved aside: it would be written with the new file's log.
      const isMoved = !isAt(file, held);
      if (!("error" in opened) && !isMoved) return guarded(held, opened, isNew, watcher);
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

function guarded(
  held: HeldFile,
  { reader, writer }: Awaited<ReturnType<typeof openBoth>>,
  isNew: boolean,
  watcher: DatabaseWatcher | undefined,
): ConnectedDatabase {
  const soundness = new Soundness(held.file);
  const guard = new Guard({ held, writer, soundness, isNew, watcher });
  const close = async (): Promise<void> => {
    // The last connection to close removes the file under the log's name, unless it is the reader: if the database file
    // is gone, that log belongs to another database.
    if (await guard.close()) reader.close();
    await writer.close();
    reader.close();
    held.release();
  };
  return { driver: new SqliteDriver({ reader, writer, soundness, close }), fingerprint: fingerprintOf(held), guard };
}

async function openBoth(held: HeldFile): Promise<{ reader: Session; writer: Writer }> {
  if (!held.isShared) refuseForeignLog(held);
  const writer = await Writer.open(held);
  try {
    return { reader: new Session(held.file, "read"), writer };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** Opens an SQLite file without changes. */
export async function lookAtSqlite<Tables>(
  file: string | undefined,
  { owner, migrations, isOpenInProcess = false }: OpenOptions,
): Promise<Glimpse<Tables>> {
  if (file === undefined) throw inMemory();
  let held: HeldFile | undefined;
  let session: Session | undefined;
  const close = async (): Promise<void> => {
    session?.close();
    held?.release();
  };
  try {
    needFile(file);
    // Closing a second descriptor would drop the locks of the process; the thread that has the file open holds it.
    if (!isOpenInProcess) held = holdFile(file);
    if (held && !held.isShared) refuseForeignLog(held);
    session = new Session(file, "look");
    const driver = new SqliteDriver({ reader: session, writer: session, soundness: new Soundness(file), close });
    const query = new Kysely<Tables>({ dialect: driver.dialect });
    const tables = await readTableState({ kind: "sqlite", query }, owner, migrations.sqlite);
    const fingerprint = fingerprintOf(statSync(file));
    return {
      kind: "sqlite",
      isDistributed: false,
      file,
      query,
      tables,
      describe: async () => file,
      fingerprint: async () => fingerprint,
      close: () => driver.destroy(),
    };
  } catch (error) {
    await close();
    throw openFault(file, error);
  }
}
