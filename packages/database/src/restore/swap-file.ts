import { chmod, link, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import { DatabaseError, hasCode } from "../errors.js";
import { isDamage } from "../sqlite/faults.js";
import { exists, freeName, type LockedFile, lockAlone, SIDE_FILES, syncFile } from "../sqlite/files.js";

/**
 * Puts a new database file in the place of another, and keeps the other under a dated name. Killed at any moment, it
 * leaves one of the two in place, whole; only of a damaged one may the log be moved aside already.
 *
 * @returns the files that hold what was there.
 * @throws {DatabaseError} if the other one is in use.
 */
export async function swapFile(candidate: string, target: string, now: number): Promise<string[]> {
  const locked = (await exists(target)) ? lockOrRefuse(target) : undefined;
  try {
    const isWhole = locked?.isReadable === true && bringInLog(locked.database);
    const aside = await freeName(datedName(target, now));
    const kept: string[] = [];
    if (locked) {
      // A second name: a rename would leave a moment without a database, in which a service would make a new one.
      await link(target, aside);
      await chmod(aside, 0o600);
      kept.push(aside);
    }
    // A log that is left behind would be taken for the new database's.
    for (const suffix of SIDE_FILES) {
      if (!(await exists(target + suffix))) continue;
      if (isWhole) await rm(target + suffix);
      else {
        await rename(target + suffix, aside + suffix);
        await chmod(aside + suffix, 0o600);
        kept.push(aside + suffix);
      }
    }
    await syncFile(dirname(target));
    await put(candidate, target, locked);
    await syncFile(dirname(target));
    return kept;
  } finally {
    locked?.database.close();
  }
}

function lockOrRefuse(target: string): LockedFile {
  const locked = lockAlone(target);
  if (locked) return locked;
  throw new DatabaseError(
    "restore",
    `${target} is in use. Nothing was changed. Stop what uses it, then run the same command again.`,
  );
}

/**
 * Writes what stands in the log of an intact database into its file, so that the file alone is the whole database.
 *
 * @returns false, with nothing changed, if the database is damaged.
 */
function bringInLog(database: Database): boolean {
  try {
    if (database.pragma("quick_check(1)", { simple: true }) !== "ok") return false;
    database.pragma("journal_mode = delete");
    database.exec("begin exclusive");
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

const datedName = (target: string, now: number): string =>
  `${target}.before-restore-${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;

async function put(candidate: string, target: string, replaced: LockedFile | undefined): Promise<void> {
  if (replaced) return rename(candidate, target);
  try {
    // Unlike a rename, this replaces nothing that was created meanwhile.
    await link(candidate, target);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    throw new DatabaseError(
      "restore",
      `${target} was created while the backup was read. Stop what created it, then run the same command again.`,
    );
  }
}
