// A burst of changes is one write.
const SOON_MS = 1000;

/** Keeps something soon after it has changed. */
export interface Keeper {
  changed(): void;
  /** Keeps what has not been kept yet, and is done. */
  stop(): Promise<void>;
}

/** @param keep is never under way twice at a time. */
export function createKeeper(keep: () => Promise<void>, onError: (error: unknown) => void): Keeper {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let writing: Promise<void> = Promise.resolve();

  function write(): void {
    timer = undefined;
    writing = writing.then(keep).catch(onError);
  }

  return {
    changed() {
      if (!isStopped) timer ??= setTimeout(write, SOON_MS);
    },
    async stop() {
      isStopped = true;
      if (timer !== undefined) {
        clearTimeout(timer);
        write();
      }
      await writing;
    },
  };
}
