import { readdir, readFile, readlink } from "node:fs/promises";

/**
 * Returns the CPU seconds that the running threads of a process have used, or NaN on a system without /proc. They are
 * known to the nanosecond; those of the whole process only to a hundredth of a second, more than a short round takes.
 */
export async function cpuOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  // A thread may end before its file is read.
  const texts = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8").catch(() => "0")),
  );
  const nanoseconds = texts.map((text) => Number(text.split(" ")[0]));
  return threads.length === 0 ? Number.NaN : nanoseconds.reduce((sum, one) => sum + one) / 1e9;
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
