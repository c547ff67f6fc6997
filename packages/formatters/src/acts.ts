import type { ResentDeliveries, RevokedTokens, WebhookEndpoint } from "@media-ops/contract";
import { fieldOf, numberIn, SECOND, stringIn, timeIn } from "@media-ops/reports/entries";
import { briefText } from "./lists.js";
import { capital } from "./logs.js";
import * as slack from "./slack/parts.js";
import * as terminal from "./terminal/screen.js";
import { type Phrase, phraseText } from "./values/answer.js";
import { counted, formatCount, formatDuration } from "./values/numbers.js";
import { briefChannel, briefId, type Tone } from "./values/show.js";
import { brief, type Clock, clockFor, type TimeOptions } from "./values/words.js";

/** What an act has changed, in words. They start with a mark: "✓" if all is done, "▲" if a part is not. */
interface ActWords {
  phrase: Phrase;
  tone: Tone;
}

function revokedPhrase(revoked: RevokedTokens, { now }: Clock): ActWords {
  const left = numberIn(revoked, "not_disconnected");
  const fault = stringIn(revoked, "fault");
  const isPartial = left > 0 || fault !== "";
  return {
    phrase: [
      `${isPartial ? "▲" : "✓"} `,
      ...revokedWhat(revoked),
      ` ${effectWords(revoked, now)} ${connectionWords(revoked, { left, fault })}`,
    ],
    tone: isPartial ? "bad" : "good",
  };
}

/** "Token 5f0c8a52…2c11 is revoked.", "3 tokens for lobby that were issued before 14:05:30 are revoked." */
function revokedWhat(revoked: RevokedTokens): Phrase {
  const [id, channel] = [stringIn(revoked, "jwt_id"), stringIn(revoked, "channel_id")];
  const count = numberIn(revoked, "tokens");
  if (id !== "") {
    const known = count === 0 ? " is revoked; this service did not issue it, or it had already ended." : " is revoked.";
    return ["Token ", { name: briefId(id) }, known];
  }
  const before = timeIn(revoked, "issued_before");
  const issued: Phrase =
    before === undefined ? [] : [` that ${count === 1 ? "was" : "were"} issued before `, { time: before }];
  const name: Phrase = channel === "" ? [] : [" for ", { name: briefChannel(channel) }];
  const atLeast = stringIn(revoked, "counted_since") === "" ? "" : "At least ";
  const tokens = count === 0 ? "Tokens" : `${atLeast}${counted(count, "token", "tokens")}`;
  const known = count > 0 ? "." : atLeast === "" ? "; this service knows of none." : "; they were not all counted.";
  return [tokens, ...name, ...issued, ` ${count === 1 ? "is" : "are"} revoked${known}`];
}

/** A time that is a moment ahead says nothing to people, except about how long it takes. */
function effectWords(revoked: RevokedTokens, now: number): string {
  const effective = timeIn(revoked, "effective_by");
  const those = stringIn(revoked, "jwt_id") !== "" || numberIn(revoked, "tokens") === 1 ? "it" : "them";
  if (effective === undefined || effective <= now) return `The whole service refuses ${those}.`;
  const seconds = Math.max(1, Math.round((effective - now) / SECOND));
  return `Within ${formatDuration(seconds * SECOND)}, the whole service refuses ${those}.`;
}

function connectionWords(revoked: RevokedTokens, { left, fault }: { left: number; fault: string }): string {
  const because = fault === "" ? "." : `: ${endingWithStop(brief(fault, FAULT))}`;
  if (left === 0 && fault !== "") return `Not all connections could be ended${because}`;
  if (left > 0) {
    const ended = numberIn(revoked, "disconnected");
    const first = ended === 0 ? "" : `${counted(ended, "connection was", "connections were")} ended, but `;
    return capital(`${first}${counted(left, "connection was", "connections were")} not ended${because}`);
  }
  if (fieldOf(revoked, "disconnected") === undefined) return "Connected clients stay connected.";
  const ended = numberIn(revoked, "disconnected");
  return ended === 0
    ? "No client was connected with such a token."
    : `${counted(ended, "connection was", "connections were")} ended.`;
}

const FAULT = 300;

const endingWithStop = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

function resentPhrase(resent: ResentDeliveries): ActWords {
  const count = numberIn(resent, "resent");
  if (count === 0) return { phrase: ["▲ Nothing to resend: no delivery matches."], tone: "notice" };
  const what = counted(count, "webhook", "webhooks");
  return { phrase: [`✓ Resending ${what} with the same webhook-id as before.`], tone: "good" };
}

function enabledPhrase(endpoint: WebhookEndpoint): ActWords {
  const waiting = numberIn(endpoint, "waiting");
  const state = stringIn(endpoint, "state");
  const kind = briefText(stringIn(endpoint, "kind"));
  if (state === "off") return { phrase: [`▲ The ${kind} webhook is still switched off.`], tone: "bad" };
  const events =
    waiting === 0 ? "" : ` ${formatCount(waiting)} ${waiting === 1 ? "event waits" : "events wait"} to be sent.`;
  const failed = kind === "event" ? " Events that failed in the meantime are not included: resend them." : "";
  return { phrase: [`✓ The ${kind} webhook is switched on.${events}${failed}`], tone: "good" };
}

/**
 * What was revoked, from when on it holds, and what became of the connections, in plain text, which is not escaped.
 */
export function revokedWords(revoked: RevokedTokens, options: TimeOptions): string {
  const clock = clockFor(options);
  return phraseText(revokedPhrase(revoked, clock).phrase, clock);
}

const slackPrinter =
  <Act>(wordsOf: (act: Act, clock: Clock) => ActWords) =>
  (act: Act, options: TimeOptions): slack.SlackMessage => {
    const clock = clockFor(options);
    const { phrase } = wordsOf(act, clock);
    return {
      blocks: [slack.richText(...slack.phraseElements(phrase, clock))],
      text: slack.notification(phraseText(phrase, clock)),
    };
  };

/** What was revoked, from when on it holds, and what became of the connections. */
export const slackRevoked = slackPrinter(revokedPhrase);

/** How many webhooks are sent again. */
export const slackResent = slackPrinter(resentPhrase);

/** That an endpoint is switched on. */
export const slackEnabled = slackPrinter(enabledPhrase);

const terminalPrinter =
  <Act>(wordsOf: (act: Act, clock: Clock) => ActWords) =>
  (act: Act, options: terminal.TerminalOptions): string => {
    const screen = terminal.timedScreenOf(options);
    const { phrase, tone } = wordsOf(act, screen.clock);
    return terminal.textLines(phraseText(phrase, screen.clock), tone, screen).join("\n");
  };

/** What was revoked, from when on it holds, and what became of the connections. */
export const terminalRevoked = terminalPrinter(revokedPhrase);

/** How many webhooks are sent again. */
export const terminalResent = terminalPrinter(resentPhrase);

/** That an endpoint is switched on. */
export const terminalEnabled = terminalPrinter(enabledPhrase);
