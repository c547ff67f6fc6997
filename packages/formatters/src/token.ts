import type { CheckedToken } from "@media-ops/contract";
import { fieldOf, SECOND, stringIn } from "@media-ops/reports/entries";
import type { RichTextElement } from "@slack/types";
import { briefText } from "./lists.js";
import * as slack from "./slack/parts.js";
import * as terminal from "./terminal/screen.js";
import { clean, wrap } from "./terminal/width.js";
import type { Fact } from "./values/answer.js";
import { counted, formatCount, formatDuration } from "./values/numbers.js";
import { briefChannel, channelWords, reasonWordOf, type Tone } from "./values/show.js";
import { brief, type Clock, clockFor, formatAgo, NOTHING, oneLine, type TimeOptions, textOf } from "./values/words.js";

/** The claims of a token; times are seconds since 1970. Any claim may be missing, and others may exist. */
export interface TokenClaims {
  iat?: number | undefined;
  nbf?: number | undefined;
  exp?: number | undefined;
  jti?: string | undefined;
  channel_id?: string | undefined;
  role?: string | undefined;
  max_channel_connections?: number | undefined;
}

const roles = new Map([
  ["sendrecv", "send and receive"],
  ["sendonly", "send"],
  ["recvonly", "receive"],
]);

/** The permissions of a token, in words. Claims of a wrong type are shown unchanged. */
export function tokenWords(claims: TokenClaims, clock: Clock): { sentence: string; facts: Fact[]; isEndless: boolean } {
  const read = readClaims(claims);
  const { channel = ANY_CHANNEL, role = "any", nbf, exp, limit } = read;
  return {
    sentence: sentenceOf(read, clock.now),
    facts: [
      { title: "Channel", text: channel },
      { title: "Role", text: role },
      { title: "Begins", ...timeFact(nbf, "at once", clock) },
      { title: "Ends", ...timeFact(exp, "never", clock) },
      { title: "Limit", text: limitFact(limit) },
      { title: "Token id", text: textOf(fieldOf(claims, "jti")) },
    ],
    isEndless: exp === undefined,
  };
}

const ANY_CHANNEL = "any channel of the project";

function readClaims(claims: TokenClaims) {
  const claim = (name: keyof TokenClaims): unknown => fieldOf(claims, name);
  const words = (value: unknown, write: (text: string) => string): string | undefined => {
    if (value === undefined) return undefined;
    return typeof value === "string" ? write(value) : textOf(value);
  };
  return {
    channel: words(claim("channel_id"), channelWords),
    role: words(claim("role"), textOf),
    nbf: claim("nbf"),
    exp: claim("exp"),
    limit: claim("max_channel_connections"),
  };
}

