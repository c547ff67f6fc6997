// Loaded into a program before it begins: tells, as often as it is asked, what memory is in use when all that can be given
// up has been. The program itself is the one that everybody runs.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.channel) {
  process.on("message", () => {
    // What the first one finds may only be given up with the second.
    globalThis.gc?.();
    globalThis.gc?.();
    process.send?.(process.memoryUsage());
  });
  // It must not keep the program from ending.
  process.channel.unref();
}
