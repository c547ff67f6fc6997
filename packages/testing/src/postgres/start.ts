import { randomBytes } from "node:crypto";
import { chown, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../servers.js";
import { embeddedPostgres } from "./binaries.js";
import { postgresUser, type Running, run } from "./run.js";

export interface Postgres {
  /** Of its superuser, who may create databases. */
  readonly url: string;
  /** Where it keeps all that it writes. */
  readonly folder: string;
  /** Ends it, and removes its folder. */
  stop(): Promise<void>;
}

/** Of PostgreSQL, by their names. */
export type Settings = Readonly<Record<string, string>>;

const fast: Settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "300",
  // A machine that fails takes the tests with it.
  fsync: "off",
};

// Between asking for a free port and taking it, another may have taken it.
const TRIES = 5;
const START_MS = 60_000;

/** Starts a PostgreSQL on a free port of this machine, in a temporary folder, with a password that nobody knows. */
export async function startPostgres(settings: Settings = {}): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), "media-postgres-"));
  try {
    const password = randomBytes(16).toString("hex");
    const { postgres, data, user } = await install(folder, password);
    for (let tries = 1; ; tries++) {
      const port = await freePort();
      const flags = Object.entries({ ...fast, ...settings, port }).flatMap(([name, value]) => [
        "-c",
        `${name}=${value}`,
      ]);
      const server = run(postgres, ["-D", data, ...flags], user);
      if (await isReady(server)) {
        const stop = async (): Promise<void> => {
          // Ends all connections, and leaves nothing to write down.
          server.child.kill("SIGQUIT");
          await server.ended;
          await remove(folder);
        };
        return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, folder, stop };
      }
      if (tries === TRIES) throw new Error(`PostgreSQL did not start. It said:\n${server.said()}`);
    }
  } catch (error) {
    await remove(folder);
    throw error;
  }
}

/** Makes an empty cluster in a folder. */
async function install(folder: string, password: string) {
  const user = postgresUser();
  let home = embeddedPostgres();
  if (user) {
    await chown(folder, user.uid, user.gid);
    // Where root has its files, nobody else may be able to read.
    home = join(folder, "native");
    await cp(embeddedPostgres(), home, { recursive: true, verbatimSymlinks: true });
  }
  const [data, passwordFile] = [join(folder, "data"), join(folder, "password")];
  await writeFile(passwordFile, password);
  const initdb = run(
    join(home, "bin", "initdb"),
    [
      ...["-D", data, "--username=postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`, "--no-sync"],
      // Sorts as a dictionary does, so that whoever needs another order must say so.
      ...["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
    ],
    user,
  );
  await initdb.ended;
  if (initdb.child.exitCode !== 0) throw new Error(`PostgreSQL could not be set up. It said:\n${initdb.said()}`);
  return { postgres: join(home, "bin", "postgres"), data, user };
}

async function isReady(server: Running): Promise<boolean> {
  let ended = false;
  void server.ended.then(() => {
    ended = true;
  });
  const end = Date.now() + START_MS;
  while (!ended && Date.now() < end) {
    if (server.said().includes("ready to accept connections")) return true;
    await sleep(20);
  }
  server.child.kill("SIGQUIT");
  await server.ended;
  return false;
}

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
