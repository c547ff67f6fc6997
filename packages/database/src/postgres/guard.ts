import type { Pool } from "pg";
import type { DatabaseWatcher } from "../database.js";
import { DatabaseError, hasCode } from "../errors.js";
import { toFault } from "./faults.js";

const LOOK_EVERY_MS = 5000;
const UNDEFINED_TABLE = "42P01";

/** Notices that a database in PostgreSQL was dropped, or another one put in its place, while it is used. */
export class PostgresGuard {
  readonly #pool: Pool;
  readonly #table: string;
  readonly #watcher: DatabaseWatcher | undefined;
  readonly #first: string;
  #timer: NodeJS.Timeout | undefined;
  #reported: string | undefined;
  /** Why nothing may be written now. */
  fault: DatabaseError | undefined;

  /** @param owner Whose tables they are, which are there. */
  static async open(pool: Pool, owner: string, watcher: DatabaseWatcher | undefined): Promise<PostgresGuard> {
    const table = `${owner}_migrations`;
    const guard = new PostgresGuard({ pool, table, watcher, first: (await identityOf(pool, table)) ?? "" });
    if (watcher) guard.#timer = setInterval(() => void guard.look().catch(() => {}), LOOK_EVERY_MS).unref();
    return guard;
  }

  private constructor({ pool, table, watcher, first }: GuardOptions) {
    this.#pool = pool;
    this.#table = table;
    this.#watcher = watcher;
    this.#first = first;
  }

  /** @throws {DatabaseError} which says why nothing can be written now. */
  async look(): Promise<void> {
    const identity = await identityOf(this.#pool, this.#table);
    const isReplaced = identity !== undefined && identity !== this.#first;
    this.fault = identity === this.#first ? undefined : new DatabaseError("moved", isReplaced ? REPLACED : DROPPED);
    if (this.fault?.message !== this.#reported) {
      this.#reported = this.fault?.message;
      this.#watcher?.changed(this.fault);
      if (this.fault && isReplaced) this.#watcher?.restart(this.fault);
    }
    if (this.fault) throw this.fault;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

interface GuardOptions {
  readonly pool: Pool;
  readonly table: string;
  readonly watcher: DatabaseWatcher | undefined;
  readonly first: string;
}

const DROPPED =
  "The database in PostgreSQL no longer holds the program's tables: it was dropped or emptied while it was in use. Restore a dump with pg_restore; until then nothing is written. To begin anew, restart the program.";
const REPLACED =
  "Another database was put in the place of the one in PostgreSQL while it was in use. The program must be started again to use it.";

/**
 * What the database, and any other in its place, differ by: their numbers in the server, and when the first tables were
 * made. Undefined if the tables are gone.
 */
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
