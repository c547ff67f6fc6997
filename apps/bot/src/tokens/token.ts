import { EVERY_CHANNEL } from "@media-ops/commands";
import type { CommandNamed } from "../language.js";
import type { Request } from "../request.js";
import type { Draft } from "../slack/draft.js";
import { mint } from "./mint.js";
import { openTokenModal } from "./open-modal.js";

/** Makes a token as it is described; without a word on it, a window asks for all. */
export async function token(command: CommandNamed<"token">, request: Request): Promise<Draft | undefined> {
  const { channel, ...rest } = command;
  // The language asks that every channel is said in so many words; without a channel, a request is for all of them.
  if (channel === EVERY_CHANNEL) return mint({ command: rest }, request);
  if (Object.keys(command).length > 1) return mint({ command }, request);
  await openTokenModal(request);
  return undefined;
}
