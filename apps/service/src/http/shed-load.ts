import underPressure from "@fastify/under-pressure";
import type { App } from "./create-app.js";
import { unavailable } from "./refusal.js";

/**
 * Turns calls away while the event loop is later than this on average: those that are let in are then still answered. Gives
 * what tells whether it does so now.
 */
export async function shedLoad(app: App, maxLagMs: number): Promise<() => boolean> {
  await app.register(underPressure, {
    maxEventLoopDelay: maxLagMs,
    pressureHandler: () => {
      throw unavailable("The service is overloaded. Try again in 2 seconds.", 2);
    },
  });
  return () => app.isUnderPressure();
}
