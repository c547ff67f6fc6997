import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { databaseUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { onTestFinished } from "vitest";
import { openStorage, type Storage } from "../storage/open-storage.js";

/** Registers a cleanup: `onTestFinished` or `afterAll`. */
export type AtEnd = (clear: () => Promise<void>) => void;

/** The master key of all bots in these tests. */
export const MASTER_KEY = "05".repeat(32);

const makeFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "media-bot-"));
const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** A folder that is deleted after the test. */
export async function temporaryFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await makeFolder();
  atEnd(() => removeFolder(folder));
  return folder;
}

/** Calls a function with a folder that is deleted afterwards. */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeFolder();
  return use(folder).finally(() => removeFolder(folder));
}

const openAt = (url: string): Promise<Storage> =>
  openStorage({ databaseUrl: url, masterKey: Buffer.from(MASTER_KEY, "hex"), masterKeyFile: undefined });

// An empty SQLite file with the bot's tables, created once and copied, because migrations are slow.
let template: Promise<Buffer> | undefined;

const makeTemplate = (): Promise<Buffer> =>
  withTemporaryFolder(async (folder) => {
    const file = join(folder, "bot.db");
    const storage = await openAt(`sqlite:${file}`);
    await storage.close();
    return readFile(file);
  });

interface BotDatabase {
  /** Whether an SQLite database is a file, which other processes can open. */
  onDisk: boolean;
  atEnd: AtEnd;
}

/** A database for a bot, of the kind that the current test project uses; deleted after the test. */
export async function botDatabaseUrl({ onDisk, atEnd }: BotDatabase): Promise<string> {
  const url = await databaseUrl({ memory: !onDisk, atEnd });
  if (!onDisk || !url.startsWith("sqlite:")) return url;
  template ??= makeTemplate();
  await writeFile(url.slice("sqlite:".length), await template);
  return url;
}

/** Opens a storage that is closed after the test; a new one unless a URL is passed. */
export async function openTestStorage(url?: string, atEnd: AtEnd = onTestFinished): Promise<Storage> {
  const storage = await openAt(url ?? (await databaseUrl({ memory: true, atEnd })));
  atEnd(() => storage.close());
  return storage;
}

/** The whole content of a database: every row, and all bytes in the folder of its file if it has one. */
export async function storedIn({ database, query }: Storage): Promise<string> {
  const tables = await query.introspection.getTables();
  const rows = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(query)));
  const bytes = database.file === undefined ? "" : await bytesIn(dirname(database.file));
  return [...rows.map((table) => JSON.stringify(table.rows)), bytes].join("\n");
}

/** The bytes of all files in a folder: databases, and their write-ahead logs. */
export async function bytesIn(folder: string): Promise<string> {
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "latin1")))).join("\n");
}
