import type { TestProject } from "vitest/node";
import { type Server, takeServer } from "./server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** What the tests of a project run on; SQLite where nothing is said. */
    database: "postgres" | undefined;
    /** A server on which databases may be made. */
    postgresUrl: string | undefined;
  }
}

interface Shared {
  readonly server: Promise<Server>;
  users: number;
}

declare global {
  // Each project of a run loads this file anew, and all share one server.
  var mediaTestServer: Shared | undefined;
}

const variable = "TEST_POSTGRES_URL";
const named = { variable, url: process.env[variable] };

/** Tells a project's tests where PostgreSQL is, which is started for the first of them; gives what ends it with the last. */
export async function shareServer(project: TestProject): Promise<() => Promise<void>> {
  globalThis.mediaTestServer ??= { server: takeServer({ named }), users: 0 };
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
