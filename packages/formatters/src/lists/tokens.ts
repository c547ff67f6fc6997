import type { IssuedToken, ResentDeliveries, RevokedTokens, WebhookEndpoint } from "@media-ops/contract";
import { fieldOf, numberIn, SECOND, stringIn, timeIn } from "@media-ops/reports/entries";
import { capital } from "../logs/columns.js";
import { answerFrame } from "../values/answer.js";
import { counted, formatCount, formatDuration } from "../values/numbers.js";
import { briefChannel, briefId, type Shown, type Tone } from "../values/show.js";
import { brief, textOf } from "../values/text.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import {
  aheadCell,
  amountWords,
  briefText,
  type Listing,
  type ListingOptions,
  lineText,
  type Phrase,
  phraseText,
  type RequesterOptions,
  requesterCell,
  textCell,
  timeCell,
  timeFact,
} from "./list.js";

/** Issued tokens in words; never throws, whatever they contain. */
export function issuedTokens(tokens: readonly IssuedToken[], options: ListingOptions): Listing<IssuedToken> {
  const { hasMore = false } = options;
  const frame = answerFrame(options, "Access tokens");
  const { clock } = frame;
  const isAnyEnded = tokens.some((token) => stateOf(token) !== "active");
  return {
    ...frame,
    hasMore,
    words: totalWords(tokens, hasMore),
    columns: [
      { title: "Channel", cell: (token) => textCell(channelOf(token)) },
      { title: "Role", isFixed: true, cell: (token) => textCell(roleOf(token)) },
      ...(isAnyEnded ? [{ title: "State", isFixed: true, cell: stateCell }] : []),
      { title: "Ends", isTime: true, cell: (token) => endCell(token, clock) },
      { title: "Token id", cell: (token) => textCell(briefText(stringIn(token, "jwt_id"))) },
      { title: "Limit", cell: limitCell },
      { title: "Requested by", cell: (token) => requesterCell(token, "requested_by", options) },
      { title: "Issued", isTime: true, isOptional: true, cell: (token) => timeCell(timeIn(token, "issued_at"), clock) },
    ],
    lineOf: (token) => lineOf(token, clock),
    items: tokens,
  };
}

/**
 * A token in one line of plain text, which is not escaped: "lobby · recvonly · up to 5 connections · ends in 8 min
 * (14:13:30) · 5f0c8a52…2c11".
 */
export function issuedTokenWords(token: IssuedToken, options: TimeOptions & RequesterOptions): string {
  const clock = clockFor(options);
  return lineText(lineOf(token, clock), clock, options);
}

/** A state that this version does not know is shown as it is. */
const stateOf = (token: unknown): string => stringIn(token, "state") || "active";

/** Tokens that clients can use, now or later. */
const isUsable = (token: unknown): boolean => !ENDED.has(stateOf(token));

const ENDED = new Set(["expired", "revoked"]);

/** "3 active tokens; 1 never ends. 2 more have ended." */
function totalWords(tokens: readonly unknown[], hasMore: boolean): string {
  const out = tokens.filter(isUsable);
  const endless = out.filter((token) => fieldOf(token, "expiration_time") === undefined).length;
  const ended = tokens.length - out.length;
  // A page of ended tokens says nothing about those on the next one.
  const none = hasMore ? "None of these tokens is active" : "No active tokens";
  const first = out.length === 0 ? none : capital(amountWords(out.length, hasMore, "active token", "active tokens"));
  return [
    `${first}${endless === 0 ? "" : `; ▲ ${formatCount(endless)} ${endless === 1 ? "never ends" : "never end"}`}.`,
    ...(ended === 0
      ? []
      : [`${formatCount(ended)}${out.length === 0 ? "" : " more"} ${ended === 1 ? "has" : "have"} ended.`]),
  ].join(" ");
}

function channelOf(token: unknown): string {
  const channel = fieldOf(token, "channel_id");
  return channel === undefined ? "every channel" : briefChannel(textOf(channel));
}

function roleOf(token: unknown): string {
  const role = fieldOf(token, "role");
  return role === undefined ? "every role" : briefText(textOf(role));
}

