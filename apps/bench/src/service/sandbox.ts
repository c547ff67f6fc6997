import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder and the processes of one measurement. */
export interface Sandbox {
  readonly folder: string;
  /** Takes charge of a process: it does not outlive the measurement. */
  adopt<Child extends ChildProcess>(child: Child): Child;
}

/** Does some work in a sandbox. Nothing is left of it, also when the work fails or somebody presses Ctrl-C. */
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
    await Promise.all(children.map(ended));
    process.off("exit", clear).off("SIGINT", leave).off("SIGTERM", leave);
    clear();
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
