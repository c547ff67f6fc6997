import { kindsWith } from "../filters/fields.js";
import type { Entry, Grammar } from "../grammar.js";
import { kindNamed, kindNames, likelyKinds } from "../kinds.js";
import { nearestOf } from "../nearest.js";
import { oneOfThese, quote, shorten } from "../quote.js";
import { nameOf } from "../signs.js";
import type { ReadContext } from "../values/value-type.js";
import { type Fault, faultAt, placeOf } from "./fault.js";
import { guess } from "./guess.js";
import { type Bare, type Item, type Keyed, rawOf, textOf } from "./items.js";

/** Which command is meant, and the words that belong to it. */
export interface Chosen {
  readonly ok: true;
  readonly entry: Entry;
  readonly items: readonly Item[];
}

/** Which command the first words name. */
export function chooseCommand(items: readonly Item[], grammar: Grammar, context: ReadContext): Chosen | Fault {
  const [first, ...rest] = items;
  if (!first) {
    // Whoever types nothing wants to know what there is to type.
    const [entry] = grammar.help ? [grammar.help] : grammar.entries;
    if (entry) return { ok: true, entry, items: [] };
    return { ok: false, reason: "There are no commands.", repair: "" };
  }
  if (first.form === "keyed") return lateCommand(first, items, grammar);
  // Phones make one long dash of two short ones: —help.
  const entry = grammar.entryNamed(first.text.replace(/^—/, "--"));
  if (entry) return { ok: true, entry, items: rest };
  if (grammar.implied && kindNamed(first.text)) return { ok: true, entry: grammar.implied, items };
  return unknownCommand(first, items, grammar, context);
}

function lateCommand(first: Keyed, items: readonly Item[], grammar: Grammar): Fault {
  const reason = `A command comes first, before ${quote(textOf(first))}.`;
  const named = items.find((item) => item.form === "bare" && grammar.entryNamed(item.text));
  const head = named ? rawOf(named) : entryFor(items, grammar)?.spec.name;
  if (head === undefined) return noCommand(items, grammar);
  const rest = items.filter((item) => item !== named);
  return { ok: false, reason, at: placeOf([first]), repair: [head, ...rest.map(rawOf)].join(" ") };
}

/** The command that knows most of the names that were typed. */
function entryFor(items: readonly Item[], { entries, implied }: Grammar): Entry | undefined {
  const known = (entry: Entry): number =>
    items.filter((item) => item.form === "keyed" && knows(entry, item.key)).length;
  const best = entries.reduce<Entry | undefined>(
    (before, entry) => (known(entry) > (before ? known(before) : 0) ? entry : before),
    undefined,
  );
  return best ?? implied;
}

function knows({ spec, options, arguments: args }: Entry, key: string): boolean {
  const isFilter = Boolean(spec.filters) && kindsWith(key).length > 0;
  return isFilter || [...options, ...args].some(({ words }) => words.includes(nameOf(key)));
}

function unknownCommand(first: Bare, items: readonly Item[], grammar: Grammar, context: ReadContext): Fault {
  const rest = items.slice(1);
  const names = grammar.entries.flatMap((entry) => entry.names);
  const near = nearestOf(first.text, [...names, ...(grammar.implied ? kindNames : [])]);
  const name = near && (grammar.entryNamed(near)?.spec.name ?? kindNamed(near));
  const draft = { head: "", items };
  if (name) return faultAt(draft, [first], `There is no command ${quote(first.text)}: did you mean ${name}?`, name);

  // show webhooks, please summary api
  const later = rest.findIndex(
    (item) => item.form === "bare" && (grammar.entryNamed(item.text) || kindNamed(item.text)),
  );
  if (later >= 0) return { ...noCommand(items, grammar), repair: rest.slice(later).map(rawOf).join(" ") };

  const meant = guessAny(first, grammar, context);
  if (!meant) return noCommand(items, grammar);
  const whole = `${meant.head} ${meant.text}`;
  const reason = `There is no command ${quote(first.text)}: did you mean ${shorten(whole, 60)}?`;
  return faultAt({ head: meant.head, items }, [first], reason, meant.text);
}

/** The filter or option that a word can hardly help being, and the command in which it would stand. */
function guessAny(word: Bare, { implied }: Grammar, context: ReadContext): { head: string; text: string } | undefined {
  for (const kind of implied ? likelyKinds : []) {
    const meant = implied && guess(word, implied, kind, context);
    if (meant?.likely === 3) return { head: `${implied?.spec.name} ${kind}`, text: meant.text };
  }
  return undefined;
}

function noCommand(items: readonly Item[], { entries, fallback }: Grammar): Fault {
  const [first] = items;
  const names = entries.map(({ spec }) => spec.name);
  const reason = `There is no command ${quote(first ? textOf(first) : "")}; there are ${oneOfThese(names, "and")}.`;
  return { ok: false, reason, at: first && placeOf([first]), repair: fallback };
}
