import { realpath, stat } from "node:fs/promises";
import { sql } from "kysely";
import { DatabaseError, messageOf } from "../errors.js";
import type { OpenOptions } from "../migrate.js";
import { type Database, openDatabase } from "../open.js";
import { parseDatabaseUrl } from "../url.js";
import type { CopiedTable } from "./copied-table.js";
import { type CopyResult, type CopyStep, copyDatabase } from "./copy-database.js";
import { CopyError } from "./copy-error.js";

/** Options of {@link migrateStore}. */
export interface MigrateStoreOptions<Tables> extends OpenOptions {
  /** The URL of an SQLite file that nobody has open. */
  readonly from: string;
  /** The URL of a database in PostgreSQL, new and empty, or begun by the same copy. */
  readonly to: string;
  /** All the owner's tables, each behind those that it refers to. */
  readonly tables: readonly CopiedTable[];
  /** Makes the target ready for what is copied, beyond the migrations; once it is known that it may be written. */
  prepare?(target: Database<Tables>): Promise<unknown>;
  /** Told again and again how far it is. */
  onStep(step: CopyStep): void;
}

/** What has been copied, from where and to where: without what is secret in a URL. */
export interface MigratedStore extends CopyResult {
  readonly file: string;
  readonly target: string;
}

/**
 * Copies a program's store from an SQLite file to PostgreSQL, and compares the two. It may be interrupted at any moment,
 * and goes on there when it is called again. The file stays as it is, but for migrations that it may have lacked.
 *
 * @throws {CopyError} which says why it is not done, and what to do.
 * @throws {DatabaseError} where one of the two cannot be opened, or asked any more.
 */
export async function migrateStore<Tables>(options: MigrateStoreOptions<Tables>): Promise<MigratedStore> {
  const file = await fileOf(options.from);
  const target = targetOf(options.to);
  // Who works with PostgreSQL alone need not have what SQLite takes.
  const { isInUse } = await import("./is-in-use.js");
  if (isInUse(file)) {
    throw new CopyError(
      "in-use",
      `${file} is in use. Stop what runs on it first: what it wrote meanwhile would be lost.`,
    );
  }
  try {
    return { ...(await copyStore(file, options)), file, target };
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== "unavailable") throw error;
    const message = `${error.message} What has been copied stays: the same command goes on there.`;
    throw new DatabaseError("unavailable", message, { cause: error });
  }
}

async function copyStore<Tables>(file: string, options: MigrateStoreOptions<Tables>): Promise<CopyResult> {
  const { to: target, owner, tables, prepare, onStep } = options;
  const from = await openDatabase<Tables>(`sqlite:${file}`, options);
  try {
    const to = await openDatabase<Tables>(target, options);
    try {
      const source = `${file}, made ${await madeAt(from, owner)}`;
      return await copyDatabase({ from, to, owner, source, tables, prepare: async () => prepare?.(to), onStep });
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** The file that a URL names, which must be there: it would be made when it is opened. */
async function fileOf(url: string): Promise<string> {
  const address = parseDatabaseUrl(url);
  if (address.kind !== "sqlite" || address.file === undefined) {
    throw new CopyError("source", "What is copied is an SQLite file. Name it, as in sqlite:./data/media.db.");
  }
  try {
    const file = await realpath(address.file);
    if ((await stat(file)).isFile()) return file;
  } catch (cause) {
    throw new CopyError("source", `There is no store at ${address.file}: ${messageOf(cause)}.`, { cause });
  }
  throw new CopyError("source", `There is no store at ${address.file}: it is no file.`);
}

/** Server and name of the database that a URL names. */
function targetOf(url: string): string {
  const address = parseDatabaseUrl(url);
  if (address.kind !== "postgres") {
    throw new CopyError("target", "A store is copied to PostgreSQL. Name it, as in postgres://user@host:5432/name.");
  }
  // What cannot be read is told of when it is opened.
  if (!URL.canParse(address.url)) return "PostgreSQL";
  const { host, pathname } = new URL(address.url);
  return `${pathname.slice(1) || "the user's database"} at ${host || "this machine"}`;
}

/** When a store was made: two files of one name, one after the other, are not the same store. */
async function madeAt<Tables>({ query }: Database<Tables>, owner: string): Promise<string> {
  const first = sql<{
    timestamp: string;
  }>`select timestamp from ${sql.id(`${owner}_migrations`)} order by name limit 1`;
  return (await first.execute(query)).rows[0]?.timestamp ?? "never";
}
