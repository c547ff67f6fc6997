import type { ResentDeliveries, RevokedTokens, WebhookEndpoint } from "@media-ops/sdk";
import { type ActWords, enabledPhrase, resentPhrase, revokedPhrase } from "../acts.js";
import { phraseText } from "../phrase.js";
import { type TerminalOptions, type TimedScreen, textLines, timedScreenOf } from "./screen.js";

const actText = ({ phrase, tone }: ActWords, screen: TimedScreen): string =>
  textLines(phraseText(phrase, screen.clock), tone, screen).join("\n");

/** What was revoked, from when on it holds, and what became of the connections. */
export function formatRevoked(revoked: RevokedTokens, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  return actText(revokedPhrase(revoked, screen.clock), screen);
}

/** How many webhooks are sent again. */
export const formatResent = (resent: ResentDeliveries, options: TerminalOptions): string =>
  actText(resentPhrase(resent), timedScreenOf(options));

/** That an endpoint is switched on. */
export const formatEnabled = (endpoint: WebhookEndpoint, options: TerminalOptions): string =>
  actText(enabledPhrase(endpoint), timedScreenOf(options));
