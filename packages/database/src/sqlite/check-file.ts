import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { messageOf } from "../errors.js";
import { Session } from "./session.js";

const program = fileURLToPath(import.meta.url);
const execute = promisify(execFile);

/** Checks a database file for damage; returns "unknown" after a timeout. */
export async function findDamage(file: string, timeoutMs: number) {
  const signal = AbortSignal.timeout(timeoutMs);
  const fault = await checkFile(file, signal);
  if (fault !== undefined) return { kind: "damaged", fault } as const;
  return { kind: signal.aborted ? "unknown" : "intact" } as const;
}

/** Checks a file in its own process: SQLite's check can't be interrupted, and takes some 5 s for each GB. */
export async function checkFile(file: string, signal: AbortSignal): Promise<string | undefined> {
  const checking = execute(process.execPath, [program, file], { env: {}, signal, killSignal: "SIGKILL" });
  try {
    if (checking.child.pid !== undefined) setPriority(checking.child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has already ended.
  }
  try {
    const { stdout } = await checking;
    return stdout === "ok" ? undefined : stdout.replaceAll("\n", " ");
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

if (process.argv[1] === program) {
  try {
    const session = new Session(process.argv[2], "look");
    process.stdout.write(String(session.pragma("quick_check(1)")));
    session.close();
  } catch (error) {
    process.stdout.write(messageOf(error));
  }
}
