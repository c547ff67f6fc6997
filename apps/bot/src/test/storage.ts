import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStorage, type Storage } from "../storage/open-storage.js";

/** Who is told what to clear away: the test by itself, or `afterAll`. */
export type AtEnd = (clear: () => Promise<void>) => void;

/** A folder that is gone after the test. */
export async function temporaryFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "media-bot-"));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens a storage that is closed after the test: in memory, unless a file is named. */
export async function openTestStorage(file?: string): Promise<Storage> {
  const storage = await openStorage({
    databaseUrl: `sqlite:${file ?? ":memory:"}`,
    masterKey: new Uint8Array(32).fill(5),
    masterKeyFile: undefined,
  });
  onTestFinished(() => storage.close());
  return storage;
}

/** All that lies in a folder: the database, and what it has not yet taken over from its log. */
export async function bytesIn(folder: string): Promise<Buffer> {
  const names = await readdir(folder);
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, name)))));
}
