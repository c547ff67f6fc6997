import type { CommandNamed } from "../language.js";
import type { Request } from "../request.js";
import type { Draft } from "../slack/draft.js";
import { mint } from "./mint.js";
import { openTokenModal } from "./open-modal.js";

/** Makes a token as it is described; without a word on it, a window asks for all. */
export async function token(command: CommandNamed<"token">, request: Request): Promise<Draft | undefined> {
  const { name: _name, ...wanted } = command;
  if (Object.keys(wanted).length > 0) return mint({ command }, request);
  await openTokenModal(request);
  return undefined;
}
