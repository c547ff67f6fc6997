import { realpath, stat } from "node:fs/promises";
import { sql } from "kysely";
import type { Database, OpenOptions } from "../database.js";
import { DatabaseError, messageOf } from "../errors.js";
import { openDatabase } from "../open.js";
import { parseDatabaseUrl } from "../url.js";
import { type CopyOptions, type CopyResult, copyDatabase } from "./copy-database.js";

/** Options of {@link migrateStore}. */
export interface MigrateStoreOptions<Tables>
  extends OpenOptions,
    Pick<CopyOptions<Tables>, "tables" | "prepare" | "onStep"> {
  /** The URL of an SQLite file that no process has open. */
  readonly from: string;
  /** The URL of a database in PostgreSQL: new and empty, or begun by the same copy. */
  readonly to: string;
}

/** The result of a copy, with names for source and target that hold no secret. */
export interface MigratedStore extends CopyResult {
  readonly file: string;
  readonly target: string;
}

/**
 * Copies a program's store from an SQLite file to PostgreSQL, and compares the two. After an interruption, the next
 * call resumes the copy. Apart from pending migrations, the file is unchanged.
 *
 * @throws {DatabaseError} which explains why the store is not copied, and the next step.
 */
export async function migrateStore<Tables>(options: MigrateStoreOptions<Tables>): Promise<MigratedStore> {
  const file = await findFile(options.from);
  const target = describeTarget(options.to);
  // Imported lazily: it loads SQLite, which a program that uses only PostgreSQL does not install.
  const { isInUse } = await import("../sqlite/files.js");
  if (isInUse(file)) {
    throw new DatabaseError(
      "copy",
      `${file} is in use. Stop the program that uses it first: what it writes during the copy would be lost.`,
    );
  }
  try {
    return { ...(await copyStore(file, options)), file, target };
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== "unavailable") throw error;
    const message = `${error.message} The copied rows stay: run the same command again to go on.`;
    throw new DatabaseError("unavailable", message, { cause: error });
  }
}

async function copyStore<Tables>(file: string, options: MigrateStoreOptions<Tables>): Promise<CopyResult> {
  const from = await openDatabase<Tables>(`sqlite:${file}`, options);
  try {
    const to = await openDatabase<Tables>(options.to, options);
    try {
      const source = `${file}, made ${await createdAt(from, options.owner)}`;
      return await copyDatabase({ ...options, from, to, source });
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
    throw new DatabaseError("copy", "The source must be an SQLite file, as in sqlite:./data/media.db.");
  }
  try {
    const file = await realpath(address.file);
    if ((await stat(file)).isFile()) return file;
  } catch (cause) {
    throw new DatabaseError("copy", `There is no store at ${address.file}: ${messageOf(cause)}.`, { cause });
  }
  throw new DatabaseError("copy", `There is no store at ${address.file}: it is not a file.`);
}

/** The server and database name of a URL, without its secrets. */
function describeTarget(url: string): string {
  const address = parseDatabaseUrl(url);
  if (address.kind !== "postgres") {
    throw new DatabaseError("copy", "The target must be PostgreSQL, as in postgres://user@host:5432/name.");
  }
  // Opening the database reports an invalid URL.
  if (!URL.canParse(address.url)) return "PostgreSQL";
  const { host, pathname } = new URL(address.url);
  return `${pathname.slice(1) || "the user's database"} at ${host || "this machine"}`;
}

/** When a store was created, to distinguish two files that had the same name. */
async function createdAt<Tables>({ query }: Database<Tables>, owner: string): Promise<string> {
  const table = sql.id(`${owner}_migrations`);
  const { rows } = await sql<{ timestamp: string }>`select timestamp from ${table} order by name limit 1`.execute(
    query,
  );
  return rows[0]?.timestamp ?? "never";
}