function timeIn(seconds: unknown): number | undefined {
  return typeof seconds === "number" && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

function sentenceOf(
  { channel = ANY_CHANNEL, role, nbf, exp, limit }: ReturnType<typeof readClaims>,
  now: number,
): string {
  const [begins, ends] = [timeIn(nbf), timeIn(exp)];
  if (ends !== undefined && ends <= now) return `Has expired: it ended ${formatAgo(ends, now)}.`;
  if (ends !== undefined && begins !== undefined && ends <= begins) return "Is never valid: it ends before it begins.";
  if (limit === 0) return "Refuses every connection, because its limit is 0.";
  const start = begins !== undefined && begins > now ? begins : undefined;
  const does = role === undefined ? "send and receive" : (roles.get(role) ?? `act as ${role}`);
  return [
    `Lets its holder ${does} in ${channel}`,
    start === undefined ? "" : `, beginning ${formatAgo(start, now)}`,
    exp === undefined ? ", with no expiry" : "",
    ends === undefined ? "" : `, for ${formatDuration(ends - (start ?? wholeSecond(now)))}`,
    typeof limit === "number" ? `, while fewer than ${formatCount(limit)} are connected there` : "",
    ".",
  ].join("");
}

// Token times are whole seconds: a token just made for ten minutes must not read as 9 min 59 s.
const wholeSecond = (time: number): number => Math.floor(time / SECOND) * SECOND;

function timeFact(claim: unknown, missing: string, clock: Clock): Pick<Fact, "text" | "time"> {
  if (claim === undefined) return { text: missing };
  const time = timeIn(claim);
  return time === undefined
    ? { text: textOf(claim) }
    : { text: `${clock.zoned(time)} · ${formatAgo(time, clock.now)}`, time };
}

function limitFact(limit: unknown): string {
  if (limit === undefined) return "none";
  if (limit === 0) return "0: every connection is refused";
  return typeof limit === "number" ? `fewer than ${formatCount(limit)} connections in the channel` : textOf(limit);
}

/** What is said about the use of a token, beside what it allows. */
export interface TokenUseOptions {
  /** Whether to show how a client passes the token. @default true; false without the token */
  usage?: boolean | undefined;
  /** A link by which a person joins with this token; it must start with http:// or https://. @default none */
  joinUrl?: string | undefined;
  /**
   * Whether the service can revoke the token, or how: a command such as "/media revoke 5f0c8a52-…".
   * @default nothing is said about it
   */
  revocable?: boolean | string | undefined;
}

// A placeholder: the token itself is shown once.
const SNIPPET = '{ "access_token": "<token>" }';

/**
 * How a token is used and ended, in words, which are not escaped.
 *
 * @throws {TypeError} if `joinUrl` has another scheme. The message has no part of the URL, which may hold the token.
 */
function tokenUse(isEndless: boolean, { usage = true, joinUrl, revocable }: TokenUseOptions) {
  if (joinUrl !== undefined && !/^https?:\/\//.test(joinUrl)) {
    throw new TypeError("Invalid joinUrl: must start with http:// or https://.");
  }
  const revoked = revocable === undefined || revocable === false ? "" : " or is revoked";
  return {
    usage: usage ? { words: "A client passes it in its metadata:", code: SNIPPET } : undefined,
    joinUrl,
    warning: isEndless
      ? `Anyone with this token can use it, and it never expires${revoked && ": it ends only if it is revoked"}.`
      : `Anyone with this token can use it until it expires${revoked}.`,
    revocation: revocationOf(revocable),
  };
}

function revocationOf(revocable: boolean | string | undefined): { words: string; command?: string } | undefined {
  if (revocable === undefined || revocable === "") return undefined;
  if (typeof revocable === "string") return { words: "To revoke it:", command: oneLine(revocable) };
  return {
    words: revocable
      ? "It can be revoked by its token id."
      : "It can't be revoked on its own, only together with the API key that signed it.",
  };
}

/**
 * The state of a token in words, with untrusted text: the verdict, the reason and next step if it is not good, what a
 * client would be answered now, and what it allows; never throws, whatever it contains.
 */
export function checkedTokenParts(checked: CheckedToken, options: TimeOptions) {
  const clock = clockFor(options);
  const isGood = fieldOf(checked, "active") === true;
  const { text: admission, tone: admissionTone } = admissionWords(checked, isGood);
  return {
    verdict: isGood ? goodWords(checked, clock) : `✗ Not good: ${reasonText(checked)}`,
    tone: isGood ? ("good" as const) : ("bad" as const),
    next: isGood ? "" : nextStep(checked),
    admission,
    admissionTone,
    facts: isSigned(checked) ? factsOf(checked, clock) : [],
  };
}

/** Claims are only given for a token that a key of the project has signed. */
const isSigned = (checked: unknown): boolean =>
  ["jti", "iat", "nbf", "exp", "channel_id", "role", "max_channel_connections"].some(
    (name) => fieldOf(checked, name) !== undefined,
  );

function goodWords(checked: CheckedToken, { now }: Clock): string {
  const ends = fieldOf(checked, "exp");
  if (ends === undefined) return "✓ Good now, and it ▲ never ends";
  const left = typeof ends === "number" && Number.isFinite(ends) ? ends * SECOND - now : 0;
  return left > 0 ? `✓ Good now, for another ${formatDuration(left)}` : "✓ Good now";
}

const reasonText = (thing: unknown): string => {
  const reason = stringIn(thing, "reason");
  return reason === "" ? "reason not known" : briefText(reasonWordOf(reason));
};

const MESSAGE = 400;

/** The service's own sentence; it names the next step. */
function nextStep(checked: CheckedToken): string {
  const message = stringIn(checked, "message");
  if (message !== "") return brief(message, MESSAGE);
  return stringIn(checked, "reason") === "not-yet-valid" ? "Wait until it begins." : "Make a new token.";
}

function factsOf(checked: CheckedToken, clock: Clock): Fact[] {
  const key = stringIn(checked, "key_id");
  const { facts } = tokenWords(checked, clock);
  return key === "" ? facts : [...facts, { title: "Key id", text: textOf(key) }];
}

function admissionWords(checked: CheckedToken, isGood: boolean): { text: string; tone: Tone } {
  const admission = fieldOf(checked, "admission");
  if (admission === undefined) {
    const text = isGood ? "Name a channel to check whether a client would be admitted there." : "";
    return { text, tone: "plain" };
  }
  const isAllowed = fieldOf(admission, "allowed") === true;
  const connections = fieldOf(admission, "channel_connections");
  const taken = typeof connections === "number" ? `; it has ${counted(connections, "connection", "connections")}` : "";
  const [channel, role] = [briefChannel(stringIn(admission, "channel_id")), stringIn(admission, "role")];
  const place = `${channel || NOTHING}${role === "" ? "" : ` as ${briefText(role)}`}`;
  if (isAllowed) return { text: `✓ A client would be admitted to ${place}${taken}.`, tone: "good" };
  const message = stringIn(admission, "message");
  // If the token itself is the reason, it is said already.
  const isSaid = message === "" || message === stringIn(checked, "message");
  const why = isSaid ? "" : ` ${brief(message, MESSAGE)}`;
  return { text: `✗ A client would be refused in ${place}: ${reasonText(admission)}.${why}`, tone: "bad" };
}

const TITLE = "Access token";
/** Longer than any command to revoke a token. */
const COMMAND = 300;
const URL_LENGTH = 3000;

/**
 * A token in a block that is easy to copy, with the permissions that it grants and how it is used. The token is not in
 * `text`, which notifications show.
 *
 * @throws {TypeError} if `joinUrl` is not a URL with http or https, or too long for Slack.
 */
export function slackToken(
  token: string,
  claims: TokenClaims,
  options: TimeOptions & TokenUseOptions,
): slack.SlackMessage {
  const { sentence, facts, isEndless } = tokenWords(claims, clockFor(options));
  const { usage, joinUrl, warning, revocation } = tokenUse(isEndless, options);
  if (joinUrl !== undefined && joinUrl.length > URL_LENGTH) {
    throw new TypeError(`Invalid joinUrl: must have at most ${URL_LENGTH} characters, but has ${joinUrl.length}.`);
  }
  return {
    blocks: [
      slack.richText(slack.bold(TITLE), slack.piece("\n"), slack.piece(slack.fit(sentence, slack.TEXT))),
      { type: "rich_text", elements: [{ type: "rich_text_preformatted", elements: [slack.piece(textOf(token))] }] },
      slack.bulletList(facts.map(factElements)),
      ...(usage ? [slack.richText(slack.piece(`${usage.words} `), slack.exact(usage.code))] : []),
      ...(joinUrl === undefined ? [] : [slack.richText({ type: "link", url: joinUrl, text: "Join with this token" })]),
      ...(revocation?.command === undefined
        ? []
        : [slack.richText(slack.piece(`${revocation.words} `), slack.exact(slack.fit(revocation.command, COMMAND)))]),
      slack.context(warning, revocation?.command === undefined ? revocation?.words : undefined),
    ],
    text: slack.notification(TITLE, sentence),
  };
}

function factElements({ title, text, time }: Fact): RichTextElement[] {
  const value = slack.isWritable(time)
    ? slack.date(time, "{date_short_pretty} {time_secs}", text)
    : slack.piece(slack.fit(text, slack.TEXT));
  return [slack.bold(`${title}: `), value];
}

/** The longest fact of a token of another issuer. */
const FACT = 1000;

/**
 * Whether a token is good, the next step if it is not, what a client would be answered now, and what the token allows.
 */
export function slackCheckedToken(checked: CheckedToken, options: TimeOptions): slack.SlackMessage {
  const { verdict, next, admission, facts } = checkedTokenParts(checked, options);
  const texts = [next, admission].filter((text) => text !== "");
  const blocks: slack.SlackBlock[] = [
    slack.richText(slack.bold(verdict), ...texts.map((text) => slack.piece(`\n${text}`))),
  ];
  if (facts.length > 0) {
    blocks.push(slack.bulletList(facts.map((fact) => factElements({ ...fact, text: slack.fit(fact.text, FACT) }))));
  }
  return { blocks, text: slack.notification(verdict, ...texts.slice(0, 1)) };
}

/**
 * A token, the permissions that it grants, and how it is used. The token is on one line, which may exceed the width of
 * the terminal, so that it can be copied.
 *
 * @throws {TypeError} if `joinUrl` is not a URL with http or https.
 */
export function terminalToken(
  token: string,
  claims: TokenClaims,
  options: terminal.TerminalOptions & TokenUseOptions,
): string {
  return [clean(token), "", terminalClaims(claims, { usage: true, ...options })].join("\n");
}

/**
 * The permissions that a token grants, without the token: for a shared screen, or beside a token that is piped. Says how
 * a client uses it only with `usage`.
 *
 * @throws {TypeError} if `joinUrl` is not a URL with http or https.
 */
export function terminalClaims(claims: TokenClaims, options: terminal.TerminalOptions & TokenUseOptions): string {
  const screen = terminal.timedScreenOf(options);
  const { sentence, facts, isEndless } = tokenWords(claims, screen.clock);
  const use = tokenUse(isEndless, { ...options, usage: options.usage ?? false });
  return [
    ...wrap(clean(sentence), screen.width),
    "",
    ...terminal.factLines(facts, screen),
    ...useLines(use, screen),
  ].join("\n");
}

function useLines(
  { usage, joinUrl, revocation }: ReturnType<typeof tokenUse>,
  { width }: terminal.TimedScreen,
): string[] {
  // What is copied is on a line of its own, even if it is wider than the terminal.
  return [
    ...(usage ? ["", ...wrap(usage.words, width), ...wrap(usage.code, width)] : []),
    ...(joinUrl === undefined ? [] : ["", "To join with it:", clean(joinUrl)]),
    ...(revocation ? ["", ...wrap(revocation.words, width)] : []),
    ...(revocation?.command === undefined ? [] : [clean(revocation.command)]),
  ];
}

/**
 * Whether a token is good, the next step if it is not, what a client would be answered now, and what the token allows.
 */
export function terminalCheckedToken(checked: CheckedToken, options: terminal.TerminalOptions): string {
  const screen = terminal.timedScreenOf(options);
  const { verdict, tone, next, admission, admissionTone, facts } = checkedTokenParts(checked, options);
  return [
    ...terminal.textLines(verdict, tone, screen),
    ...terminal.textLines(next, "plain", screen),
    ...terminal.textLines(admission, admissionTone, screen),
    ...(facts.length === 0 ? [] : ["", ...terminal.factLines(facts, screen)]),
  ].join("\n");
}
