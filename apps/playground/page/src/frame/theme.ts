import { useSyncExternalStore } from "react";

const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

function watch(listener: () => void): () => void {
  dark?.addEventListener("change", listener);
  return () => dark?.removeEventListener("change", listener);
}

/** As the system wants it. */
export function useTheme(): "light" | "dark" {
  return useSyncExternalStore(watch, () => (dark?.matches ? "dark" : "light"));
}
