import { DatabaseError } from "../errors.js";
import { parseDatabaseUrl } from "../url.js";
import type { RestoreOptions } from "./restore.js";

/** The result of a restore. */
export interface Restored {
  readonly file: string;
  readonly backup: string;
  /** The files that hold the replaced database. */
  readonly kept: readonly string[];
}

/**
 * Replaces the database of a URL by a backup. A PostgreSQL database is restored with its own tools.
 *
 * @throws {DatabaseError} which explains the problem and the next step.
 */
export async function restoreDatabase<Tables>(url: string, options: RestoreOptions<Tables>): Promise<Restored> {
  const address = parseDatabaseUrl(url);
  const { owner, backup } = options;
  if (address.kind === "postgres") {
    throw new DatabaseError(
      "restore",
      `The ${owner} uses PostgreSQL, which is restored with its own tools: stop every process of the ${owner}, restore a dump into a new, empty database with pg_restore (or a base backup with its WAL), set the database URL to it, and start again. Nothing was changed.`,
    );
  }
  if (address.file === undefined) {
    throw new DatabaseError("restore", "A database in memory cannot be restored: it is gone when its program ends.");
  }
  // Programs that use only PostgreSQL do not install SQLite.
  const { restoreSqlite } = await import("./restore.js");
  const kept = await restoreSqlite(address.file, options);
  return { file: address.file, backup, kept };
}

/** Describes a restore for operators. */
export function describeRestored({ file, backup, kept }: Restored): string {
  const done = `${file} now holds what ${backup} holds. It was checked before and after.`;
  if (kept.length === 0) return done;
  return `${done}\nWhat was there before is kept in:\n${kept.map((one) => `  ${one}`).join("\n")}`;
}
