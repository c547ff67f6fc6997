import type { CommandNamed } from "../language.js";
import type { Request } from "../request.js";
import type { Draft } from "../slack/draft.js";
import { fileAtOnce } from "./file.js";
import { logsMessage } from "./message.js";
import { NEWEST } from "./page.js";

/** `/media logs`: the newest entries that match, or all of them as a file. */
export async function logs(command: CommandNamed<"logs">, request: Request): Promise<Draft | undefined> {
  const { as, ...asked } = command;
  if (as === "csv" || as === "json") return fileAtOnce({ command: asked, spot: NEWEST }, as, request);
  return logsMessage({ command, spot: NEWEST }, request);
}
