import { randomUUID } from "node:crypto";
import { Kysely } from "kysely";
import { backUpSqlite } from "../backup.js";
import { DatabaseError } from "../errors.js";
import { GroupCommit } from "../group-commit.js";
import { migrate, type OpenOptions } from "../migrate.js";
import type { Database } from "../open.js";
import type { DatabaseWatcher } from "../watcher.js";
import { toBatch } from "./batch.js";
import { CheckedRunner, Soundness } from "./checked-runner.js";
import { type SqliteRunners, sqliteDialect } from "./dialect.js";
import { openFault } from "./faults.js";
import { fingerprintOf, identityOf, isSameFile, preparePrivateFile } from "./files.js";
import { refuseForeignLog } from "./foreign-log.js";
import { Guard } from "./guard.js";
import { type HeldFile, headerOf, holdFile } from "./held-file.js";
import { type Runner, Session } from "./session.js";
import { Turns } from "./turns.js";
import { Writer } from "./writer.js";

/** Opens an SQLite file, or a database in memory, its owner's tables up to date. */
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
    // Kysely does not close what it was never asked to use.
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
    // There is one writer, and a commit costs the same for one and for many.
    groupCommit: (commit) => new GroupCommit(commit),
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

interface Connected {
  readonly runners: SqliteRunners;
  readonly fingerprint: string;
  /** Undefined in memory. */
  readonly guard?: Guard;
}

/** A file with its two connections. */
interface OpenFile {
  readonly held: ReturnType<typeof holdFile>;
  readonly reader: Session;
  readonly writer: Writer;
}

// A restore swaps the file once; to meet several in a row is a fault.
const MAX_SWAPS = 5;

async function connect(
  file: string | undefined,
  mustExist: boolean,
  watcher: DatabaseWatcher | undefined,
): Promise<Connected> {
  if (file === undefined) {
    if (mustExist) throw new DatabaseError("missing", "A database in memory is gone when its program ends.");
    const session = new CheckedRunner(new Session(file, "write"), new Soundness("in memory"));
    const close = async (): Promise<void> => session.close();
    return { runners: { reader: session, writer: session, turns: new Turns(), close }, fingerprint: randomUUID() };
  }
  try {
    for (let swaps = 0; swaps < MAX_SWAPS; swaps++) {
      const before = await preparePrivateFile(file, mustExist);
      const held = holdFile(file);
      const isNew = headerOf(held) === undefined;
      const opened = await openBoth(held).catch((error: unknown) => ({ error }));
      // Whoever waited for a restore has the file that was moved aside: it would be written with the new one's log.
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
    // The last connection to close removes whatever is beside the file under the log's name, but never if it is the
    // reader: when the file is gone, that log is another database's.
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
    turns: new Turns(),
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

async function openBoth(held: HeldFile & { isShared: boolean }): Promise<Pick<OpenFile, "reader" | "writer">> {
  if (!held.isShared) await refuseForeignLog(held);
  const writer = await Writer.open(held);
  try {
    return { reader: new Session(held.file, "read"), writer };
  } catch (error) {
    await writer.close();
    throw error;
  }
}
