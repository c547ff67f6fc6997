import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { Refused } from "../refused.js";
import { type Draft, type Outgoing, sendDraft } from "./draft.js";
import { refusalOf } from "./refusal.js";
import { postToResponseUrl } from "./response-url.js";
import { wordsOnly } from "./sections.js";

/** How what is found reaches the person who asked. */
export interface Answer {
  /** Where it goes to; may be kept in a window, for what is answered when that is filled in. */
  readonly responseUrl: string | undefined;
  /** A new message, for the asker alone. */
  say(draft: Draft): Promise<void>;
  /** In the place of the message whose control was used; a new message where there is none. */
  replace(draft: Draft): Promise<void>;
  /**
   * A new message for everyone in the channel.
   *
   * @throws {Refused} where Slack does not let the bot write there any more.
   */
  share(draft: Draft): Promise<void>;
  /** Takes away the message whose control was used. */
  remove(): Promise<void>;
}

export interface AnswerOptions {
  slack: WebClient;
  userId: string;
  /** The conversation; none from the app's home. */
  channelId?: string | undefined;
  responseUrl?: string | undefined;
  log: Logger;
}

// What Slack says where the address has served its time, or never was one.
const SPENT = new Set(["expired_url", "used_url", "invalid_url", "status 404"]);
// What it says where the bot cannot write in a conversation, or nobody is there to read it.
const ELSEWHERE = new Set([
  "not_in_channel",
  "channel_not_found",
  "user_not_in_channel",
  "is_archived",
  "method_not_supported_for_channel_type",
]);

const NOT_SHARED = "Not shared: Slack takes no more answers here. Ask once more, and share the new answer.";

/** Answers by the address that came with the request; where there is none any more, as a message of the bot. */
export function createAnswer({ slack, userId, channelId, responseUrl, log }: AnswerOptions): Answer {
  const respond = (how: object, otherwise: (message: Outgoing) => Promise<void>) => async (message: Outgoing) => {
    if (responseUrl === undefined) return otherwise(message);
    try {
      await postToResponseUrl({ ...message, ...how }, { url: responseUrl });
    } catch (error) {
      if (!SPENT.has(refusalOf(error)?.code ?? "")) throw error;
      await otherwise(message);
    }
  };

  /** Where the address no longer serves: still for the asker alone. */
  async function directly(message: Outgoing): Promise<void> {
    try {
      if (channelId === undefined) return await toThePerson(message);
      await slack.chat.postEphemeral({ ...message, channel: channelId, user: userId });
    } catch (error) {
      if (!ELSEWHERE.has(refusalOf(error)?.code ?? "")) throw error;
      await toThePerson(message);
    }
  }

  async function toThePerson(message: Outgoing): Promise<void> {
    await slack.chat.postMessage({ ...message, channel: userId, unfurl_links: false });
  }

  /** The bot is not in the channel, so that it cannot write there without the address. */
  async function notShared(): Promise<never> {
    throw new Refused(wordsOnly(NOT_SHARED));
  }

  const privately = { response_type: "ephemeral", replace_original: false };
  return {
    responseUrl,
    say: (draft) => sendDraft(draft, respond(privately, directly), log),
    replace: (draft) =>
      sendDraft(draft, respond({ response_type: "ephemeral", replace_original: true }, directly), log),
    share: (draft) =>
      sendDraft(draft, respond({ response_type: "in_channel", replace_original: false }, notShared), log),
    async remove() {
      if (responseUrl !== undefined) await postToResponseUrl({ delete_original: true }, { url: responseUrl });
    },
  };
}
