import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as elapsed } from "node:timers/promises";
import type { Mishap } from "./world/model.js";
import type { World } from "./world/world.js";

/** Sends the answer to a call: at once, or as its simulated failure demands. */
export async function sendDespite(
  mishap: Mishap | undefined,
  world: World,
  response: ServerResponse,
  send: () => void,
): Promise<void> {
  if (mishap?.kind === "lost") {
    response.destroy();
    return;
  }
  if (mishap?.kind === "late") {
    await Promise.race([elapsed(mishap.ms, undefined, { ref: false }), once(world.stopped, "abort")]);
  }
  send();
}
