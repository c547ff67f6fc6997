import { language } from "@media-ops/bot";
import type { Suggestion } from "./window/protocol.js";

const COMMAND = "/media";
/** What stands behind these goes on without a space. */
const IS_OPEN = /[:=~<>,]$/;

/** The ways in which a line could go on that is being typed: first the command, then what it understands. */
export function suggest(line: string): readonly Suggestion[] {
  const typed = /^(\/\S*)(\s+)(.*)$/s.exec(line);
  if (!typed) {
    const isBegun = line.startsWith("/") && COMMAND.startsWith(line.toLowerCase());
    return isBegun
      ? [{ line: `${COMMAND} `, word: COMMAND, about: "Logs and access tokens of your media service" }]
      : [];
  }
  const [, command = "", , rest = ""] = typed;
  if (command.toLowerCase() !== COMMAND) return [];
  const words = rest.split(/\s+/);
  const last = words.at(-1) ?? "";
  const before = line.slice(0, line.length - last.length);
  return language
    .complete(words, { now: Date.now() })
    .filter(({ text }) => text !== last)
    .map(({ text, about }) => ({ line: `${before}${text}${IS_OPEN.test(text) ? "" : " "}`, word: text, about }));
}
