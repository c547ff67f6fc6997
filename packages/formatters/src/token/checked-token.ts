import type { CheckedToken } from "@media-ops/contract";
import { fieldOf, SECOND, stringIn } from "@media-ops/reports/entries";
import { briefText } from "../lists/list.js";
import { counted, formatDuration } from "../values/numbers.js";
import { reasonWordOf } from "../values/reason.js";
import { briefChannel, type Tone } from "../values/show.js";
import { brief, NOTHING, textOf } from "../values/text.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { type TokenFact, tokenWords } from "./words.js";

/** The state of a token in words. Its texts contain untrusted text, which is not escaped. */
export interface CheckedTokenParts {
  clock: Clock;
  /** "✓ Good now, for another 8 min", "✗ Not good: token revoked" */
  verdict: string;
  tone: Tone;
  /** The reason as a sentence, with the next step; empty if the token is good. */
  next: string;
  /** What a client would be answered now. */
  admission: string;
  admissionTone: Tone;
  /** What the token allows; none if it is not signed by a key of the project. */
  facts: readonly TokenFact[];
}

/** The state of a token in words; never throws, whatever it contains. */
export function checkedTokenParts(checked: CheckedToken, options: TimeOptions): CheckedTokenParts {
  const clock = clockFor(options);
  const isGood = fieldOf(checked, "active") === true;
  const { text: admission, tone: admissionTone } = admissionWords(checked, isGood);
  return {
    clock,
    verdict: isGood ? goodWords(checked, clock) : `✗ Not good: ${reasonText(checked)}`,
    tone: isGood ? "good" : "bad",
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

function factsOf(checked: CheckedToken, clock: Clock): TokenFact[] {
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
