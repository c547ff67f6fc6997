import type { IssuedToken } from "@media-ops/contract";
import { fieldOf, stringIn, timeIn } from "@media-ops/reports/entries";
import {
  aheadCell,
  amountWords,
  briefText,
  type Listing,
  type ListingOptions,
  markdownPrinter,
  requesterCell,
  slackPrinter,
  terminalPrinter,
  textCell,
  timeCell,
  timeFact,
} from "./lists.js";
import { capital } from "./logs.js";
import { answerFrame, lineText, type Phrase, type RequesterOptions } from "./values/answer.js";
import { counted, formatCount } from "./values/numbers.js";
import { briefChannel, briefId, type Shown } from "./values/show.js";
import { brief, type Clock, clockFor, type TimeOptions, textOf } from "./values/words.js";

/** Issued tokens in words; never throws, whatever they contain. */
export function issuedTokens(tokens: readonly IssuedToken[], options: ListingOptions): Listing<IssuedToken> {
  const { hasMore = false } = options;
  const frame = answerFrame(options, "Access tokens");
  const { clock } = frame;
  const isAnyEnded = tokens.some((token) => stateOf(token) !== "active");
  return {
    ...frame,
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

/** Issued tokens, each with its limits, how long it lasts, and who requested it. */
export const slackTokens = slackPrinter(issuedTokens);

/** Issued tokens, one per line. */
export const terminalTokens = terminalPrinter(issuedTokens);

/** Issued tokens, as a table. */
export const markdownTokens = markdownPrinter(issuedTokens);
