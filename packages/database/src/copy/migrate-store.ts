import { realpath, stat } from "node:fs/promises";
import { sql } from "kysely";
import type { Database, OpenOptions } from "../database.js";
import { DatabaseError, messageOf } from "../errors.js";
import { openDatabase } from "../open.js";
import { parseDatabaseUrl } from "../url.js";
import { CopyError, type CopyResult, type CopyStep, copyDatabase } from "./copy-database.js";
import type { CopiedTable } from "./tables.js";

/** Options of {@link migrateStore}. */
export interface MigrateStoreOptions<Tables> extends OpenOptions {
  /** The URL of an SQLite file that no process has open. */
  readonly from: string;
  /** The URL of a database in PostgreSQL: new and empty, or begun by the same copy. */
  readonly to: string;
  /** All the owner's tables; one that refers to another stands after it. */
  readonly tables: readonly CopiedTable[];
  /** Prepares the target beyond the migrations, after it was checked. */
  prepare?(target: Database<Tables>): Promise<unknown>;
  /** Called repeatedly with the progress. */
  onStep(step: CopyStep): void;
}

/** The result of a copy, with names for source and target that hold no secret. */
export interface MigratedStore extends CopyResult {
  readonly file: string;
  readonly target: string;
}

/**
 * Copies a program's store from an SQLite file to PostgreSQL, and compares the two. After an interruption, the next call
 * resumes the copy. The file stays as it is, except for pending migrations.
 *
 * @throws {CopyError} which says why the store is not copied, and what to do.
 * @throws {DatabaseError} if one of the two databases cannot be opened or used.
 */
export async function migrateStore<Tables>(options: MigrateStoreOptions<Tables>): Promise<MigratedStore> {
  const file = await findFile(options.from);
  const target = describeTarget(options.to);
  await refuseInUse(file);
  try {
    return { ...(await copyStore(file, options)), file, target };
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== "unavailable") throw error;
    const message = `${error.message} The copied rows stay: run the same command again to go on.`;
    throw new DatabaseError("unavailable", message, { cause: error });
  }
}

async function copyStore<Tables>(file: string, options: MigrateStoreOptions<Tables>): Promise<CopyResult> {
  const { owner, tables, prepare, onStep } = options;
  const from = await openDatabase<Tables>(`sqlite:${file}`, options);
  try {
    const to = await openDatabase<Tables>(options.to, options);
    try {
      const source = `${file}, made ${await createdAt(from, owner)}`;
      return await copyDatabase({ from, to, owner, source, tables, prepare: async () => prepare?.(to), onStep });
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** The file of a URL. It must exist: opening it would create it. */
async function findFile(url: string): Promise<string> {
  const address = parseDatabaseUrl(url);
  if (address.kind !== "sqlite" || address.file === undefined) {
    throw new CopyError("source", "The source must be an SQLite file, as in sqlite:./data/media.db.");
  }
  try {
    const file = await realpath(address.file);
    if ((await stat(file)).isFile()) return file;
  } catch (cause) {
    throw new CopyError("source", `There is no store at ${address.file}: ${messageOf(cause)}.`, { cause });
  }
  throw new CopyError("source", `There is no store at ${address.file}: it is not a file.`);
}

/** @throws {CopyError} if any process has the file open, even if it is idle. */
async function refuseInUse(file: string): Promise<void> {
  // Loads SQLite, which a program on PostgreSQL alone need not have.
  const { isInUse } = await import("../sqlite/files.js");
  if (!isInUse(file)) return;
  const message = `${file} is in use. Stop the program that uses it first: what it writes during the copy would be lost.`;
  throw new CopyError("in-use", message);
}

/** Server and name of the database of a URL. */
function describeTarget(url: string): string {
  const address = parseDatabaseUrl(url);
  if (address.kind !== "postgres") {
    throw new CopyError("target", "The target must be PostgreSQL, as in postgres://user@host:5432/name.");
  }
  // A URL that cannot be read is refused when it is opened.
  if (!URL.canParse(address.url)) return "PostgreSQL";
  const { host, pathname } = new URL(address.url);
  return `${pathname.slice(1) || "the user's database"} at ${host || "this machine"}`;
}

/** When a store was created: two files with the same name, one after the other, are different stores. */
async function createdAt<Tables>({ query }: Database<Tables>, owner: string): Promise<string> {
  const first = sql<{
    timestamp: string;
  }>`select timestamp from ${sql.id(`${owner}_migrations`)} order by name limit 1`;
  return (await first.execute(query)).rows[0]?.timestamp ?? "never";
}
