import type { Kysely } from "kysely";
import { DatabaseError, messageOf } from "../errors.js";
import { lookAtDatabase } from "../look.js";
import type { OpenOptions } from "../migrate.js";
import { Sqlite } from "../sqlite/load-sqlite.js";

/** What a backup must pass. */
export interface BackupChecks<Tables> extends Pick<OpenOptions, "owner" | "migrations"> {
  /** Checks that the secrets in it can be decrypted; throws if not. */
  checkSecrets(query: Kysely<Tables>): Promise<void>;
}

/**
 * Brings a log that lies beside a copy into it, and reads all of it for damage.
 *
 * @throws {DatabaseError} with what is wrong with the file, called `name`.
 */
export function checkPages(file: string, name: string): void {
  try {
    const database = new Sqlite(file, { fileMustExist: true });
    try {
      database.pragma("journal_mode = delete");
      const fault = database.pragma("integrity_check(1)", { simple: true });
      if (fault !== "ok") throw new Error(String(fault).replaceAll("\n", " "));
    } finally {
      database.close();
    }
  } catch (error) {
    const message = `${name} is not an intact SQLite database: ${messageOf(error)}. Nothing was changed. Choose another backup.`;
    throw new DatabaseError("restore", message, { cause: error });
  }
}

/**
 * Checks that a file holds the owner's tables, from no newer version, and secrets that can be decrypted.
 *
 * @throws {DatabaseError} with what is wrong with the file, called `name`.
 */
export async function checkContent<Tables>(file: string, name: string, checks: BackupChecks<Tables>): Promise<void> {
  const { owner, migrations, checkSecrets } = checks;
  const glimpse = await lookAtDatabase<Tables>(`sqlite:${file}`, { owner, migrations });
  try {
    if (glimpse.tables.kind === "none") {
      throw new DatabaseError("restore", `${name} is not a database of the ${owner}: it holds none of its tables.`);
    }
    if (glimpse.tables.kind === "newer") {
      const { migration } = glimpse.tables;
      throw new DatabaseError(
        "restore",
        `${name} was written by a newer version of the ${owner} (its migration ${migration} is unknown here). Restore it with that version.`,
      );
    }
    await checkSecrets(glimpse.query);
  } finally {
    await glimpse.close();
  }
}
