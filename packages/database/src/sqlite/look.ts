import { Kysely } from "kysely";
import { DatabaseError } from "../errors.js";
import type { Glimpse } from "../look.js";
import type { OpenOptions } from "../migrate.js";
import { readTableState } from "../table-state.js";
import { sqliteDialect } from "./dialect.js";
import { openFault } from "./faults.js";
import { fingerprintOf, identityOf, needFile } from "./files.js";
import { Session } from "./session.js";
import { Turns } from "./turns.js";

/** Opens an SQLite file as it is. */
export async function lookAtSqlite<Tables>(
  file: string | undefined,
  { owner, migrations }: OpenOptions,
): Promise<Glimpse<Tables>> {
  if (file === undefined) throw new DatabaseError("missing", "A database in memory is gone when its program ends.");
  let query: Kysely<Tables> | undefined;
  try {
    await needFile(file);
    const session = new Session(file, "look");
    query = new Kysely<Tables>({ dialect: sqliteDialect({ reader: session, writer: session, turns: new Turns() }) });
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
    throw openFault(file, error);
  }
}
