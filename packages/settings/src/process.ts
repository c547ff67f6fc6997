// Imports only what Node itself has: programs read the limit before they load anything else.
import { readFileSync } from "node:fs";

// Node opens the files of all modules at once: with fewer, it fails to load them.
const MIN_OPEN_FILES = 512;
// Of systems that don't show it in /proc. Node raises its own limit to the highest allowed, which is commonly more.
const UNKNOWN_OPEN_FILES = 4096;
// Supervisors commonly kill 10 s after SIGTERM.
const MAX_STOP_MS = 9500;

/** How many files and sockets this process may have open. */
export function openFileLimit(): number {
  try {
    return openFilesIn(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return UNKNOWN_OPEN_FILES;
  }
}

/** The limit in the text of `/proc/self/limits`. */
export function openFilesIn(limits: string): number {
  const [, soft] = /^Max open files +(\S+)/m.exec(limits) ?? [];
  if (soft === undefined) return UNKNOWN_OPEN_FILES;
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Says what to do if a process may have too few files open to load the program; undefined if there are enough. */
export function openFilesFault(limit: number): string | undefined {
  if (limit >= MIN_OPEN_FILES) return undefined;
  return `This process may have only ${limit} files and sockets open, and needs at least ${MIN_OPEN_FILES}. Raise the limit: "ulimit -n 4096" in a shell, LimitNOFILE=4096 for systemd, --ulimit nofile=4096 for Docker.`;
}

/** Why a process is to stop, and the exit code that tells its supervisor. */
export interface StopRequest {
  readonly reason: string;
  readonly exitCode: number;
}

/** A log for errors that end the process. */
interface FatalLog {
  fatal(fields: object, message: string): void;
}

/**
 * Resolves when the process is to stop: at SIGTERM or SIGINT with exit code 0, after an error that nothing caught with 1.
 * The error is logged, and the program still drains as it does at a signal: requests under way lose nothing. From then
 * on, the process ends within 10 s in any case.
 */
export function stopRequest(log: FatalLog): Promise<StopRequest> {
  return new Promise((resolve) => {
    const stop = (request: StopRequest): void => {
      resolve(request);
      setTimeout(() => {
        log.fatal({ reason: request.reason }, `stopping took longer than ${MAX_STOP_MS} ms; unfinished work is lost`);
        process.exit(1);
      }, MAX_STOP_MS).unref();
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.once(signal, () => stop({ reason: signal, exitCode: 0 }));
    }
    // Unhandled rejections arrive here as well.
    process.on("uncaughtException", (error, origin) => {
      log.fatal({ err: error, origin }, "an error was not caught; the process stops for its supervisor to restart it");
      stop({ reason: origin, exitCode: 1 });
    });
  });
}
