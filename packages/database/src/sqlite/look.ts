import { Kysely } from "kysely";
import { DatabaseError } from "../errors.js";
import type { Glimpse } from "../look.js";
import type { OpenOptions } from "../migrate.js";
import { readTableState } from "../table-state.js";
import { CheckedRunner, Soundness } from "./checked-runner.js";
import { sqliteDialect } from "./dialect.js";
import { openFault } from "./faults.js";
import { fingerprintOf, identityOf, needFile } from "./files.js";
import { refuseForeignLog } from "./foreign-log.js";
import { holdFile } from "./held-file.js";
import { Session } from "./session.js";
import { Turns } from "./turns.js";

/** Opens an SQLite file as it is. */
export async function lookAtSqlite<Tables>(
  file: string | undefined,
  { owner, migrations, isOpenInProcess = false }: OpenOptions,
): Promise<Glimpse<Tables>> {
  if (file === undefined) throw new DatabaseError("missing", "A database in memory is gone when its program ends.");
  let query: Kysely<Tables> | undefined;
  let held: ReturnType<typeof holdFile> | undefined;
  try {
    await needFile(file);
    // Closing a second descriptor would drop the locks of the process: whoever has it open in another thread holds it.
    if (!isOpenInProcess) held = holdFile(file);
    if (held && !held.isShared) await refuseForeignLog(held);
    const session = new CheckedRunner(new Session(file, "look"), new Soundness(file));
    const release = held?.release;
    const close = async (): Promise<void> => {
      session.close();
      release?.();
    };
    const runners = { reader: session, writer: session, turns: new Turns(), close };
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
