import { monitorEventLoopDelay } from "node:perf_hooks";
import type { App } from "./create-app.js";
import { unavailable } from "./refusal.js";

const SAMPLE_MS = 1000;
// How often the loop is looked at; the histogram counts this time as a delay.
const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;

/**
 * Turns calls away while the event loop is later than this on average: those that are let in are then still answered. Gives
 * what tells whether it does so now.
 */
export function shedLoad(app: App, maxLagMs: number): () => boolean {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let isOverloaded = false;
  const timer = setInterval(() => {
    // The mean of no samples is NaN: the loop had no turn at all.
    isOverloaded = !(histogram.mean / NS_PER_MS - RESOLUTION_MS <= maxLagMs);
    histogram.reset();
  }, SAMPLE_MS).unref();
  app.addHook("onRequest", async () => {
    if (isOverloaded) throw unavailable("The service is overloaded. Try again in 2 seconds.", 2);
  });
  app.addHook("onClose", async () => {
    clearInterval(timer);
    histogram.disable();
  });
  return () => isOverloaded;
}
