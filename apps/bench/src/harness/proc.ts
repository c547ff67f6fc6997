import { readdir, readFile, readlink } from "node:fs/promises";

// Linux counts CPU time in hundredths of a second, whatever the machine.
const TICKS_PER_SECOND = 100;

/** Seconds of CPU that a process has used; NaN on a system without /proc. */
export async function cpuOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name, in brackets, may contain anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Megabytes of memory (RSS) that a process uses now; NaN on a system without /proc. */
export async function memoryOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN) / 1024;
}

/** How many sockets a process has open; NaN on a system without /proc. */
export async function socketsOf(pid: number): Promise<number> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
  if (!names) return Number.NaN;
  // One may be closed before it is read.
  const targets = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
  return targets.filter((target) => target.startsWith("socket:")).length;
}
