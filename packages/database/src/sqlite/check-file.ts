import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("check-program.js", import.meta.url));

/** A running check. */
export interface FileCheck {
  /** What is wrong with the file; undefined if nothing is, or the check was stopped. */
  readonly fault: Promise<string | undefined>;
  /** Ends the check. */
  stop(): void;
}

/** The result of a check within its time. */
export type Intactness = { readonly kind: "intact" | "unknown" } | { readonly kind: "damaged"; readonly fault: string };

/** Reads a database file for damage, and gives up after a time; then the result is "unknown". */
export async function findDamage(file: string, timeoutMs: number): Promise<Intactness> {
  const check = checkFile(file);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    check.stop();
  }, timeoutMs);
  try {
    const fault = await check.fault;
    if (fault !== undefined) return { kind: "damaged", fault };
    return { kind: isLate ? "unknown" : "intact" };
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a whole database file for damage, in a process with low priority. */
export function checkFile(file: string): FileCheck {
  let stop = (): void => {};
  const fault = new Promise<string | undefined>((resolve, reject) => {
    let isStopped = false;
    const child = execFile(process.execPath, [program, file], { env: {} }, (error, found) => {
      if (isStopped) resolve(undefined);
      else if (error) reject(error);
      else resolve(found === "ok" ? undefined : found.replaceAll("\n", " "));
    });
    stop = () => {
      isStopped = true;
      child.kill("SIGKILL");
    };
    try {
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It has ended already.
    }
  });
  return { fault, stop };
}
