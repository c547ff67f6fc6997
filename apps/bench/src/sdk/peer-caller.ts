// Calls a service with the client whose module it is given, whenever it is asked to. In a process of its own, so that each
// client pays for its own garbage. It first sends what it was answered, then what each turn took.
import { PerformanceObserver } from "node:perf_hooks";
import { setImmediate, setTimeout } from "node:timers/promises";
import { timed } from "../measure.js";
import type { CreateCalls, Took, Turn } from "./calls.js";

const [client = "", baseUrl = "", apiKey = ""] = process.argv.slice(2);
const { createCalls }: { createCalls: CreateCalls } = await import(client);
const calls = createCalls(baseUrl, apiKey);

let lastCollection = 0;
new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntries()) lastCollection = startTime;
}).observe({ entryTypes: ["gc"] });

process.on("message", async (turn: Turn) => {
  // There only with --expose-gc; else garbage is collected whenever node wants to.
  if (globalThis.gc) {
    globalThis.gc();
    // Another thread lets go of buffers that were garbage.
    await setTimeout(20);
  } else {
    // Who has waited for its turn is not as fast as who is at work.
    await timed(calls[turn.operation], turn.calls / 5)();
  }
  const started = performance.now();
  const before = allocatedBytes();
  const us = await timed(calls[turn.operation], turn.calls)();
  const bytes = (allocatedBytes() - before) / turn.calls;
  // What is observed is told a little later.
  for (let wait = 0; wait < 3; wait++) await setImmediate();
  process.send?.({ us, bytes: lastCollection < started ? bytes : undefined } satisfies Took);
});
process.send?.({ listing: await calls.listing(), mint: await calls.mint() });

function allocatedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
