import { kindsWith } from "../filters/fields.js";
import type { Entry, Grammar } from "../grammar.js";
import { kindNamed, kindNames, kinds, type LogKind } from "../kinds.js";
import { nearestOf } from "../nearest.js";
import { oneOfThese, quote, shorten } from "../quote.js";
import type { ReadContext } from "../values/value-type.js";
import { type Fault, faultAt, placeOf } from "./fault.js";
import { type Guess, guess } from "./guess.js";
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
  if (grammar.implied && startsWithKind(items)) return { ok: true, entry: grammar.implied, items };
  return unknownCommand(first, items, grammar, context);
}

function lateCommand(first: Keyed, items: readonly Item[], grammar: Grammar): Fault {
  const reason = `A command comes first; ${quote(textOf(first))} is a part of one.`;
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
  return isFilter || [...options, ...args].some(({ words }) => words.includes(key.toLowerCase()));
}

/** Whether the first word, or the first two together, name a kind: `webhooks`, `media api`. */
function startsWithKind([first, second]: readonly Item[]): boolean {
  if (first?.form !== "bare") return false;
  return (
    kindNamed(first.text) !== undefined ||
    (second?.form === "bare" && kindNamed(`${first.text} ${second.text}`) !== undefined)
  );
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
    (item, index) => item.form === "bare" && (grammar.entryNamed(item.text) || startsWithKind(rest.slice(index))),
  );
  if (later >= 0) return { ...noCommand(items, grammar), repair: rest.slice(later).map(rawOf).join(" ") };

  const [meant, kind] = grammar.implied ? guessAny(first, grammar.implied, context) : [];
  if (meant && kind && grammar.implied) {
    const reason = `${quote(first.text)} is no command, and a filter has a field, as in ${shorten(meant, 50)}.`;
    return faultAt({ head: `${grammar.implied.spec.name} ${kind}`, items }, [first], reason, meant);
  }
  return noCommand(items, grammar);
}

/** The kind for which a word that stands alone is most likely meant; of equal ones, the first in this order. */
function guessAny(word: Bare, entry: Entry, context: ReadContext): [meant: string, kind: LogKind] | [] {
  const order: readonly LogKind[] = ["webhooks", ...kinds.filter((kind) => kind !== "webhooks")];
  const guesses = order.flatMap((kind): { meant: Guess; kind: LogKind }[] => {
    const meant = guess(word, entry, kind, context);
    return meant ? [{ meant, kind }] : [];
  });
  const best = guesses.reduce<(typeof guesses)[number] | undefined>(
    (before, other) => (before && before.meant.likely >= other.meant.likely ? before : other),
    undefined,
  );
  return best ? [best.meant.text, best.kind] : [];
}

function noCommand(items: readonly Item[], grammar: Grammar): Fault {
  const names = grammar.entries.map(({ spec }) => spec.name);
  const [first] = items;
  const reason = `There is no command ${quote(first ? textOf(first) : "")}; there are ${oneOfThese(names, "and")}.`;
  return {
    ...faultAt({ head: "", items }, first ? [first] : [], reason),
    repair: names.includes("help") ? "help" : (grammar.entries[0]?.spec.examples[0]?.[0] ?? ""),
  };
}

const HELP = /^(?:\?|-h|--help|—help)$/i;

/** What help is asked on, where a command is followed by `help`, or by `--help`, `-h` or `?` anywhere; undefined where it is not. */
export function topicAsked(items: readonly Item[], grammar: Grammar): string | undefined {
  const [first, second] = items;
  if (!grammar.help || first?.form !== "bare") return undefined;
  const entry = grammar.entryNamed(first.text) ?? (startsWithKind(items) ? grammar.implied : undefined);
  if (!entry || entry === grammar.help) return undefined;

  const bare = items.filter((item) => item.form === "bare");
  const last = entry.spec.filters ? bare.at(-1) : undefined;
  const isAsked =
    bare.some((item) => item !== first && HELP.test(item.text)) ||
    [second, last].some((item) => item?.form === "bare" && item !== first && /^help$/i.test(item.text));
  if (!isAsked) return undefined;
  const kind = entry.spec.filters ? bare.map((item) => kindNamed(item.text)).find(Boolean) : undefined;
  return kind ?? entry.spec.name;
}
