const HUNG_AFTER_MS = 1000;

/** SIGTERM and SIGINT, as a program that runs until it is stopped takes them. Made before anything else is begun. */
export class StopSignal {
  /** Resolves to the signal that stops the program, once it has started. */
  readonly received: Promise<NodeJS.Signals>;
  #hasStarted = false;

  /** @param onEarly Called when a signal ends the program before it has started. */
  constructor(onEarly: (signal: NodeJS.Signals) => void) {
    this.received = new Promise((resolve) => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) {
        process.once(signal, () => {
          if (this.#hasStarted) return resolve(signal);
          onEarly(signal);
          endBy(signal);
        });
      }
    });
  }

  /** From now on a signal resolves `received`; until then it ends the process at once, whatever the start waits for. */
  started(): void {
    this.#hasStarted = true;
  }
}

/** Sets the exit code of a program that is done. One that has failed also ends if something in it still hangs. */
export function endWith(exitCode: number): void {
  process.exitCode = exitCode;
  if (exitCode === 0) return;
  setTimeout(() => {
    // process.exit would wait for the threads that look up a name or wait for a disk.
    const isHung = process.getActiveResourcesInfo().some((name) => /^(GetAddrInfo|FS)Req/.test(name));
    if (isHung) endBy("SIGKILL");
    process.exit(exitCode);
  }, HUNG_AFTER_MS).unref();
}

/** Ends the process at once, whatever its threads wait for. */
function endBy(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal);
  // The first process of a container is not ended by a signal that it sends to itself.
  process.exit(1);
}
