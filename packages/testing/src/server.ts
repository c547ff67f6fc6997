import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import type { Settings } from "./postgres/start.js";

export { type MadeDatabase, makeDatabase } from "./make-database.js";

/** A PostgreSQL on which databases may be made. */
export interface Server {
  readonly url: string;
  /** Gives it up; one that was started for this ends. */
  release(): Promise<void>;
}

/** Options of {@link takeServer}. */
export interface ServerOptions {
  /** The variable that may name a server that is there already, and what it says. */
  readonly named: { readonly variable: string; readonly url: string | undefined };
  /** Of PostgreSQL, for one that is started: laid over those with which tests are fast. */
  readonly settings?: Settings;
}

/** The server that was named, or else one that is started now, and ends with this process at the latest. */
export async function takeServer({ named: { variable, url }, settings = {} }: ServerOptions): Promise<Server> {
  return url ? takeNamed(variable, url) : startServer(settings);
}

async function takeNamed(variable: string, url: string): Promise<Server> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    const { rows } = await client.query("select 1 from pg_roles where rolname = user and (rolsuper or rolcreatedb)");
    if (rows.length === 0) throw new Error("its user may not create databases");
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The server of ${variable} cannot be used: ${problem}.`, { cause });
  } finally {
    await client.end();
  }
  return { url, release: async () => {} };
}

async function startServer(settings: Settings): Promise<Server> {
  const keeper = fork(fileURLToPath(new URL("keeper.js", import.meta.url)), [JSON.stringify(settings)], {
    // Ctrl-C is for this process; when it lets go of the keeper, that clears up.
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
