import type { ResentDeliveries, RevokedTokens, WebhookEndpoint } from "@media-ops/sdk";
import { type ActWords, enabledPhrase, resentPhrase, revokedPhrase } from "../acts.js";
import { phraseText } from "../phrase.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { notification, richText, type SlackMessage } from "./parts.js";
import { phraseElements } from "./phrase-parts.js";

function actMessage({ phrase }: ActWords, clock: Clock): SlackMessage {
  return { blocks: [richText(...phraseElements(phrase, clock))], text: notification(phraseText(phrase, clock)) };
}

/** What was revoked, from when on it holds, and what became of the connections. */
export function formatRevoked(revoked: RevokedTokens, options: TimeOptions): SlackMessage {
  const clock = clockFor(options);
  return actMessage(revokedPhrase(revoked, clock), clock);
}

/** How many webhooks are sent again. */
export const formatResent = (resent: ResentDeliveries, options: TimeOptions): SlackMessage =>
  actMessage(resentPhrase(resent), clockFor(options));

/** That an endpoint is switched on. */
export const formatEnabled = (endpoint: WebhookEndpoint, options: TimeOptions): SlackMessage =>
  actMessage(enabledPhrase(endpoint), clockFor(options));
