import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { databaseUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { onTestFinished } from "vitest";
import { openStorage, type Storage } from "../storage/open-storage.js";

/** Who is told what to clear away: the test by itself, or `afterAll`. */
export type AtEnd = (clear: () => Promise<void>) => void;

/** What every bot of these tests encrypts under. */
export const MASTER_KEY = "05".repeat(32);

/** A folder that is gone after the test. */
export async function temporaryFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "media-bot-"));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens a storage that is closed after the test: a new one, unless it is said where one is. */
export async function openTestStorage(url?: string): Promise<Storage> {
  const storage = await openStorage({
    databaseUrl: url ?? (await databaseUrl({ memory: true })),
    masterKey: Buffer.from(MASTER_KEY, "hex"),
    masterKeyFile: undefined,
  });
  onTestFinished(() => storage.close());
  return storage;
}

/** All that a database holds: every row, and where it is in a file all that lies there. */
export async function storedIn({ database, query }: Storage): Promise<string> {
  const tables = await query.introspection.getTables();
  const rows = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(query)));
  const bytes = database.file === undefined ? "" : await bytesIn(dirname(database.file));
  return [...rows.map((table) => JSON.stringify(table.rows)), bytes].join("\n");
}

/** All that lies in a folder: databases, and what they have not yet taken over from their logs. */
export async function bytesIn(folder: string): Promise<string> {
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "latin1")))).join("\n");
}
