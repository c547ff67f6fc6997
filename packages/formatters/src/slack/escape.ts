// Slack knows no way to escape these, so what looks like them stands in their place.
const lookalikes = new Map([
  ["*", "∗"],
  ["_", "ˍ"],
  ["~", "∼"],
  ["`", "ˋ"],
]);

const entities = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
]);

/** Cannot be seen, and parts what would be read together. */
const JOINER = "\u2060";

/**
 * Makes a text mean nothing in Slack's `mrkdwn`: it mentions nobody, links nothing, and is neither bold, a quote nor an
 * emoji. Bare addresses still become links, unless the text object is `verbatim`.
 */
export function escapeMrkdwn(text: string): string {
  return (
    text
      // A sign at the beginning of a line makes a quote, also where it is escaped.
      .replace(/^[ \t]*(?=[>＞])/gm, `$&${JOINER}`)
      .replace(/@(?=(?:here|channel|everyone)\b)/gi, `@${JOINER}`)
      // Not the times of a day: no emoji is called by figures alone.
      .replace(/:(?!\d+:)(?=[^\s:]+:)/g, `:${JOINER}`)
      // Within a name, an underscore is one.
      .replace(/[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, (sign) => lookalikes.get(sign) ?? sign)
      .replace(/[&<>]/g, (sign) => entities.get(sign) ?? sign)
  );
}

/** A text as code in `mrkdwn`, where it is shown sign by sign; only backticks are replaced. */
export function codeSpan(text: string): string {
  const shown = text.replaceAll("`", "ˋ").replace(/[&<>]/g, (sign) => entities.get(sign) ?? sign);
  return `\`${shown}\``;
}
