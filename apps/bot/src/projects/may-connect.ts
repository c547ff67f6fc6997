import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { mayConnect } from "../policy/decide.js";
import type { Request } from "../request.js";
import type { Draft } from "../slack/draft.js";
import { markedSection } from "../slack/sections.js";
import { whoConnects } from "./words.js";

/** Whether whoever asks may connect projects, disconnect them, and choose the project of the whole workspace. */
export async function mayConnectHere({ config, member }: Pick<Request, "config" | "member">): Promise<boolean> {
  return mayConnect(config.policy, await member());
}

/** What somebody is told who may not, and who can help. */
export function notAllowed(what: string, { config }: Pick<Request, "config">): Draft {
  const words = `${escapeMrkdwn(what)} Ask ${whoConnects(config.policy)}.`;
  return { blocks: [markedSection(words)], text: words };
}
