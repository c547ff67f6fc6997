import { useSyncExternalStore } from "react";

const EVERY_MS = 10_000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function watch(listener: () => void): () => void {
  listeners.add(listener);
  // One clock for all that shows how long ago something was.
  timer ??= setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Something that is told of the time, and drawn anew only when that has become another. */
export function useOfNow<T extends string | number>(tell: (now: number) => T): T {
  return useSyncExternalStore(watch, () => tell(now));
}
