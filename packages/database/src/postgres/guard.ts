import type { Pool } from "pg";
import type { DatabaseWatcher } from "../database.js";
import { DatabaseError, hasCode } from "../errors.js";
import { toFault } from "./faults.js";

const LOOK_EVERY_MS = 5000;
const UNDEFINED_TABLE = "42P01";

const DROPPED =
  "The database in PostgreSQL no longer holds the program's tables: it was dropped or emptied while it was in use. Restore a dump with pg_restore; until then nothing is written. To begin anew, restart the program.";
const REPLACED =
  "Another database was put in the place of the one in PostgreSQL while it was in use. The program must be started again to use it.";

/** Detects that the database that now holds an owner's tables is dropped or replaced; `fault` says why writes are refused. */
export async function guardPostgres(pool: Pool, owner: string, watcher: DatabaseWatcher | undefined) {
  const table = `${owner}_migrations`;
  const first = await identityOf(pool, table);
  let fault: DatabaseError | undefined;
  const look = async (): Promise<void> => {
    const identity = await identityOf(pool, table);
    const isReplaced = identity !== undefined && identity !== first;
    const before = fault;
    fault =
      isReplaced || identity === undefined ? new DatabaseError("moved", isReplaced ? REPLACED : DROPPED) : undefined;
    if (fault?.message !== before?.message) {
      watcher?.changed(fault);
      if (fault && isReplaced) watcher?.restart(fault);
    }
    if (fault) throw fault;
  };
  const timer = watcher && setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS).unref();
  return {
    get fault() {
      return fault;
    },
    look,
    close: () => clearInterval(timer),
  };
}

/** Distinguishes the database from any other in its place. Undefined if the owner's tables are gone. */
async function identityOf(pool: Pool, table: string): Promise<string | undefined> {
  try {
    const { rows } = await pool.query<{ identity: string }>(
      `select concat_ws(' ', d.oid, to_regclass($1)::oid, (select min(timestamp) from "${table}")) as identity
        from pg_database d where datname = current_database()`,
      [table],
    );
    return rows[0]?.identity;
  } catch (error) {
    if (hasCode(error, UNDEFINED_TABLE)) return undefined;
    throw toFault(error);
  }
}
