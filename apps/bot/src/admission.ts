import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { mayUseBot } from "./policy/decide.js";
import { whoConnects } from "./projects/words.js";
import { Refused } from "./refused.js";
import type { Request } from "./request.js";
import { markedSection } from "./slack/sections.js";

/**
 * Lets the members of the workspace in, and the guests whom the policy names. All that people do comes through here.
 *
 * @throws {Refused} for everybody else, and if Slack does not say who they are.
 */
export async function admit(request: Request): Promise<void> {
  const { policy } = request.config;
  const { isGuest } = await request.asker();
  // Members pass without a question about user groups.
  if (!isGuest || mayUseBot(policy, await request.member())) return;
  const words = `${escapeMrkdwn("Guests of this workspace can't use this bot unless its policy names them.")} Ask ${whoConnects(policy)}.`;
  throw new Refused({ blocks: [markedSection(words)], text: words });
}
