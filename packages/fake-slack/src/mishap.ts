import type { ServerResponse } from "node:http";
import { setTimeout as elapsed } from "node:timers/promises";
import { sendJson, sendText } from "./http.js";
import type { Answer, TranscriptEntry } from "./world/model.js";
import type { World } from "./world/world.js";

type Call = Pick<TranscriptEntry, "teamId" | "name" | "users"> & { readonly args: unknown };

/** Answers a call, or simulates its failure, and records it in the transcript. */
export async function answerCall(
  world: World,
  response: ServerResponse,
  { teamId, name, users, args }: Call,
  run: () => Answer,
): Promise<void> {
  const mishap = world.takeMishap(name);
  const { status, body, headers } = mishap?.kind === "answer" ? mishap.answer : run();
  const isLost = mishap?.kind === "lost";
  const detail = { args, status, answer: body, ...(isLost && { isAnswerLost: true }) };
  world.record({ teamId, what: "call", name, users, detail });
  if (isLost) {
    response.destroy();
    return;
  }
  // A late answer must not keep a process alive.
  if (mishap?.kind === "late") await elapsed(mishap.ms, undefined, { ref: false });
  // All other responses are JSON.
  if (body === "ok") sendText(response, status, body);
  else sendJson(response, status, body, headers);
}
