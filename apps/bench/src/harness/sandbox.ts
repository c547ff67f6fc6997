import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder and the processes of one row, all removed when the row ends. */
export interface Sandbox {
  readonly folder: string;
  /** Ends a process when the row ends. */
  adopt<Child extends ChildProcess>(child: Child): Child;
}

/** Runs work in a sandbox, which is cleaned up even if the work fails or Ctrl-C interrupts it. */
export async function withSandbox<T>(work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "media-bench-"));
  const children: ChildProcess[] = [];
  const clear = (): void => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  const leave = (): never => process.exit(130);
  process.once("exit", clear).once("SIGINT", leave).once("SIGTERM", leave);
  try {
    return await work({
      folder,
      adopt(child) {
        children.push(child);
        return child;
      },
    });
  } finally {
    await Promise.all(children.map((child) => ended(child, "SIGKILL")));
    process.off("exit", clear).off("SIGINT", leave).off("SIGTERM", leave);
    clear();
  }
}

/** Sends a signal to a process and waits for its exit. Does nothing if the process has exited. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

/** Starts one of the baseline servers in `floors.ts`, which do only the necessary minimum, in its own process. */
export async function startFloor({ adopt }: Sandbox, name: string, settings: object = {}) {
  const child = adopt(fork(new URL("../floors.js", import.meta.url), [name]));
  child.send(settings);
  const [url] = await once(child, "message");
  return { url, pid: child.pid ?? 0 };
}

/** Writes progress to standard error, because standard output is for the figures. */
export function show(text: string): void {
  process.stderr.write(`${text}\n`);
}
