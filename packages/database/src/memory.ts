import { totalmem } from "node:os";

/** How many bytes of memory this process may use: its container's limit, otherwise the machine's memory. */
export function usableMemory(): number {
  const limit = process.constrainedMemory();
  // Without a limit, the value is 0 on some systems, and larger than any machine's memory on others.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
