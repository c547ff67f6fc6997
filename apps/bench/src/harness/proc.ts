import { readdir, readFile, readlink } from "node:fs/promises";

// Linux reports CPU time in hundredths of a second on every machine.
const TICKS_PER_SECOND = 100;

/** Returns the CPU seconds that a process has used, or NaN on a system without /proc. */
export async function cpuOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name, in parentheses, may contain any character.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Returns the current memory (RSS) of a process in megabytes, or NaN on a system without /proc. */
export async function memoryOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN) / 1024;
}

/** Returns the number of open sockets of a process, or NaN on a system without /proc. */
export async function socketsOf(pid: number): Promise<number> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
  if (!names) return Number.NaN;
  // A socket may close before its link is read.
  const targets = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
  return targets.filter((target) => target.startsWith("socket:")).length;
}
