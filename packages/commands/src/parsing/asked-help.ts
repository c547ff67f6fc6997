import type { Grammar } from "../grammar.js";
import { kindNamed } from "../kinds.js";
import { isQuoted } from "../words.js";
import type { Item } from "./items.js";

const HELP = /^(?:\?|？|-h|--help|—help)$/i;

/** What help is asked on, where a command is followed by `help`, or by `--help`, `-h` or `?` anywhere; undefined where it is not. */
export function topicAsked(items: readonly Item[], grammar: Grammar): string | undefined {
  const [first, second] = items;
  if (!grammar.help || first?.form !== "bare") return undefined;
  const asked = grammar.entryAsked(first.text);
  if (asked) return asked.spec.name;
  const entry = grammar.entryNamed(first.text) ?? (kindNamed(first.text) ? grammar.implied : undefined);
  if (!entry || entry === grammar.help) return undefined;

  const words = items.filter((item) => item.form === "bare");
  const last = entry.spec.filters ? words.at(-1) : undefined;
  const isAsked = words.some(
    (word) =>
      word !== first &&
      !isQuoted(word) &&
      (HELP.test(word.text) || ((word === second || word === last) && /^help$/i.test(word.text))),
  );
  if (!isAsked) return undefined;
  const kind = entry.spec.filters ? words.map(({ text }) => kindNamed(text)).find(Boolean) : undefined;
  return kind ?? entry.spec.name;
}
