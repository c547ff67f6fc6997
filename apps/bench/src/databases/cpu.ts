import { readdir, readFile } from "node:fs/promises";

// What Linux counts in, whatever the machine.
const TICKS_PER_SECOND = 100;

/** A process as /proc tells of it. */
interface Stat {
  readonly parent: number;
  /** Seconds of CPU. */
  readonly cpu: number;
}

async function statOf(pid: number | string): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The name, in brackets, may hold anything.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields && { parent: Number(fields[1]), cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND };
}

/** Seconds of CPU that processes have used; NaN where the system does not tell. */
export async function cpuOf(pids: readonly number[]): Promise<number> {
  const stats = await Promise.all(pids.map(statOf));
  return stats.reduce((sum, stat) => sum + (stat?.cpu ?? Number.NaN), 0);
}

/** The same of all whose parent a process is, and which are there now. */
export async function cpuOfChildren(pid: number): Promise<number> {
  const names = await readdir("/proc").catch(() => []);
  const stats = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(statOf));
  const children = stats.filter((stat) => stat?.parent === pid);
  return children.length === 0 ? Number.NaN : children.reduce((sum, stat) => sum + (stat?.cpu ?? 0), 0);
}

export async function parentOf(pid: number): Promise<number | undefined> {
  return (await statOf(pid))?.parent;
}
