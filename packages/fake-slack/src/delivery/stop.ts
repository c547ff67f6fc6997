import type { World } from "../world/model.js";
import { perWorld } from "./per-world.js";

interface Stop {
  readonly signal: AbortSignal;
  readonly stopped: Promise<void>;
}

/** The end of the fake: what is under way then is given up, and nothing is sent any more. */
export const stopOf: (world: World) => Stop = perWorld((world) => {
  const controller = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    world.onStop(() => {
      controller.abort();
      resolve();
    });
  });
  return { signal: controller.signal, stopped };
});
