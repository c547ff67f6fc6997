import type { Effect, Entry, Grammar } from "../grammar.js";
import { kindNamed, kindNames, kindNear, kindsWith, likelyKinds } from "../kinds.js";
import { editDistance, nearestOf, oneOfThese, quote, shorten } from "../messages.js";
import { type ReadContext, topicNamed } from "../values/value-type.js";
import { isQuoted, nameOf, writeWord } from "../words.js";
import {
  type Bare,
  type Draft,
  type Fault,
  faultAt,
  faultWithHelp,
  type Item,
  type Keyed,
  kindAmong,
  outcomeSaid,
  rangeOf,
  rawOf,
  textOf,
} from "./items.js";
import { ownerOf } from "./questions.js";
import { labelledOf } from "./read-labels.js";
import { guess } from "./reading.js";

/** The chosen command, and the items that belong to it. */
export interface Chosen {
  readonly ok: true;
  readonly entry: Entry;
  readonly items: readonly Item[];
}

/** The command that the first words name. */
export function chooseCommand(items: readonly Item[], grammar: Grammar, context: ReadContext): Chosen | Fault {
  const [first, ...rest] = items;
  if (!first) {
    // Empty input shows the possible commands.
    const [entry] = grammar.help ? [grammar.help] : grammar.entries;
    if (entry) return { ok: true, entry, items: [] };
    return { ok: false, reason: "There are no commands.", repair: "" };
  }
  if (first.form === "keyed") return lateCommand(first, items, grammar);
  const entry = entryTyped(first, grammar);
  if (entry) return { ok: true, entry, items: rest };
  // "failed webhooks"
  const isLog = kindNamed(first.text) ?? (outcomeSaid(first) && kindAmong(rest));
  if (grammar.implied && isLog) return { ok: true, entry: grammar.implied, items };
  return unknownCommand(first, items, grammar, context);
}

/** The command that a word names. Phones turn two short dashes into a long one: —help. */
function entryTyped(word: Bare, grammar: Grammar): Entry | undefined {
  return grammar.entryNamed(word.text.replace(/^—/, "--"));
}

/** The command that was typed, even if misspelt, provided that it is unambiguous. */
export function intendedEntry(items: readonly Item[], grammar: Grammar): Entry | undefined {
  const first = items.find((item): item is Bare => item.form === "bare" && entryTyped(item, grammar) !== undefined);
  if (first && (first === items[0] || items[0]?.form === "keyed")) return entryTyped(first, grammar);
  return items[0]?.form === "bare" ? grammar.entryNamed(nearName(items[0], grammar) ?? "") : undefined;
}

function lateCommand(first: Keyed, items: readonly Item[], grammar: Grammar): Fault {
  const joined = joinedCommand(first, items, grammar);
  if (joined) return joined;
  const reason = `A command comes first, before ${quote(textOf(first))}.`;
  const named = items.find((item) => item.form === "bare" && grammar.entryNamed(item.text));
  const entry = named ? grammar.entryNamed(textOf(named)) : entryFor(items, grammar);
  if (!entry) return noCommand(items, grammar);
  // h:elp token may be a question.
  const isSure = entry.spec.effect === "reads" || (named !== undefined && knows(entry, first.key));
  if (!isSure) return faultWithHelp(grammar, [first], reason, entry.spec.name);
  const head = named ? rawOf(named) : entry.spec.name;
  const rest = items.filter((item) => item !== named);
  return { ok: false, reason, at: rangeOf([first]), repair: [head, ...rest.map(rawOf)].join(" ") };
}

/** `why:lobby`, but not `status:404`, which is a filter */
function joinedCommand(first: Keyed, items: readonly Item[], grammar: Grammar): Fault | undefined {
  const entry = grammar.entryNamed(first.key);
  if (!entry || first.minus || first.value.text === "") return undefined;
  const reason = `A space follows a command: ${entry.spec.name}.`;
  if (entry.spec.effect !== "reads") return faultWithHelp(grammar, [first], reason, entry.spec.name);
  if (kindsWith(first.key).length > 0) return undefined;
  return faultAt({ head: entry.spec.name, items }, [first], reason, writeWord(first.value));
}

/** The command that supports most of the typed names. An option is of one command, a filter may be of several. */
function entryFor(items: readonly Item[], { entries }: Grammar): Entry | undefined {
  const weightOf = (entry: Entry, key: string): number =>
    entry.options.some(({ words }) => words.includes(nameOf(key))) ? 3 : knows(entry, key) ? 2 : 0;
  const known = (entry: Entry): number =>
    items.reduce((sum, item) => sum + (item.form === "keyed" ? weightOf(entry, item.key) : 0), 0);
  return entries.reduce<Entry | undefined>(
    (before, entry) => (known(entry) > (before ? known(before) : 0) ? entry : before),
    undefined,
  );
}

function knows({ spec, options, arguments: args }: Entry, key: string): boolean {
  const isFilter = Boolean(spec.filters) && kindsWith(key).length > 0;
  return isFilter || [...options, ...args].some(({ words }) => words.includes(nameOf(key)));
}

