import { language } from "@media-ops/bot";
import type { AppInfo } from "./settings.js";
import type { Suggestion } from "./window/protocol.js";

/** A suggestion that ends with one of these gets no trailing space. */
const IS_OPEN = /[:=~<>,]$/;

type App = Pick<AppInfo, "name" | "commands" | "shortcuts">;

/** Suggests the app's commands and shortcuts, or its name after an `@`, and then the arguments of the command. */
export function suggest(app: App, line: string): readonly Suggestion[] {
  const [, command, rest] = /^(\/\S*)(?:\s+(.*))?$/s.exec(line) ?? [];
  if (command === undefined) return suggestMention(app, line);
  if (rest === undefined) return named(app, command);
  return app.commands.some((known) => known.command === command) ? completions(line, rest) : [];
}

/** A mention of the app may stand anywhere in a message. What follows it is a command. */
function suggestMention({ name }: App, line: string): Suggestion[] {
  const mention = `@${name}`;
  const [, rest] = line.split(`${mention} `);
  if (rest !== undefined) return completions(line, rest);
  const [typed] = /(?<!\S)@[^@]*$/.exec(line) ?? [];
  if (typed === undefined || !mention.toLowerCase().startsWith(typed.toLowerCase())) return [];
  const before = line.slice(0, line.length - typed.length);
  return [{ word: mention, about: "answers in the thread, for everyone", line: `${before}${mention} ` }];
}

function completions(line: string, rest: string): Suggestion[] {
  const words = rest.split(/\s+/);
  const last = words.at(-1) ?? "";
  const before = line.slice(0, line.length - last.length);
  return language
    .complete(words, { now: Date.now() })
    .filter(({ text }) => text !== last)
    .map(({ text, about }) => ({ line: `${before}${text}${IS_OPEN.test(text) ? "" : " "}`, word: text, about }));
}

function named({ commands, shortcuts }: App, typed: string): Suggestion[] {
  const wanted = typed.slice(1).toLowerCase();
  return [
    ...commands
      .filter(({ command }) => command.startsWith(typed))
      .map(({ command: word, usage_hint: hint, description: about }) => ({ word, hint, about, line: `${word} ` })),
    ...shortcuts
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .map(({ callback_id: shortcut, name: word, description: about }) => ({ word, about, shortcut })),
  ];
}
