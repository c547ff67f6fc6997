import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder and the processes of one row, all of which are gone when it ends. */
export interface Sandbox {
  readonly folder: string;
  /** Ends a process when the row ends. */
  adopt<Child extends ChildProcess>(child: Child): Child;
}

/** Runs some work in a sandbox, which is cleared even if the work fails or is interrupted by Ctrl-C. */
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

/** Ends a process, unless it has ended, and waits for its end. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

/** Starts one of the servers in `floors.ts`, which do only what cannot be left out, in a process of its own. */
export async function startFloor({ adopt }: Sandbox, name: string, settings: object = {}) {
  const child = adopt(fork(new URL("../floors.js", import.meta.url), [name]));
  child.send(settings);
  const [url] = await once(child, "message");
  return { url, pid: child.pid ?? 0 };
}

/** Writes progress to standard error: standard output is for the figures. */
export function show(text: string): void {
  process.stderr.write(`${text}\n`);
}
