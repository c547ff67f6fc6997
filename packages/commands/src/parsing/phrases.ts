import type { Grammar } from "../grammar.js";
import { isQuoted, nameOf, unquoted, type Word } from "../words.js";
import { type Bare, type Fault, type Item, itemsOf, rangeOf, withoutProgram } from "./items.js";

/** The items of a command. A phrase at its start, such as `token list`, is one item with the command's name. */
export function commandItems(words: readonly Word[], grammar: Grammar): readonly Item[] {
  const items = withoutProgram(itemsOf(words, grammar));
  const phrase = grammar.phrases.find((one) => wordsAt(items, one.words));
  const said = phrase && wordsAt(items, phrase.words);
  if (!said) return items;
  const name: Bare = { form: "bare", ...unquoted(phrase.name), words: said.flatMap((item) => item.words) };
  return [name, ...items.slice(said.length)];
}

/** The answer to a command that only another program has, and to a request for help on it. */
export function absentFault(items: readonly Item[], { absent, help }: Grammar): Fault | undefined {
  const [first] = items;
  const isHelp = first?.form === "bare" && help?.names.includes(nameOf(first.text));
  const typed = isHelp ? items.slice(1) : items;
  for (const { phrases, reason, nearest } of absent) {
    const said = phrases.map((phrase) => wordsAt(typed, phrase.split(" "))).find(Boolean);
    if (said) return { ok: false, reason, at: rangeOf(said), repair: nearest };
  }
  return undefined;
}

/** The words that can follow a command's name in a phrase for another command: `revoke` after `tokens`. */
export function continuations(
  items: readonly Item[],
  { phrases, entries }: Grammar,
): { text: string; about: string }[] {
  const typed = items.flatMap((item) => (item.form === "bare" ? [nameOf(item.text)] : []));
  if (typed.length !== items.length || !entries.some(({ spec }) => spec.name === typed[0])) return [];
  return entries.flatMap(({ spec: { name, about } }) => {
    const isNext = phrases.some(
      ({ name: of, words }) => of === name && words.at(-1) === name && words.slice(0, -1).join(" ") === typed.join(" "),
    );
    return isNext ? [{ text: name, about }] : [];
  });
}

/** The first items, if they are these words. The last one may end as a question. */
function wordsAt(items: readonly Item[], words: readonly string[]): readonly Bare[] | undefined {
  const first = items.slice(0, words.length).filter((item) => item.form === "bare");
  const isSaid = first.length === words.length && first.every((item, at) => isWord(item, words, at));
  return isSaid ? first : undefined;
}

function isWord(item: Bare, words: readonly string[], at: number): boolean {
  const isLast = at === words.length - 1 && at > 0;
  const name = nameOf(isLast ? item.text.replace(/[?？!！]+$/, "") : item.text);
  return !isQuoted(item) && name === words[at];
}
