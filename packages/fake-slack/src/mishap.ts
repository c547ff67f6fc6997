import type { ServerResponse } from "node:http";
import { setTimeout as elapsed } from "node:timers/promises";
import type { Mishap } from "./world/model.js";

/** Sends the answer to a call: at once, or as its simulated failure demands. */
export async function sendDespite(
  mishap: Mishap | undefined,
  response: ServerResponse,
  send: () => void,
): Promise<void> {
  if (mishap?.kind === "lost") {
    response.destroy();
    return;
  }
  // A late answer must not keep a process alive.
  if (mishap?.kind === "late") await elapsed(mishap.ms, undefined, { ref: false });
  send();
}
