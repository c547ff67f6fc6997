// Imports only Node's own modules: programs read the limit before they load anything else.
import { readFileSync } from "node:fs";

// Node opens the files of all modules concurrently: with fewer, it fails to load them.
const MIN_OPEN_FILES = 512;
// For systems without /proc. Node raises its own limit to the maximum, which is usually higher.
const UNKNOWN_OPEN_FILES = 4096;
// Supervisors commonly kill 10 s after SIGTERM.
const MAX_STOP_MS = 9500;
// The remaining work after a failure takes less.
const HUNG_AFTER_MS = 1000;

/** The maximum number of open files and sockets of this process. */
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

/** The next step if the limit of open files is too low to load the program; undefined if it is sufficient. */
export function openFilesFault(limit: number): string | undefined {
  if (limit >= MIN_OPEN_FILES) return undefined;
  return `This process may have only ${limit} files and sockets open, and needs at least ${MIN_OPEN_FILES}. Raise the limit: "ulimit -n 4096" in a shell, LimitNOFILE=4096 for systemd, --ulimit nofile=4096 for Docker.`;
}

/** Why a process stops, and its exit code. */
export interface StopRequest {
  readonly reason: string;
  readonly exitCode: number;
}

interface StopLog {
  info(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
}

/** Resolves when a long-running program must stop. Create it before anything else. */
export class StopSignal {
  /** Resolves at SIGTERM or SIGINT, or after a failure; the process then ends within 10 s in any case. */
  readonly received: Promise<StopRequest>;
  readonly #log: StopLog;
  #hasStarted = false;
  #resolve: (request: StopRequest) => void = () => {};

  constructor(log: StopLog) {
    this.#log = log;
    this.received = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => this.#onSignal(signal));
    // Unhandled rejections arrive here as well.
    process.on("uncaughtException", (error, origin) => {
      log.fatal({ err: error, origin }, "an error was not caught; the process stops for its supervisor to restart it");
      this.#stop({ reason: origin, exitCode: 1 });
    });
  }

  /** Call it once the program has started: until then, a signal ends the process at once. */
  started(): void {
    this.#hasStarted = true;
  }

  /** Stops a program that cannot continue. Its supervisor restarts it. */
  fail(error: Error): void {
    this.#log.fatal({ err: error }, "the process stops for its supervisor to restart it");
    this.#stop({ reason: error.message, exitCode: 1 });
  }

  #onSignal(signal: NodeJS.Signals): void {
    if (this.#hasStarted) {
      this.#stop({ reason: signal, exitCode: 0 });
      return;
    }
    this.#log.info({ signal }, "stopped before the program had started");
    endBy(signal);
  }

  #stop(request: StopRequest): void {
    this.#resolve(request);
    setTimeout(() => {
      const { reason } = request;
      this.#log.fatal({ reason }, `stopping took longer than ${MAX_STOP_MS} ms; unfinished work is lost`);
      process.exit(1);
    }, MAX_STOP_MS).unref();
  }
}

/** Runs a program, with a file `.env`. `main` loads its modules: with too few open files, Node can't. */
export async function runProgram(main: () => Promise<number>): Promise<void> {
  const fault = openFilesFault(openFileLimit());
  if (fault !== undefined) {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
    return;
  }
  try {
    process.loadEnvFile();
  } catch {
    // The file .env is optional.
  }
  endWith(await main());
}

/** Sets the exit code of a program that is done. A failed program also ends if a part of it hangs. */
export function endWith(exitCode: number): void {
  process.exitCode = exitCode;
  if (exitCode === 0) return;
  setTimeout(() => {
    // process.exit would wait for threads that resolve a name or wait for a disk.
    const isHung = process.getActiveResourcesInfo().some((name) => /^(GetAddrInfo|FS)Req/.test(name));
    if (isHung) endBy("SIGKILL");
    process.exit(exitCode);
  }, HUNG_AFTER_MS).unref();
}

/** Ends the process at once, even if a thread of it hangs. */
function endBy(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal);
  // In a container, a signal to itself does not end the first process.
  process.exit(1);
}
