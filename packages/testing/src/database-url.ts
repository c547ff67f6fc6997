import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { makeDatabase } from "./make-database.js";

interface End {
  /**
   * Who clears away. What `beforeAll` makes is for all tests, and for `afterAll` to clear away.
   *
   * @default onTestFinished
   */
  atEnd?: (clear: () => Promise<void>) => void;
}

interface Options extends End {
  /** Whether it may be in memory where it is SQLite, which is faster: then nobody else can open it. */
  memory?: boolean;
  /**
   * Where its file is to be, where it is SQLite.
   *
   * @default a file that is gone after the test
   */
  file?: string;
}

/** A new, empty database of the kind that this project's tests run on; gone after the test. */
export async function databaseUrl({ memory = false, file, ...end }: Options = {}): Promise<string> {
  if (inject("database") === "postgres") return postgresUrl(end);
  if (memory) return "sqlite::memory:";
  return file === undefined ? sqliteUrl(end) : `sqlite:${file}`;
}

async function sqliteUrl({ atEnd = onTestFinished }: End): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "media-database-"));
  atEnd(() => rm(folder, { recursive: true }));
  return `sqlite:${join(folder, "test.db")}`;
}

/** A new, empty database in PostgreSQL, whatever the kind of the project; gone after the test. */
export async function postgresUrl({ atEnd = onTestFinished }: End = {}): Promise<string> {
  const server = inject("postgresUrl");
  if (!server) throw new Error("This project of vitest.config.ts has no globalSetup that starts PostgreSQL.");
  const { url, drop } = await makeDatabase(server);
  atEnd(drop);
  return url;
}