const limitIn = (token: unknown): unknown => fieldOf(token, "max_channel_connections");

function limitCell(token: IssuedToken): Shown {
  const limit = limitIn(token);
  if (typeof limit === "number")
    return { text: formatCount(limit), tone: limit === 0 ? "bad" : "plain", number: limit };
  return textCell(limit === undefined ? "none" : briefText(textOf(limit)));
}

function stateCell(token: IssuedToken): Shown {
  const state = stateOf(token);
  return textCell(stateWords.get(state) ?? briefText(state), state === "revoked" ? "bad" : "plain");
}

const stateWords = new Map([
  ["active", "active"],
  ["not-yet-valid", "not valid yet"],
  ["expired", "expired"],
  ["revoked", "✗ revoked"],
]);

/** A revoked token has ended when it was revoked. */
function endCell(token: IssuedToken, clock: Clock): Shown {
  const field = stateOf(token) === "revoked" ? "revoked_at" : "expiration_time";
  const given = fieldOf(token, field);
  const otherwise = given === undefined ? textCell("▲ never", "notice") : textCell(brief(textOf(given), TIME));
  return aheadCell(timeIn(token, field), clock, otherwise);
}

/** Longer than any time. */
const TIME = 40;

function lineOf(token: IssuedToken, clock: Clock): Phrase[] {
  const requestedBy = stringIn(token, "requested_by");
  return [
    [{ name: channelOf(token) }],
    [roleOf(token)],
    ...limitFact(limitIn(token)),
    ...validity(token, clock),
    ...(requestedBy === "" ? [] : [["requested by ", { person: requestedBy }]]),
    [{ name: briefId(textOf(fieldOf(token, "jwt_id"))) }],
  ];
}

function limitFact(limit: unknown): Phrase[] {
  if (limit === undefined) return [];
  if (limit === 0) return [["▲ admits no connection"]];
  return typeof limit === "number"
    ? [[`up to ${counted(limit, "connection", "connections")}`]]
    : [[`limit ${briefText(textOf(limit))}`]];
}

/** How long the token lasts, or how it has ended. */
function validity(token: IssuedToken, clock: Clock): Phrase[] {
  const state = stateOf(token);
  if (state === "revoked") return [revokedFact(token, clock)];
  const ends = timeIn(token, "expiration_time");
  const given = fieldOf(token, "expiration_time");
  if (state === "expired") return [ends === undefined ? ["✗ expired"] : timeFact("✗ expired", ends, clock)];
  const begins = state === "not-yet-valid" ? timeIn(token, "not_before") : undefined;
  return [
    ...(stateWords.has(state) ? [] : [[briefText(state)]]),
    ...(begins === undefined ? [] : [timeFact("begins", begins, clock)]),
    ends === undefined
      ? [given === undefined ? "▲ never ends" : `ends ${brief(textOf(given), TIME)}`]
      : timeFact("ends", ends, clock),
  ];
}

function revokedFact(token: IssuedToken, clock: Clock): Phrase {
  const [since, by] = [timeIn(token, "revoked_at"), stringIn(token, "revoked_by")];
  return [
    ...(since === undefined ? ["✗ revoked"] : timeFact("✗ revoked", since, clock)),
    ...(by === "" ? [] : [" by ", { person: by }]),
  ];
}

/** What an act has changed, in words. */
export interface ActWords {
  /** Starts with a mark: "✓" if all is done, "▲" if a part is not. */
  phrase: Phrase;
  tone: Tone;
}

/** What was revoked, from when on it holds, and what became of the connections. */
export function revokedPhrase(revoked: RevokedTokens, { now }: Clock): ActWords {
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

/** How many webhooks are sent again. */
export function resentPhrase(resent: ResentDeliveries): ActWords {
  const count = numberIn(resent, "resent");
  if (count === 0) return { phrase: ["▲ Nothing to resend: no delivery matches."], tone: "notice" };
  const what = counted(count, "webhook", "webhooks");
  return { phrase: [`✓ Resending ${what} with the same webhook-id as before.`], tone: "good" };
}

/** That an endpoint is switched on. */
export function enabledPhrase(endpoint: WebhookEndpoint): ActWords {
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
