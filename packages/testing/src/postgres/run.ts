import { type ChildProcess, execFileSync, spawn } from "node:child_process";

/** What a program runs as. */
interface User {
  uid: number;
  gid: number;
}

/** PostgreSQL does not run as root; who is root runs it as nobody, who is there on every machine. */
export function postgresUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** A program that runs, and what it has said. */
export interface Running {
  readonly child: ChildProcess;
  /** Its last words. */
  said(): string;
  /** Comes true when it has ended, also when it never began. */
  readonly ended: Promise<void>;
}

// Enough to tell why it ended.
const KEPT_CHARACTERS = 10_000;

export function run(program: string, flags: readonly string[], user: User | undefined): Running {
  const child = spawn(program, flags, {
    ...user,
    // A folder that every user may be in.
    cwd: "/",
    // Not in the language of the machine, since what it says is read.
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
