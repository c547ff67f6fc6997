import type { SlackMessage } from "../slack/index.js";

/** Parts of blocks that do something, which no text from outside may become. */
const live = new Set([
  "link",
  "user",
  "usergroup",
  "channel",
  "team",
  "broadcast",
  "emoji",
  "color",
  "markdown",
  "image",
]);

const DATE = /<!date\^\d+\^[a-z_{} ·]+\|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ>/g;

/** Whatever in a message is markup that no printer wrote; empty where all is well. */
export function strayMarkup({ blocks, text }: SlackMessage): string[] {
  return [...strayIn(text, "text"), ...blocks.flatMap(within)];
}

function within(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  const { type, text, url, verbatim } = part as Record<string, unknown>;
  const here: string[] = [];
  if (typeof type === "string" && live.has(type)) here.push(`a part of type ${type}`);
  if (url !== undefined) here.push(`an address: ${String(url)}`);
  if (type === "mrkdwn" && verbatim !== true) here.push("addresses and names are made links");
  if (type === "mrkdwn") here.push(...strayIn(String(text).replace(DATE, ""), "mrkdwn"));
  return [...here, ...Object.values(part).flatMap(within)];
}

function strayIn(text: string, where: string): string[] {
  // Code is shown as it is, but for what is read as an entity or a bracket.
  const prose = text.replace(/^\*[A-Za-z ]+\*\n/, "").replace(/`[^`\n]+`/g, "");
  const found = [
    text.match(/[<>]|&(?!(?:amp|lt|gt);)/),
    prose.match(/[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|@(?:here|channel|everyone)\b/i),
    prose.match(/^[ \t]*(?:&gt;|＞)/m),
  ];
  return found.flatMap((match) => (match ? [`${match[0]} in ${where}: ${text.slice(0, 200)}`] : []));
}
