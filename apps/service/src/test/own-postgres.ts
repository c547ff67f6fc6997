import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

export type OwnPostgres = Awaited<ReturnType<typeof startOwnPostgres>>;

// The program that starts the server of all tests, stops it and cleans up, even if the tests are killed.
const keeperFile = fileURLToPath(new URL("keeper.js", import.meta.resolve("@media-ops/testing")));
const execute = promisify(execFile);

/** Starts a PostgreSQL for one test, which can stop and start it; the options are those of `startPostgres`. */
export async function startOwnPostgres(options: object = {}) {
  const keeper = fork(keeperFile, [JSON.stringify(options)], { detached: true, execArgv: [] });
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
  let frozen: number[] = [];
  const postgres = {
    url,
    /** Stops all its processes where they are, as if its machine hung; only on Linux. */
    async freeze(): Promise<void> {
      const [main = ""] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
      const children = (await readFile(`/proc/${main}/task/${main}/children`, "utf8")).trim().split(" ");
      frozen = [main, ...children].map(Number);
      for (const pid of frozen) process.kill(pid, "SIGSTOP");
    },
    async thaw(): Promise<void> {
      for (const pid of frozen.splice(0)) process.kill(pid, "SIGCONT");
    },
    /** Stops it as an operator does: running statements are cancelled, and all data is written. */
    stop: () => control("stop", "-m", "fast"),
    /** Stops it like a crash: it has to recover at the next start. */
    kill: () => control("stop", "-m", "immediate"),
    /** Starts it again at the same address, with the same data and flags; resolves once it accepts connections. */
    start: () => control("restart"),
  };
  onTestFinished(async () => {
    await postgres.thaw();
    // It may be stopped already.
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
