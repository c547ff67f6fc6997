import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { connected } from "./databases.js";

export { makeDatabase } from "./databases.js";

/** A PostgreSQL server for test databases. */
export interface Server {
  readonly url: string;
  /** Releases the server; it stops if it was started for the tests. */
  release(): Promise<void>;
}

/** The server in TEST_POSTGRES_URL, or a new one, which ends with this process at the latest. */
export async function takeServer(url = process.env.TEST_POSTGRES_URL): Promise<Server> {
  return url ? takeNamed(url) : startServer();
}

async function takeNamed(url: string): Promise<Server> {
  try {
    await connected(url, async (client) => {
      const { rows } = await client.query("select 1 from pg_roles where rolname = user and (rolsuper or rolcreatedb)");
      if (rows.length === 0) throw new Error("its user may not create databases");
    });
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The server of TEST_POSTGRES_URL cannot be used: ${problem}.`, { cause });
  }
  return { url, release: async () => {} };
}

/** Starts a server with settings such as `{ fsync: "on" }`, which ends with this process at the latest. */
export async function startServer(settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const keeper = fork(fileURLToPath(new URL("keeper.js", import.meta.url)), [JSON.stringify({ settings })], {
    // Ctrl-C only reaches this process; the keeper cleans up when its channel closes.
    detached: true,
    execArgv: [],
  });
  const ended = once(keeper, "exit");
  const first = once(keeper, "message").then(([message]): { url?: string; problem?: string } => message);
  const { url, problem } = await Promise.race([first, ended.then(() => ({ url: undefined, problem: "it ended" }))]);
  if (url === undefined) throw new Error(`PostgreSQL could not be started: ${problem}`);
  return {
    url,
    async release() {
      if (keeper.connected) keeper.disconnect();
      await ended;
    },
  };
}

declare module "vitest" {
  interface ProvidedContext {
    /** The database of a project's tests. @default SQLite */
    database: "postgres" | undefined;
    /** A server for test databases. */
    postgresUrl: string | undefined;
  }
}

declare global {
  // Each project of a run loads this file separately, and all of them share one server.
  var mediaTestServer: { readonly server: Promise<Server>; users: number } | undefined;
}

/** Provides PostgreSQL to a project's tests; starts it for the first project, and stops it after the last. */
export async function shareServer(project: TestProject): Promise<() => Promise<void>> {
  globalThis.mediaTestServer ??= { server: takeServer(), users: 0 };
  const shared = globalThis.mediaTestServer;
  shared.users++;
  const { url, release } = await shared.server;
  project.provide("postgresUrl", url);
  return async () => {
    shared.users--;
    if (shared.users > 0) return;
    globalThis.mediaTestServer = undefined;
    await release();
  };
}
