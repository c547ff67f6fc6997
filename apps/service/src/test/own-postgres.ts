import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

/** A PostgreSQL that a test has for itself, so that it may go away and come back. */
export interface OwnPostgres {
  readonly url: string;
  /** Ends it as an operator does: what is under way is broken off, and all is written down. */
  stop(): Promise<void>;
  /** Ends it as a crash does: what it finds when it is started again, it must mend. */
  kill(): Promise<void>;
  /** Starts it again, where it was and with what it had; done when it takes connections. */
  start(): Promise<void>;
}

// What starts the server of all tests, ends it and clears up, also when the tests are killed.
const keeperFile = fileURLToPath(new URL("keeper.js", import.meta.resolve("@media-ops/testing")));
const execute = promisify(execFile);

/** Starts one; it is gone after the test. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const keeper = fork(keeperFile, { detached: true, execArgv: [] });
  const { url, folder } = await firstWord(keeper);
  const data = join(folder, "data");
  const { uid, gid } = await stat(data);
  const isRoot = process.getuid?.() === 0;
  const control = async (...words: string[]): Promise<void> => {
    const [program = ""] = (await readFile(join(data, "postmaster.opts"), "utf8")).split(" ");
    const flags = ["-D", data, "-l", join(data, "log.txt"), "-t", "60", "-w"];
    await execute(join(program, "..", "pg_ctl"), [...words, ...flags], {
      cwd: "/",
      env: { LC_ALL: "C" },
      ...(isRoot && { uid, gid }),
    });
  };
  const postgres: OwnPostgres = {
    url,
    stop: () => control("stop", "-m", "fast"),
    kill: () => control("stop", "-m", "immediate"),
    // With the flags with which it ran before.
    start: () => control("restart"),
  };
  onTestFinished(async () => {
    // It may be away just then.
    await postgres.kill().catch(() => {});
    keeper.disconnect();
    await once(keeper, "exit");
  });
  return postgres;
}

async function firstWord(keeper: ChildProcess): Promise<{ url: string; folder: string }> {
  const [message]: { url?: string; folder?: string; problem?: string }[] = await once(keeper, "message");
  const { url, folder, problem } = message ?? {};
  if (url === undefined || folder === undefined) throw new Error(`PostgreSQL could not be started: ${problem}`);
  return { url, folder };
}
