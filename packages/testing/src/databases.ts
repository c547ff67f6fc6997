import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { inject, onTestFinished } from "vitest";

/** Creates an empty database on a server. */
export async function makeDatabase(serverUrl: string): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await connected(serverUrl, async (client) => {
    const { rows } = await client.query(
      "select current_setting('server_version_num')::integer >= 150000 as has_strategy",
    );
    // By far the faster strategy, and the only one before PostgreSQL 15.
    const strategy = rows[0].has_strategy ? "strategy file_copy" : "";
    // template0 is always empty, even if the server adds objects to new databases.
    await client.query(`create database ${name} template template0 ${strategy}`);
  });
  const url = new URL(serverUrl);
  url.pathname = name;
  // By force: a killed process may still seem to be connected.
  const drop = () => connected(serverUrl, (client) => client.query(`drop database ${name} with (force)`));
  return { url: url.href, drop };
}

async function connected(serverUrl: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

interface End {
  /**
   * Registers the clean-up. In `beforeAll`, pass `afterAll`.
   *
   * @default onTestFinished
   */
  atEnd?: (clear: () => Promise<void>) => void;
}

interface Options extends End {
  /** Whether SQLite may be in memory, which is faster, but cannot be opened twice. */
  memory?: boolean;
  /**
   * The file of an SQLite database.
   *
   * @default a temporary file
   */
  file?: string;
}

/** A new, empty database of the kind that this project's tests use; removed after the test. */
export async function databaseUrl({ memory = false, file, atEnd = onTestFinished }: Options = {}): Promise<string> {
  if (inject("database") === "postgres") return postgresUrl({ atEnd });
  if (memory) return "sqlite::memory:";
  if (file !== undefined) return `sqlite:${file}`;
  const folder = await mkdtemp(join(tmpdir(), "media-database-"));
  atEnd(() => rm(folder, { recursive: true }));
  return `sqlite:${join(folder, "test.db")}`;
}

/** A new, empty database in PostgreSQL, in any project; removed after the test. */
export async function postgresUrl({ atEnd = onTestFinished }: End = {}): Promise<string> {
  const server = inject("postgresUrl");
  if (!server) throw new Error("This project of vitest.config.ts has no globalSetup that starts PostgreSQL.");
  const { url, drop } = await makeDatabase(server);
  atEnd(drop);
  return url;
}
