import { DAY } from "@media-ops/reports/entries";
import type { RichTextElement } from "@slack/types";
import { type Phrase, requesterName, SEPARATOR } from "../phrase.js";
import { brief } from "../values/text.js";
import type { Clock } from "../values/time.js";
import { codeSpan, date, dateSpan, escapeMrkdwn, exact, isWritable, piece } from "./parts.js";

/** A person in Slack, who is shown as a mention. */
export interface SlackPerson {
  /** The id of the person, such as `U0ANN`. */
  userId: string;
}

/** Options of everything that names who requested something. */
export interface SlackRequesterOptions {
  /**
   * Names who requested something, such as `{ userId: "U0ANN" }` for `slack:T0PLAY/U0ANN`. Texts are escaped; an empty
   * text means the default.
   * @default the text of the service
   */
  nameOf?: ((requestedBy: string) => string | SlackPerson) | undefined;
}

/** Slack refuses or misreads a mention of anything else. */
const USER_ID = /^[UW][A-Z0-9]{2,30}$/;
const LONGEST_NAME = 64;

/** Who requested something: the id of a person, or a name. */
function requesterOf(requestedBy: string, { nameOf }: SlackRequesterOptions): { userId: string } | { name: string } {
  const shown = nameOf?.(requestedBy) ?? "";
  if (typeof shown !== "string" && USER_ID.test(shown.userId)) return shown;
  const name = requesterName(requestedBy, { nameOf: () => (typeof shown === "string" ? shown : "") });
  return { name: brief(name, LONGEST_NAME) };
}

/** Only the time if it is near; the relative time stands beside it. */
const formatNear = (time: number, { now }: Clock): string =>
  Math.abs(now - time) < DAY ? "{time_secs}" : "{date_num} {time_secs}";

/** A phrase in Slack's markup. */
function phraseMrkdwn(phrase: Phrase, clock: Clock, options: SlackRequesterOptions): string {
  // Neighbouring words are escaped together: a mention or an emoji may span them.
  return phrase
    .map((part) => {
      if (typeof part === "string") return escapeMrkdwn(part);
      if ("name" in part) return codeSpan(part.name);
      if ("time" in part) {
        return isWritable(part.time) ? dateSpan(part.time, formatNear(part.time, clock)) : clock.short(part.time);
      }
      const who = requesterOf(part.person, options);
      return "userId" in who ? `<@${who.userId}>` : codeSpan(who.name);
    })
    .join("");
}

/** A line of facts in Slack's markup. */
export const lineMrkdwn = (line: readonly Phrase[], clock: Clock, options: SlackRequesterOptions): string =>
  line.map((phrase) => phraseMrkdwn(phrase, clock, options)).join(SEPARATOR);

/** A phrase as rich text. */
export function phraseElements(phrase: Phrase, clock: Clock): RichTextElement[] {
  return phrase.map((part) => {
    if (typeof part === "string") return piece(part);
    if ("name" in part) return exact(part.name);
    if ("person" in part) return exact(part.person);
    return isWritable(part.time) ? date(part.time, formatNear(part.time, clock)) : piece(clock.short(part.time));
  });
}