function unknownCommand(first: Bare, items: readonly Item[], grammar: Grammar, context: ReadContext): Fault {
  const draft = { head: "", items };
  const isUnknown = `Unknown command ${quote(first.text)}.`;
  const later = laterFault(items, grammar);
  // A log may follow such a word: "alert webhooks failed".
  const takesLogs = grammar.entryForHint(first.text)?.spec.filters ?? false;
  const hinted = later?.isNamed && !takesLogs ? undefined : hintFault(draft, first, grammar);
  if (hinted) return hinted;
  const near = nearName(first, grammar);
  const asked = topicAlone(first, grammar) ?? (near && grammar.entryForQuestion(near)?.spec.name);
  if (asked) return faultWithHelp(grammar, [first], `${isUnknown} Did you mean help ${asked}?`, asked);
  const name = near && (grammar.entryNamed(near)?.spec.name ?? kindNamed(near));
  if (name) return faultAt(draft, [first], `${isUnknown} Did you mean ${name}?`, name);
  if (later) return later.fault;
  const meant = guessAny(first, grammar, context);
  if (!meant) return noCommand(items, grammar);
  const whole = `${meant.head} ${meant.text}`;
  const reason = `${isUnknown} Did you mean ${shorten(whole, 60)}?`;
  return faultAt({ head: meant.head, items }, [first], reason, meant.text);
}

/** A command or log further on in a sentence: "show webhooks", "please summary api", "who is connected". */
function laterFault(items: readonly Item[], grammar: Grammar): { fault: Fault; isNamed: boolean } | undefined {
  const words = items.slice(1).filter((item) => item.form === "bare");
  const named = words.find(({ text }) => grammar.entryNamed(text) ?? kindNamed(text));
  const item = named ?? words.find(({ text }) => grammar.entryForHint(text));
  if (!item) return undefined;
  const { spec, arguments: args = [] }: Partial<Entry> =
    grammar.entryNamed(item.text) ?? (named ? undefined : grammar.entryForHint(item.text)) ?? {};
  const withRepair = (repair: string) => ({ fault: { ...noCommand(items, grammar), repair }, isNamed: item === named });
  // "show token" does not request a new one.
  if (spec && spec.effect !== "reads") return withRepair(grammar.helpOn(spec.name));
  // "lobby live": a name may precede such a command.
  const isSentence = args.some(({ sentences }) => sentences !== undefined);
  if (spec && isSentence) return withRepair(faultAt({ head: spec.name, items }, [item], "").repair);
  return withRepair(items.slice(items.indexOf(item)).map(rawOf).join(" "));
}

/** The help topic that is neither a command nor a log: `times`. */
function topicAlone({ text }: Bare, { topics, entryNamed }: Grammar): string | undefined {
  const named = topicNamed(text, topics);
  return named === undefined || entryNamed(named) || kindNamed(named) ? undefined : named;
}

/** A word that people type for a command: `users` for `live`, `client c1` for `trace client c1`, a whole id for `trace`. */
function hintFault(draft: Draft, word: Bare, grammar: Grammar): Fault | undefined {
  const hinted = grammar.entryForHint(word.text);
  const labelled = grammar.entries.find((entry) =>
    labelledOf(entry)?.option.value.choices?.includes(nameOf(word.text)),
  );
  const owner = labelled ?? ownerOf(word.text, grammar);
  const name = (hinted ?? owner)?.spec.name;
  if (name === undefined) return undefined;
  const meant = hinted ? name : `${name} ${rawOf(word)}`;
  return faultAt(draft, [word], `Unknown command ${quote(word.text)}. Did you mean ${shorten(meant, 60)}?`, meant);
}

/**
 * The command or kind that a word probably means. A command that makes or deletes counts only if nothing with another
 * effect is about as near.
 */
function nearName({ text }: Bare, grammar: Grammar): string | undefined {
  const names = grammar.entries.flatMap((entry) => entry.names);
  const questions = grammar.entries.flatMap(({ spec }) => spec.questions ?? []);
  const candidates = [...names, ...(grammar.implied ? kindNames : [])];
  const near = nearestOf(text, [...candidates, ...questions]);
  if (near === undefined) return undefined;
  const effectOf = (name: string): Effect => grammar.entryNamed(name)?.spec.effect ?? "reads";
  const effect = effectOf(near);
  const typed = text.toLowerCase();
  if (kindNamed(near)) return kindNear(text);
  if (effect === "reads") return near;
  const others = candidates.filter((name) => effectOf(name) !== effect);
  const isSure =
    others.every((name) => editDistance(name, typed) > editDistance(near, typed) + 1) &&
    questions.every((name) => editDistance(name, typed) > editDistance(near, typed));
  if (isSure) return near;
  const reading = candidates.filter((name) => effectOf(name) === "reads");
  return nearestOf(text, reading);
}

/** The filter or option that a word unmistakably is, and the command that takes it. */
function guessAny(word: Bare, { implied }: Grammar, context: ReadContext): { head: string; text: string } | undefined {
  for (const kind of implied ? likelyKinds : []) {
    const meant = implied && guess(word, implied, kind, context);
    if (meant?.confidence === 3) return { head: `${implied?.spec.name} ${kind}`, text: meant.text };
  }
  return undefined;
}

// More names than these fill the message without helping.
const MOST_NAMES = 16;

function noCommand(items: readonly Item[], { entries, fallback }: Grammar): Fault {
  const [first] = items;
  const names = entries.map(({ spec }) => spec.name);
  const list = names.length > MOST_NAMES ? "help lists the commands" : `commands are ${oneOfThese(names, "and")}`;
  const reason = `Unknown command ${quote(first ? textOf(first) : "")}; ${list}.`;
  return { ok: false, reason, at: first && rangeOf([first]), repair: fallback };
}

const HELP = /^(?:\?|？|-h|--help|—help)$/i;

/** The help topic, if a command is followed by `help`, or by `--help`, `-h` or `?` anywhere. */
export function requestedTopic(items: readonly Item[], grammar: Grammar): string | undefined {
  const [first, second] = items;
  if (!grammar.help || first?.form !== "bare") return undefined;
  const asked = grammar.entryForQuestion(first.text);
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
