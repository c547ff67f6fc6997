import type { RichTextSection } from "@slack/types";
import { type TokenClaims, type TokenFact, tokenWords } from "../token.js";
import { textOf } from "../values/text.js";
import { clockFor, type TimeOptions } from "../values/time.js";
import type { SlackMessage } from "./message.js";
import { bold, context, date, fit, isWritable, notification, piece, richText, TEXT } from "./parts.js";

const TITLE = "Access token";

/**
 * A token in a block from which it is easily copied, and what it allows. It stands there and nowhere else: not in `text`,
 * which is shown in notifications.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatToken(token: string, claims: TokenClaims, options: TimeOptions): SlackMessage {
  const { sentence, facts, isEndless } = tokenWords(claims, clockFor(options));
  return {
    blocks: [
      richText(bold(TITLE), piece("\n"), piece(fit(sentence, TEXT))),
      { type: "rich_text", elements: [{ type: "rich_text_preformatted", elements: [piece(textOf(token))] }] },
      { type: "rich_text", elements: [{ type: "rich_text_list", style: "bullet", elements: facts.map(factItem) }] },
      context(`Whoever has it can use it${isEndless ? ", and it never ends" : " until it ends"}.`),
    ],
    text: notification(TITLE, sentence),
  };
}

function factItem({ title, text, time }: TokenFact): RichTextSection {
  const value = isWritable(time) ? date(time, "{date_short_pretty} {time_secs}", text) : piece(fit(text, TEXT));
  return { type: "rich_text_section", elements: [bold(`${title}: `), value] };
}
