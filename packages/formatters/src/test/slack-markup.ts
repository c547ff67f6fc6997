import type { SlackMessage } from "../slack/index.js";

/** Interactive parts of blocks, which untrusted text must never become. */
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

/** Markup in a message that no printer wrote; empty if the message is safe. */
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
  // Code is shown unchanged, except for entities and brackets.
  const prose = text.replace(/^\*[A-Za-z ]+\*\n/, "").replace(/`[^`\n]+`/g, "");
  const found = [
    text.match(/[<>]|&(?!(?:amp|lt|gt);)/),
    prose.match(/[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|@(?:here|channel|everyone)\b/i),
    prose.match(/^[ \t]*(?:&gt;|＞)/m),
  ];
  return found.flatMap((match) => (match ? [`${match[0]} in ${where}: ${text.slice(0, 200)}`] : []));
}
