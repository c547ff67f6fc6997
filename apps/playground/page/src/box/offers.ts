import type { CommandInfo, ShortcutInfo, Suggestion } from "../../../src/window/protocol.js";
import { isObject, stringIn } from "../json.js";

/** Something that can be taken from the list above the message box. */
export interface Offer {
  readonly key: string;
  readonly word: string;
  readonly hint: string;
  readonly about: string;
  readonly take: { readonly line: string } | { readonly shortcut: string };
}

/** The commands and shortcuts that begin as the text does, while no more than their name is typed. */
export function namedOffers(
  text: string,
  commands: readonly CommandInfo[],
  shortcuts: readonly ShortcutInfo[],
): Offer[] {
  if (!/^\/\S*$/.test(text)) return [];
  const wanted = text.slice(1).toLowerCase();
  return [
    ...commands
      .filter(({ name }) => name.startsWith(text))
      .map(({ name, hint, about }) => ({ key: name, word: name, hint, about, take: { line: `${name} ` } })),
    ...shortcuts
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .map(({ callbackId, name, about }) => ({
        key: callbackId,
        word: name,
        hint: "",
        about,
        take: { shortcut: callbackId },
      })),
  ];
}

/** Whether the playground knows how a line could go on. */
export function isContinued(text: string, commands: readonly CommandInfo[]): boolean {
  return !text.includes("\n") && commands.some(({ name }) => text.startsWith(`${name} `));
}

export function suggestionOffers(suggestions: readonly Suggestion[]): Offer[] {
  return suggestions.map(({ line, word, about }) => ({ key: line, word, hint: "", about, take: { line } }));
}

/** Reads what the playground suggests; what is no suggestion is left out. */
export function readSuggestions(answer: unknown): Suggestion[] {
  if (!Array.isArray(answer)) return [];
  return answer.filter(isObject).flatMap(({ line, word, about }) => {
    return stringIn(line) === "" ? [] : [{ line: stringIn(line), word: stringIn(word), about: stringIn(about) }];
  });
}
