import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { mayConnect } from "../policy/decide.js";
import { Refused } from "../refused.js";
import type { Request } from "../request.js";
import type { Draft } from "../slack/draft.js";
import { WHO_ARE_YOU } from "../slack/people.js";
import { markedSection, wordsOnly } from "../slack/sections.js";
import { whoConnects } from "./words.js";

/**
 * Whether whoever asks may connect projects, take them away, and choose the whole workspace's.
 *
 * @throws {Refused} where only Slack could say, and does not.
 */
export async function mayConnectHere({ config, member }: Pick<Request, "config" | "member">): Promise<boolean> {
  const asker = await member();
  const isAllowed = mayConnect(config.policy, asker);
  if (!isAllowed && asker.isUnknown) throw new Refused(wordsOnly(WHO_ARE_YOU));
  return isAllowed;
}

/** What somebody is told who may not, and who can help. */
export function notAllowed(what: string, { config }: Pick<Request, "config">): Draft {
  const words = `${escapeMrkdwn(what)} Ask ${whoConnects(config.policy)}.`;
  return { blocks: [markedSection(words)], text: words };
}
