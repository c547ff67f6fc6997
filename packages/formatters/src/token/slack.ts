import type { CheckedToken } from "@media-ops/contract";
import type { RichTextElement } from "@slack/types";
import {
  bold,
  bulletList,
  context,
  date,
  exact,
  fit,
  isWritable,
  notification,
  piece,
  richText,
  type SlackBlock,
  type SlackMessage,
  TEXT,
} from "../slack/parts.js";
import { textOf } from "../values/text.js";
import { clockFor, type TimeOptions } from "../values/time.js";
import {
  checkedTokenParts,
  type TokenClaims,
  type TokenFact,
  type TokenUseOptions,
  tokenUse,
  tokenWords,
} from "./words.js";

const TITLE = "Access token";
/** Longer than any command to revoke a token. */
const COMMAND = 300;
/** The longest address of a link. */
const URL_LENGTH = 3000;

/**
 * A token in a block that is easy to copy, with the permissions that it grants and how it is used. The token is not in
 * `text`, which notifications show.
 *
 * @throws {TypeError} if `joinUrl` is not a URL with http or https, or too long for Slack.
 */
export function formatToken(token: string, claims: TokenClaims, options: TimeOptions & TokenUseOptions): SlackMessage {
  const { sentence, facts, isEndless } = tokenWords(claims, clockFor(options));
  const { usage, joinUrl, warning, revocation } = tokenUse(isEndless, options);
  if (joinUrl !== undefined && joinUrl.length > URL_LENGTH) {
    throw new TypeError(`Invalid joinUrl: must have at most ${URL_LENGTH} characters, but has ${joinUrl.length}.`);
  }
  return {
    blocks: [
      richText(bold(TITLE), piece("\n"), piece(fit(sentence, TEXT))),
      { type: "rich_text", elements: [{ type: "rich_text_preformatted", elements: [piece(textOf(token))] }] },
      bulletList(facts.map(factElements)),
      ...(usage ? [richText(piece(`${usage.words} `), exact(usage.code))] : []),
      ...(joinUrl === undefined ? [] : [richText({ type: "link", url: joinUrl, text: "Join with this token" })]),
      ...(revocation?.command === undefined
        ? []
        : [richText(piece(`${revocation.words} `), exact(fit(revocation.command, COMMAND)))]),
      context(warning, revocation?.command === undefined ? revocation?.words : undefined),
    ],
    text: notification(TITLE, sentence),
  };
}

function factElements({ title, text, time }: TokenFact): RichTextElement[] {
  const value = isWritable(time) ? date(time, "{date_short_pretty} {time_secs}", text) : piece(fit(text, TEXT));
  return [bold(`${title}: `), value];
}

/** The longest fact of a token of another issuer. */
const FACT = 1000;

/**
 * Whether a token is good, the next step if it is not, what a client would be answered now, and what the token allows.
 */
export function formatCheckedToken(checked: CheckedToken, options: TimeOptions): SlackMessage {
  const { verdict, next, admission, facts } = checkedTokenParts(checked, options);
  const texts = [next, admission].filter((text) => text !== "");
  const blocks: SlackBlock[] = [richText(bold(verdict), ...texts.map((text) => piece(`\n${text}`)))];
  if (facts.length > 0) {
    blocks.push(bulletList(facts.map((fact) => factElements({ ...fact, text: fit(fact.text, FACT) }))));
  }
  return { blocks, text: notification(verdict, ...texts.slice(0, 1)) };
}
