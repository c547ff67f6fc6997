import type { LogKind } from "@media-ops/contract";
import { isOptionOperator, readFilter } from "./filters.js";
import {
  type AnyCommand,
  type Entry,
  type Grammar,
  isFieldFirst,
  labelledOf,
  type Parameter,
  parametersNamed,
} from "./grammar.js";
import {
  type FieldSpec,
  type Filter,
  failureField,
  fieldNamed,
  fieldsOf,
  kindNamed,
  kindNames,
  kindSpec,
  kinds,
  kindsWith,
  outcomes,
  type TextType,
} from "./kinds.js";
import { DAY_MS, isClock, isTimeText, utc, type Zone, zoneTyped } from "./times.js";
import { type Read, type ReadContext, zoneIn } from "./values.js";
import {
  COMMAS,
  capital,
  DASHES,
  grouped,
  harmless,
  isHarmless,
  isQuoted,
  joined,
  type Key,
  keyOf,
  type Marked,
  nameOf,
  nearestOf,
  OPERATOR_SIGN,
  oneOfThese,
  plain,
  quote,
  shorten,
  slice,
  splitArguments,
  splitAt,
  splitAtCommas,
  splitWords,
  unquoted,
  type Word,
  writeText,
  writeWord,
} from "./words.js";

/** A word without a name. */
export interface Bare extends Marked {
  readonly form: "bare";
  readonly words: readonly Word[];
}

/** A name with a value, in one word or several: `status>=400`, `since:2h`, `status >= 400`. */
export interface Keyed {
  readonly form: "keyed";
  readonly minus: boolean;
  readonly key: string;
  readonly operator: string;
  readonly value: Marked;
  readonly words: readonly Word[];
}

/** A part of a command. */
export type Item = Bare | Keyed;

/** The text that is split into exactly this item. */
export function rawOf({ words }: Item): string {
  return words.map(({ raw }) => raw).join(" ");
}

/** The typed text without quotes, for messages. */
export function textOf({ words }: Item): string {
  return words.map(({ text }) => text).join(" ");
}

const FLAG = new RegExp(`^[${DASHES}]`);

/** Whether a word looks like an option of other programs: `--json`. */
export function isFlag(word: Bare): boolean {
  return !isQuoted(word) && FLAG.test(word.text);
}

const OUTCOME = new RegExp(`^([${DASHES}!！]?)(${Object.keys(outcomes).join("|")})$`, "i");

/** The filter that a word is by itself: `failed`, `-ok`. */
export function outcomeSaid(word: Bare): { readonly negated: boolean } | undefined {
  const [, minus, name] = (!isQuoted(word) && OUTCOME.exec(plain(word.text))) || [];
  return name === undefined ? undefined : { negated: (nameOf(name) === "ok") !== (minus !== "") };
}

/** The kind of log that the items name. */
export function kindAmong(items: readonly Item[]): LogKind | undefined {
  const named = (item: Item): LogKind | undefined => {
    if (item.form === "bare") return kindNamed(item.text);
    return nameOf(item.key) === "kind" ? kindNamed(item.value.text) : undefined;
  };
  return items.map(named).find(Boolean);
}

/** Groups words into items. Only before the operator of a known name may there be a space. */
function itemsOf(words: readonly Word[], grammar: Grammar): Item[] {
  const items: Item[] = [];
  let at = 0;
  while (at < words.length) {
    const item = keyedAt(words, at, grammar) ?? bareAt(words, at);
    items.push(item);
    at += item.words.length;
  }
  return items;
}

function bareAt(words: readonly Word[], at: number): Bare {
  const [first = unquoted(""), second] = words.slice(at, at + 2);
  const take = (count: number, whole: Marked): Bare => {
    return { form: "bare", text: whole.text, marks: whole.marks, words: words.slice(at, at + count) };
  };
  if (second) {
    // "media api", and "> 10MB", which only lacks its name
    if (/^media$/i.test(first.text) && /^apis?$/i.test(second.text)) return take(2, joined(" ", first, second));
    if (first.text !== "" && operatorOf(first) === first.text) return take(2, joined("", first, second));
  }
  return take(1, withoutComma(first));
}

function keyedAt(words: readonly Word[], at: number, grammar: Grammar): Keyed | undefined {
  const [first, second, third] = words.slice(at, at + 3);
  if (!first) return undefined;
  const isValue = (word: Word | undefined): word is Word => word !== undefined && !splitKey(word, grammar);
  const isValueOf = (option: string, word: Word | undefined): word is Word =>
    isValue(word) || (word !== undefined && grammar.compares(option, keyOf(word)?.name ?? ""));
  const keyed = ({ dashes, name, operator }: Key, start: Marked, count: number): Keyed => {
    const { list, end } = wholeList(words, at + count, start, isValue);
    const value = end < words.length ? withoutComma(list) : list;
    return { form: "keyed", minus: dashes === "-", key: name, operator, value, words: words.slice(at, end) };
  };

  // since:2h, and since: with its value in the next word
  const split = splitKey(first, grammar);
  if (split) {
    const isOpen = split.value.text === "" && !isClosed(first);
    return isOpen && isValueOf(split.key.name, second) ? keyed(split.key, second, 2) : keyed(split.key, split.value, 1);
  }
  const key = keyOf(unquoted(`${first.text}:`));
  if (!key || !second || isQuoted(first) || !grammar.isKey(key.name) || key.length !== first.text.length + 1)
    return undefined;
  // when p95>2s, when count > 20
  const compared = keyOf(second)?.name ?? (third && operatorOf(third) !== "" ? second.text : "");
  if (grammar.compares(key.name, compared)) return keyed(key, second, 2);
  // status >= 400, status >=400
  const operator = operatorOf(second);
  if (operator !== "" && kindNamed(key.name) === undefined) {
    const typed = { ...key, operator: plain(operator) };
    const value = slice(second, operator.length);
    return value.text === "" && isValueOf(key.name, third) ? keyed(typed, third, 3) : keyed(typed, value, 2);
  }
  // --since 2h
  return key.dashes === "--" && isValue(second) ? keyed(key, second, 2) : undefined;
}

/** A value with the words in which its list continues: `type:a, b`. */
function wholeList(
  words: readonly Word[],
  from: number,
  value: Marked,
  isValue: (word: Word | undefined) => word is Word,
): { list: Marked; end: number } {
  let list = value;
  let end = from;
  for (let next = words[end]; isValue(next) && list.text !== ""; next = words[end]) {
    if (!isCommaAt(list, list.text.length - 1) && !isCommaAt(next, 0)) break;
    list = joined("", list, next);
    end += 1;
  }
  return { list, end };
}

function isCommaAt({ text, marks }: Marked, at: number): boolean {
  return marks.charAt(at) === "-" && COMMAS.includes(text.charAt(at));
}

/** The text without a final comma, which belongs to a sentence and not to a list. */
function withoutComma(marked: Marked): Marked {
  const end = marked.text.length - 1;
  return end > 0 && isCommaAt(marked, end) ? slice(marked, 0, end) : marked;
}

const OPERATOR = new RegExp(`^${OPERATOR_SIGN}*`);

/** The operator at the start of a word, or an empty text. */
function operatorOf({ text, marks }: Marked): string {
  return marks.startsWith("-") ? (OPERATOR.exec(text)?.[0] ?? "") : "";
}

/** The name and operator at the start of a word, and the rest. */
function splitKey(word: Word, grammar: Grammar): { key: Key; value: Marked } | undefined {
  // 'status>=400' in quotes comes from the help for shells; other quoted text is just text.
  const isWhole = word.marks.startsWith("q") && !word.marks.includes("-");
  const marked = isWhole ? unquoted(word.text) : word;
  const key = keyOf(marked);
  if (!key || grammar.isKey(key.name)) return key && { key, value: slice(marked, key.length) };
  // "https://…" is a URL, and "Help!" is an exclamation.
  const isText =
    isWhole || /^!+$/.test(key.operator) || (key.operator === ":" && word.text.startsWith("//", key.length));
  return isText ? undefined : { key, value: slice(marked, key.length) };
}

/** Whether the word's value is empty on purpose: since:"" */
function isClosed({ raw, text }: Word): boolean {
  return !raw.endsWith(text.slice(-1));
}

/** The items without the name of the program, which is often copied along. */
function withoutProgram(items: readonly Item[]): readonly Item[] {
  const [first] = items;
  return first?.form === "bare" && /^\/?media$/i.test(first.text) ? items.slice(1) : items;
}

/** The range of input that some items cover. */
export function rangeOf(items: readonly Item[]): { start: number; end: number } | undefined {
  const words = items.flatMap((item) => item.words);
  if (words.length === 0) return undefined;
  return { start: Math.min(...words.map(({ start }) => start)), end: Math.max(...words.map(({ end }) => end)) };
}

/** The items of a command. A phrase at its start, such as `token list`, is one item with the command's name. */
export function commandItems(words: readonly Word[], grammar: Grammar): readonly Item[] {
  const items = withoutProgram(itemsOf(words, grammar));
  const phrase = grammar.phrases.find((one) => wordsAt(items, one.words));
  const said = phrase && wordsAt(items, phrase.words);
  if (!said) return items;
  const name: Bare = { form: "bare", ...unquoted(phrase.name), words: said.flatMap((item) => item.words) };
  return [name, ...items.slice(said.length)];
}

/** The first items, if they are these words. The last one may end as a question. */
export function wordsAt(items: readonly Item[], words: readonly string[]): readonly Bare[] | undefined {
  const first = items.slice(0, words.length).filter((item) => item.form === "bare");
  const typed = first.map(({ text }, at) =>
    nameOf(at > 0 && at === words.length - 1 ? text.replace(/[?？!！]+$/, "") : text),
  );
  // A single argument that holds a space is not two words.
  const isSaid = typed.length === words.length && typed.every((word, at) => word === words[at]);
  return isSaid && !first.some(isQuoted) ? first : undefined;
}

// Longer than any typed command, with room for text that grows when it is written back.
const MOST_CHARACTERS = 20_000;
const MOST_WORDS = 200;
const LONGEST_REASON = 200;
const LONGEST_MESSAGE = 300;

/** Why a command was not understood. */
export interface CommandProblem {
  /** One line: the problem, and the nearest valid command. */
  readonly message: string;
  /** The problem and what was expected, in a sentence or two. */
  readonly reason: string;
  /** The position in the input; absent if something is missing. The words of an argv count as joined by spaces. */
  readonly at?: { readonly start: number; readonly end: number };
  /** The command with one word corrected if that makes it valid, otherwise the command for help. */
  readonly nearest: string;
}

/** A parsed command, or why the text is none. */
export type Parsed<C> =
  | { readonly ok: true; readonly command: C }
  | { readonly ok: false; readonly problem: CommandProblem };

/** What is wrong with some items of a command. */
interface Fault {
  readonly ok: false;
  readonly reason: string;
  readonly at?: { readonly start: number; readonly end: number } | undefined;
  /** The whole command with the word that was probably meant. */
  readonly corrected?: string | undefined;
  /** The help topic that explains what may be typed. */
  readonly topic?: string | undefined;
}

type Attempt = { readonly ok: true; readonly command: AnyCommand } | Fault;

/** Parses a command, or explains why it cannot. */
export function parseCommand(
  input: string | readonly string[],
  grammar: Grammar,
  context: ReadContext,
): Parsed<AnyCommand> {
  const attempt = tryInput(input, grammar, context);
  if (attempt.ok) return attempt;
  const reason = shorten(harmless(attempt.reason), LONGEST_REASON);
  const nearest = correctionOf(attempt, input, grammar, context) ?? grammar.helpOn(attempt.topic);
  const message = nearest === "" ? reason : shorten(`${reason} Try: ${nearest}`, LONGEST_MESSAGE);
  return { ok: false, problem: { message, reason, ...(attempt.at && { at: attempt.at }), nearest } };
}

/** The corrected command, if it is valid. One that makes or deletes is offered only to who typed its name. */
function correctionOf(
  { corrected }: Fault,
  input: string | readonly string[],
  grammar: Grammar,
  context: ReadContext,
): string | undefined {
  if (corrected === undefined || !isHarmless(corrected)) return undefined;
  const attempt = tryInput(corrected, grammar, context);
  const entry = attempt.ok ? grammar.entryNamed(attempt.command.name) : undefined;
  if (!entry) return undefined;
  const isTyped = entry === commandNamed(typeof input === "string" ? input : input.join(" "), grammar);
  return entry.spec.effect === "reads" || isTyped ? corrected : undefined;
}

/** The command that the first words of a text name. */
export function commandNamed(text: string, grammar: Grammar): Entry | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const split = splitWords(text);
  const [first] = split.ok ? commandItems(split.words, grammar) : [];
  return first?.form === "bare" ? grammar.entryNamed(first.text) : undefined;
}

function tryInput(input: string | readonly string[], grammar: Grammar, context: ReadContext): Attempt {
  const isText = typeof input === "string";
  const length = isText ? input.length : input.reduce((sum, word) => sum + word.length + 1, -1);
  if (length > MOST_CHARACTERS) return tooMany("characters", MOST_CHARACTERS, length);
  const split = isText ? splitWords(input) : splitArguments(input);
  if (!split.ok) {
    return { ok: false, reason: `The quote ${split.quote} is never closed.`, at: { start: split.start, end: length } };
  }
  const items = commandItems(split.words, grammar);
  const absent = absentFault(items, grammar);
  if (absent) return absent;
  const topic = requestedTopic(items, grammar);
  if (topic !== undefined) return { ok: true, command: { name: "help", topic } };
  const chosen = chooseCommand(items, grammar);
  if (!chosen.ok) return chosen;
  if (chosen.items.length > MOST_WORDS) return tooMany("words", MOST_WORDS, chosen.items.length);
  return readCommand(chosen, grammar, context);
}

function tooMany(what: string, most: number, many: number): Fault {
  return { ok: false, reason: `A command has at most ${grouped(most)} ${what}; this has ${grouped(many)}.` };
}

/** The answer to a command that only another program has, and to a request for help on it. */
function absentFault(items: readonly Item[], { absent, help }: Grammar): Fault | undefined {
  const [first] = items;
  const isHelp = first?.form === "bare" && help?.names.includes(nameOf(first.text));
  const typed = isHelp ? items.slice(1) : items;
  for (const { phrases, reason, nearest } of absent) {
    const said = phrases.map((phrase) => wordsAt(typed, phrase.split(" "))).find(Boolean);
    if (said) return { ok: false, reason, at: rangeOf(said), corrected: nearest };
  }
  return undefined;
}

const HELP = /^(?:\?|？|-h|--help|—help)$/i;

/** The help topic, if a command is followed by `help`, or by `--help`, `-h` or `?` anywhere. */
function requestedTopic(items: readonly Item[], grammar: Grammar): string | undefined {
  const [first, second] = items;
  if (!grammar.help || first?.form !== "bare") return undefined;
  const entry = grammar.entryNamed(first.text) ?? (kindNamed(first.text) ? grammar.implied : undefined);
  if (!entry || entry === grammar.help) return undefined;
  const words = items.filter((item) => item.form === "bare");
  const last = entry.spec.filters ? words.at(-1) : undefined;
  const asks = (word: Bare): boolean =>
    HELP.test(word.text) || ((word === second || word === last) && /^help$/i.test(word.text));
  if (!words.some((word) => word !== first && !isQuoted(word) && asks(word))) return undefined;
  const kind = entry.spec.filters ? words.map(({ text }) => kindNamed(text)).find(Boolean) : undefined;
  return kind ?? entry.spec.name;
}

/** The chosen command, and the items that belong to it. */
export interface Chosen {
  readonly ok: true;
  readonly entry: Entry;
  readonly items: readonly Item[];
}

/** The command that the first words name. */
export function chooseCommand(items: readonly Item[], grammar: Grammar): Chosen | Fault {
  const [first, ...rest] = items;
  if (!first) {
    // Empty input shows the possible commands.
    const entry = grammar.help ?? grammar.entries[0];
    return entry ? { ok: true, entry, items } : { ok: false, reason: "There are no commands." };
  }
  if (first.form === "keyed") {
    return { ok: false, reason: `A command comes first, before ${quote(textOf(first))}.`, at: rangeOf([first]) };
  }
  // Phones turn two short dashes into a long one: —help.
  const entry = grammar.entryNamed(first.text.replace(/^—/, "--"));
  if (entry) return { ok: true, entry, items: rest };
  // "failed webhooks"
  const isLog = kindNamed(first.text) ?? (outcomeSaid(first) && kindAmong(rest));
  return grammar.implied && isLog ? { ok: true, entry: grammar.implied, items } : unknownCommand(first, rest, grammar);
}

// More names than these fill the message without helping.
const MOST_NAMES = 16;

function unknownCommand(first: Bare, rest: readonly Item[], grammar: Grammar): Fault {
  const { entries, implied } = grammar;
  const names = [...entries.flatMap((entry) => entry.names), ...(implied ? kindNames : [])];
  const word = first.text.replace(/[?？!！.,]+$/, "");
  const near = grammar.entryForHint(word)?.spec.name ?? nearestOf(word, names);
  const name = near && (grammar.entryNamed(near)?.spec.name ?? kindNamed(near));
  const all = oneOfThese(
    entries.map(({ spec }) => spec.name),
    "and",
  );
  const known = entries.length > MOST_NAMES ? "help lists the commands" : `commands are ${all}`;
  return {
    ok: false,
    reason: `Unknown command ${quote(first.text)}${name ? `. Did you mean ${name}?` : `; ${known}.`}`,
    at: rangeOf([first]),
    corrected: name && [name, ...rest.map(rawOf)].join(" "),
    topic: name,
  };
}

/** Reads the items of a command. Times are in the zone that the command names, or one of its times. */
function readCommand({ entry, items }: Chosen, grammar: Grammar, context: ReadContext): Attempt {
  const read = (more: Partial<ReadContext>) =>
    new Reading(entry, items, grammar, { ...context, kind: kindAmong(items), ...more });
  // What is in the future in one zone may be in the past in another.
  const first = entry.options.some(isZone) ? read({ now: context.now + DAY_MS }) : undefined;
  first?.readItems();
  return read({ zone: first?.zone ?? context.zone }).read();
}

const isZone = ({ member }: Parameter): boolean => member === "zone";

/** One pass over the items of a command. */
class Reading {
  readonly #entry: Entry;
  readonly #items: readonly Item[];
  readonly #grammar: Grammar;
  readonly #context: ReadContext;
  /** The values so far, and the items that each came from, by member of the parsed command. */
  readonly #values = new Map<string, unknown>();
  readonly #sources = new Map<string, readonly Item[]>();
  readonly #filters: Filter[] = [];
  #at = 0;

  constructor(entry: Entry, items: readonly Item[], grammar: Grammar, context: ReadContext) {
    this.#entry = entry;
    this.#items = items;
    this.#grammar = grammar;
    this.#context = context;
  }

  /** The command, or the first fault. */
  read(): Attempt {
    const fault = this.readItems() ?? this.#missing() ?? this.#periodFault() ?? this.#problem();
    return fault ?? { ok: true, command: this.#build() };
  }

  /** Reads one item after another, up to the first that fits nowhere. */
  readItems(): Fault | undefined {
    while (this.#at < this.#items.length) {
      const item = this.#items[this.#at];
      const fault = item && (item.form === "keyed" ? this.#readKeyed(item) : this.#readBare(item));
      if (fault) return fault;
    }
    return undefined;
  }

  /** The zone of the command's times, if it names one. */
  get zone(): Zone | undefined {
    const named = this.#values.get("zone") ?? this.#zoneOfPeriod();
    return typeof named === "string" ? zoneTyped(named) : undefined;
  }

  /** `client:c1`, an option, an argument with its name, or a filter. */
  #readKeyed(item: Keyed): Fault | undefined {
    const { spec } = this.#entry;
    const { kind } = this.#context;
    const label = this.#readLabel(item.key, item.value, [item]);
    if (label) return label === true ? undefined : label;
    const parameters = parametersNamed(this.#entry, item.key);
    const [parameter] = parameters;
    if (parameter && !(spec.filters && isFieldFirst(parameter, item.key, kind))) {
      return this.#readOption(item, parameter, parameters);
    }
    // The fields depend on the kind.
    if (spec.filters && kind === undefined) return this.#missing() ?? this.#unknownKey(item);
    const field = spec.filters && kind ? fieldNamed(kind, item.key) : undefined;
    return field ? this.#readFilter(item, field) : this.#unknownKey(item);
  }

  /** A word by itself: `failed`, `since 2h`, `client c1`, an argument. */
  #readBare(item: Bare): Fault | undefined {
    if (item.text.trim() === "") return this.#fault([item], "The quotes are empty.");
    const outcome = this.#entry.spec.filters ? outcomeSaid(item) : undefined;
    if (outcome) return this.#readOutcome(item, outcome.negated);
    const next = this.#wordsBehind(0)[0];
    if (next && !isQuoted(item)) {
      const mayBeValue = parametersNamed(this.#entry, next.text).length === 0;
      const label = mayBeValue && this.#readLabel(item.text, next, [item, next]);
      if (label) return label === true ? undefined : label;
      if (this.#readLoose(item, next)) return undefined;
    }
    return this.#readArgument(item);
  }

  /** `channel:lobby` for `lobby is:channel`; also `channel lobby`. False if it isn't one. */
  #readLabel(typed: string, { text }: Marked, used: readonly Item[]): Fault | boolean {
    const { argument, option } = labelledOf(this.#entry) ?? {};
    const label = option?.value.parse(nameOf(typed), { ...this.#context, subject: option.word });
    if (!argument || !option || !label?.ok) return false;
    const [item] = used;
    const isPlain = item?.form === "bare" || (item && !item.minus && isOptionOperator(item.operator));
    if (!isPlain || text.trim() === "")
      return this.#fault(used, `Write ${typed} with its value, as in ${typed}:lobby.`);
    if (this.#values.has(argument.member) || this.#values.has(option.member)) return this.#twice(argument, used);
    const value = argument.value.parse(text, { ...this.#context, subject: typed });
    if (!value.ok) return this.#fault(used, value.reason);
    this.#take(option, used, label.value);
    this.#take(argument, used, value.value);
    this.#at += used.length;
    return true;
  }

  #readOption(item: Keyed, { word, value: type }: Parameter, parameters: readonly Parameter[]): Fault | undefined {
    if (item.value.text.trim() === "") {
      const reason = `${word}: needs a value after it, such as ${word}:${type.example}.`;
      return this.#fault([item], reason, undefined, type.zoned ? "times" : undefined);
    }
    if (item.minus) return this.#fault([item], `${word} takes no minus before it.`);
    if (!isOptionOperator(item.operator)) {
      return this.#fault([item], `${word} takes a colon before its value, not ${quote(item.operator)}.`);
    }
    const [found] = parameters.map((each) => this.#readValue(each, item, item.value, 0)).sort(byFit);
    if (!found) return undefined;
    const { parameter, read, used } = found;
    if (!read.ok) {
      const near = read.nearest && `${parameter.word}:${type.list ? read.nearest : writeText(read.nearest)}`;
      return this.#fault(used, read.reason, near, parameter.value.zoned ? "times" : undefined);
    }
    return this.#give(parameter, used, read.value);
  }

  /** `since 2h`: the colon may be omitted if the words can mean nothing else. */
  #readLoose(item: Bare, next: Bare): boolean {
    const [found] = parametersNamed(this.#entry, item.text)
      .filter(({ value, isLoose, member }) => (value.distinctive || isLoose) && !this.#values.has(member))
      .map((parameter) => this.#readValue(parameter, next, next, 1))
      .sort(byFit);
    if (!found?.read.ok) return false;
    this.#give(found.parameter, [item, ...found.used], found.read.value);
    return true;
  }

  /** Reads the value of a parameter that begins with an item, with as many of the following words as fit. */
  #readValue(parameter: Parameter, item: Item, value: Marked, ahead: number): Found {
    const { value: type, word } = parameter;
    // Values other than free text are normalized, because input methods may change characters.
    const parse = ({ text }: Marked): Read<unknown> => {
      const read = type.parse(type.distinctive ? plain(text) : text, { ...this.#context, subject: word });
      return read.ok || item.form !== "keyed" ? read : (type.parseNamed?.(text) ?? read);
    };
    const { read, used } = type.spaced
      ? readLongest(value, this.#wordsBehind(ahead), parse)
      : { read: parse(value), used: [] };
    return { parameter, read, used: [item, ...used] };
  }

  /** The unquoted words behind the current item, or behind as many more. */
  #wordsBehind(ahead: number): Bare[] {
    const rest = this.#items.slice(this.#at + ahead + 1, this.#at + ahead + 1 + MOST_WORDS_OF_VALUE);
    const end = rest.findIndex((item) => item.form === "keyed");
    return rest.slice(0, end < 0 ? rest.length : end).filter((item) => item.form === "bare");
  }

  #give(parameter: Parameter, used: readonly Item[], value: unknown): Fault | undefined {
    if (this.#values.has(parameter.member)) return this.#twice(parameter, used);
    this.#take(parameter, used, value);
    this.#at += used.length;
    return undefined;
  }

  #twice({ word }: Parameter, used: readonly Item[]): Fault {
    return this.#fault(used, `${word} is given twice: ${quote(used.map(textOf).join(" "))} is one too many.`);
  }

  #take({ member }: Parameter, used: readonly Item[], value: unknown): void {
    this.#values.set(member, value);
    this.#sources.set(member, used);
  }

  #readFilter(item: Keyed, field: FieldSpec): Fault | undefined {
    const { minus, operator, value } = item;
    const { kind } = this.#context;
    const isProgram = field.wire === "from" && !minus && isOptionOperator(operator) && !isQuoted(value);
    if (isProgram && isTimeText(value.text)) {
      const reason = "In API logs, from: is the program that made the call; use since: for a time.";
      return this.#fault([item], reason, `since:${writeText(value.text)}`);
    }
    const [, ...others] = splitAt(value, COMMA);
    const isTwo = field.holds === "text" && others.some((part) => this.#grammar.isKey(keyOf(part)?.name ?? ""));
    if (isTwo) return this.#fault([item], "Separate filters with spaces only.", undefined, "filters");
    const behind = this.#wordsBehind(0);
    const words = field.type.is === "ordered" ? behind : wordsOfList(field.type, value, behind);
    const { read, used } = readLongest(value, words, (whole) =>
      readFilter(field, { minus, operator, value: whole }, this.#context),
    );
    const all = [item, ...used];
    if (!read.ok) {
      const near = read.nearest && `${minus ? "-" : ""}${field.name}${operator}${writeText(read.nearest)}`;
      return this.#fault(all, read.reason, near, field.holds === "time" ? "times" : kind);
    }
    this.#filters.push(read.value);
    this.#at += all.length;
    return undefined;
  }

  /** `failed`, `ok`, and either with a minus before it. */
  #readOutcome(word: Bare, negated: boolean): Fault | undefined {
    const { kind } = this.#context;
    if (kind === undefined) return this.#missing() ?? this.#leftover(word, []);
    const field = failureField(kind);
    if (!field) {
      const having = kinds.filter(failureField).map((other) => kindSpec(other).one);
      const reason = `Nothing fails in ${kindSpec(kind).one} logs; ${oneOfThese(having, "and")} logs have failures.`;
      return this.#fault([word], reason, undefined, kind);
    }
    const isBoth = this.#filters.some(({ test, negated: other }) => test.is === "failed" && other !== negated);
    if (isBoth) return this.#fault([word], "No entry is both failed and ok.");
    this.#filters.push({ field: field.name, negated, test: { is: "failed" } });
    this.#at += 1;
    return undefined;
  }

  /** A word without a name: an argument that is recognizable by its value, or else the one that takes any text. */
  #readArgument(word: Bare): Fault | undefined {
    const { arguments: all } = this.#entry;
    const takesName = all.some(({ value }) => !value.distinctive);
    const open = all.filter(({ member }) => !this.#values.has(member));
    const distinctive = open.filter(({ value }) => value.distinctive);
    // In quotes, a word is a name if there may be one.
    for (const argument of takesName && isQuoted(word) ? [] : distinctive) {
      const { read, used } = this.#readValue(argument, word, word, 0);
      if (read.ok) return this.#give(argument, used, read.value);
    }
    const argument = open.find(({ value }) => !value.distinctive);
    if (argument) return this.#readName(argument, word);
    const [wanted] = takesName ? [] : distinctive;
    if (!wanted || parametersNamed(this.#entry, word.text).length > 0) return this.#leftover(word, open);
    const read = wanted.value.parse(plain(word.text), { ...this.#context, subject: this.#entry.spec.name });
    return read.ok ? this.#leftover(word, open) : this.#fault([word], read.reason, read.nearest);
  }

  /** A name, such as a channel's. */
  #readName(argument: Parameter, first: Bare): Fault | undefined {
    const { spec } = this.#entry;
    const used = argument.rest ? [first, ...this.#wordsBehind(0)] : [first];
    const text = used.map((word) => word.text).join(" ");
    const doubt = argument.rest || isQuoted(first) ? undefined : doubtAbout(text, argument, this.#entry, this.#grammar);
    if (doubt) return this.#fault(used, doubt);
    const read = argument.value.parse(text, { ...this.#context, subject: spec.name });
    return read.ok ? this.#give(argument, used, read.value) : this.#fault(used, read.reason, read.nearest);
  }

  /** A word that fits nowhere. */
  #leftover(word: Bare, open: readonly Parameter[]): Fault {
    const { spec, arguments: all, options } = this.#entry;
    const { kind } = this.#context;
    const typed = quote(word.text);
    const fields = spec.filters && kind ? fieldsOf(kind) : [];
    const [parameter] = parametersNamed(this.#entry, word.text);
    const named = fields.find(({ name, aliases }) => [name, ...aliases].includes(nameOf(word.text)));
    const form = parameter ? `${parameter.word}:${parameter.value.example}` : named && exampleOf(named);
    if (form && !isQuoted(word)) {
      const topic = parameter?.value.zoned ? "times" : kind;
      return this.#fault([word], `Write ${typed} and its value as one word, as in ${form}.`, undefined, topic);
    }
    const outcomes = kind && spec.filters && failureField(kind) ? ["failed", "ok"] : [];
    const [, minus = "", rest = ""] = /^(-(?!-)|[-—]*)(.*)$/.exec(word.text) ?? [];
    const words = [...open.flatMap(({ value }) => value.choices ?? []), ...outcomes];
    const near = isQuoted(word) ? undefined : nearestOf(rest, words);
    if (near) {
      const meant = minus === "-" && outcomes.includes(near) ? `-${near}` : near;
      return this.#fault([word], `Unexpected ${typed}. Did you mean ${meant}?`, meant, kind);
    }
    const before = this.#items[this.#at - 1];
    if (options.some(({ value, member }) => value.zoned && before && this.#sources.get(member)?.includes(before))) {
      const reason = `${typed} is not part of a time; a time zone is written as Asia/Tokyo, Tokyo or +09:00.`;
      return this.#fault([word], reason, undefined, "times");
    }
    const given = all.find(({ value }) => value.parse(word.text, { ...this.#context, subject: "" }).ok);
    if (given && !isFlag(word)) {
      const { name, distinctive } = given.value;
      const rule = distinctive ? "" : `; a ${name} with spaces needs quotes`;
      return this.#fault([word], `${spec.name} takes one ${name}: ${typed} is one too many${rule}.`);
    }
    if (fields[1]) {
      const [option] = options.map(({ word: name, value }) => `${name}:${value.example}`);
      const rule = `write a filter such as ${exampleOf(fields[1])}, or an option such as ${option}`;
      const quotes = before?.form === "keyed" ? "; a value with spaces needs quotes" : "";
      return this.#fault([word], `Unexpected ${typed}: ${rule}${quotes}.`, undefined, kind);
    }
    const known = oneOfThese(
      [...open.map(({ word: name }) => name), ...options.map(({ word: name }) => `${name}:`)],
      "and",
    );
    return this.#fault([word], `${spec.name} takes no ${typed}${known && `, only ${known}`}.`);
  }

  /** A name that is neither an option of the command nor a field of the log. */
  #unknownKey(item: Keyed): Fault {
    const { spec, options, arguments: all } = this.#entry;
    const { kind: named } = this.#context;
    const kind = spec.filters ? named : undefined;
    const key = nameOf(item.key);
    const parameters = [...options, ...all];
    const compared = options.find(({ value }) => value.compares?.includes(key));
    if (compared) {
      const text = textOf(item).replaceAll(" ", "");
      return this.#fault(
        [item],
        `${quote(text)} is a value of ${compared.word}:.`,
        `${compared.word}:${writeText(text)}`,
      );
    }
    const having = kindsWith(key).map((other) => kindSpec(other).one);
    if (kind && having.length > 0) {
      const others = `${oneOfThese(having, "and")} logs have it`;
      return this.#fault(
        [item],
        `${capital(kindSpec(kind).one)} logs have no field ${key}; ${others}.`,
        undefined,
        kind,
      );
    }
    const labels = labelledOf(this.#entry)?.option.value.choices ?? [];
    const fields = kind ? fieldsOf(kind).flatMap(({ name, aliases }) => [name, ...aliases]) : [];
    const near = nearestOf(key, [...labels, ...parameters.flatMap(({ words }) => words), ...fields]);
    const owners = this.#grammar.optionOwners(key);
    if (near !== undefined && owners.length === 0) {
      const whole = `${item.minus ? "-" : ""}${near}${item.operator}${writeWord(item.value)}`;
      return this.#fault([item], `Unknown name ${quote(item.key)}. Did you mean ${near}?`, whole);
    }
    if (owners.length > 0) {
      const others = `${oneOfThese(owners, "and")} ${owners.length > 1 ? "have" : "has"} it`;
      return this.#fault([item], `${spec.name} has no option ${key}; ${others}.`);
    }
    if (having.length > 0) {
      return this.#fault([item], `${spec.name} takes no filters, and ${quote(textOf(item))} is one.`);
    }
    const words = parameters.map(({ word }) => word);
    const known = kind
      ? `field ${quote(item.key)}; ${kindSpec(kind).one} logs have ${oneOfThese(
          fieldsOf(kind).map(({ name }) => name),
          "and",
        )}`
      : `option ${quote(item.key)}; ${spec.name} has ${words.length > 0 ? oneOfThese(words, "and") : "none"}`;
    return this.#fault([item], `Unknown ${known}.`, undefined, kind);
  }

  /** An argument is missing. A command without arguments may open a form; with other words, it must be explicit. */
  #missing(): Fault | undefined {
    const { arguments: all, spec } = this.#entry;
    const isNeeded = ({ required, open }: Parameter): boolean =>
      required || (open !== undefined && this.#items.length > 0);
    const argument = all.find((each) => isNeeded(each) && !this.#values.has(each.member));
    if (!argument) return undefined;
    const { name, example, choices } = argument.value;
    const wanted = choices ? `: ${oneOfThese(choices)}` : `, such as ${example}`;
    const open = argument.open === undefined ? "" : `; ${argument.word}:${argument.open} is every ${name}`;
    return this.#fault([], `${spec.name} needs ${/^[aeiou]/.test(name) ? "an" : "a"} ${name}${wanted}${open}.`);
  }

  /** The period between `since` and `until` is empty. */
  #periodFault(): Fault | undefined {
    const [since, until] = [this.#values.get("since"), this.#values.get("until")];
    if (typeof since !== "number" || typeof until !== "number" || until > since) return undefined;
    const [begins = [], ends = []] = [this.#sources.get("since"), this.#sources.get("until")];
    const next = until < since ? this.#nextClock(typedValue(ends), since) : undefined;
    if (next !== undefined) {
      this.#values.set("until", next);
      return undefined;
    }
    const [first, last] = [begins, ends].map((items) => quote(items.map(textOf).join(" ")));
    const reason =
      until === since
        ? `${first} and ${last} are the same moment, so the period is empty. A day means its beginning; use time:yesterday for the whole day.`
        : `${first} is later than ${last}, so the period is empty.`;
    return this.#fault([...begins, ...ends], reason, undefined, "times");
  }

  /** At half past nine, `since:09:00 until:10:00` ends today, not at the last ten o'clock. */
  #nextClock(typed: string, since: number): number | undefined {
    const [until] = parametersNamed(this.#entry, "until");
    if (!until || !isClock(typed)) return undefined;
    const read = until.value.parse(typed, { ...this.#context, subject: until.word, now: since + DAY_MS });
    return read.ok && typeof read.value === "number" ? read.value : undefined;
  }

  /** The values do not go together. What is meant is not guessed. */
  #problem(): Fault | undefined {
    const reason = this.#entry.spec.problemIn?.(Object.fromEntries(this.#values));
    return reason === undefined ? undefined : this.#fault(this.#items, reason);
  }

  #build(): AnyCommand {
    const { spec, arguments: all, options } = this.#entry;
    const given = [...all, ...options].flatMap(({ member }) =>
      this.#values.has(member) ? [[member, this.#values.get(member)] as const] : [],
    );
    const zone = this.#values.has("zone") ? undefined : this.#zoneOfPeriod();
    const values = { ...Object.fromEntries(given), ...(zone !== undefined && { zone }) };
    return { name: spec.name, ...values, ...(spec.filters && { filters: this.#filters }) };
  }

  /** The zone that the start or the end of the period is typed with, so that a heading shows it in the same. */
  #zoneOfPeriod(): string | undefined {
    if (!this.#entry.options.some(isZone)) return undefined;
    const times = ["since", "until"].map((end) => typedValue(this.#sources.get(end) ?? []));
    return times.map(zoneIn).find((zone) => zone !== undefined);
  }

  /** A fault of some items, and what was probably meant in their place. */
  #fault(used: readonly Item[], reason: string, meant?: string, topic?: string): Fault {
    const { name } = this.#entry.spec;
    const words = this.#items.flatMap((item) =>
      item === used[0] ? (meant ?? []) : used.includes(item) ? [] : rawOf(item),
    );
    const corrected = meant === undefined ? undefined : [name, ...words].join(" ");
    return { ok: false, reason, at: rangeOf(used), corrected, topic: topic ?? name };
  }
}

/** A filter by a field: `status:5xx`. */
function exampleOf({ name, operator, examples: [example] }: FieldSpec): string {
  return `${name}${operator}${example?.[0] ?? "…"}`;
}

interface Found {
  readonly parameter: Parameter;
  readonly read: Read<unknown>;
  readonly used: readonly Item[];
}

/** Puts the valid reading first, then the one that uses more words. */
function byFit(a: Found, b: Found): number {
  return Number(b.read.ok) - Number(a.read.ok) || b.used.length - a.used.length;
}

// The longest times in words are "1 hour 2 minutes 3 seconds ago" and "last monday at 2 pm in New York".
const MOST_WORDS_OF_VALUE = 8;

/** Reads a value with as many of the following words as fit: `since:2 hours ago`. */
function readLongest<T>(
  value: Marked,
  behind: readonly Bare[],
  read: (value: Marked) => Read<T>,
): { read: Read<T>; used: readonly Bare[] } {
  const quotedAt = behind.findIndex(isQuoted);
  const words = quotedAt < 0 ? behind : behind.slice(0, quotedAt);
  for (let count = words.length; count > 0; count--) {
    const longer = read(joined(" ", value, ...words.slice(0, count)));
    if (longer.ok) return { read: longer, used: words.slice(0, count) };
  }
  return { read: read(value), used: [] };
}

const COMMA = new RegExp(`[${COMMAS}]`, "g");

/** The words that can continue a value of a closed list: `reason:channel full`, but not `reason:channel* failed`. */
function wordsOfList({ values = [] }: TextType, value: Marked, words: readonly Bare[]): readonly Bare[] {
  const begun = nameOf(splitAtCommas(value).at(-1)?.text ?? "");
  const parts = values.flatMap(([name]) => (name.startsWith(`${begun}-`) ? name.split("-").slice(1) : []));
  const end = words.findIndex(({ text }) => !parts.includes(text.toLowerCase()));
  return end < 0 ? words : words.slice(0, end);
}

/** The value as it was typed, without the name before it. */
function typedValue([first, ...rest]: readonly Item[]): string {
  const start = first?.form === "keyed" ? [first.value.text] : [];
  return plain([...start, ...rest.map(textOf)].join(" "));
}

/** Words that ask a question or request another action. Alone, none of them is a name. */
const QUESTIONS: ReadonlySet<string> = new Set(
  [
    "what who whom whose which when where why how is are am was do does did can could may should will would",
    "list ls show see view print display get find search look lookup query read open fetch describe explain",
    "help info about usage example examples manual version state stats check verify validate inspect decode parse",
    "debug history count all any every each everyone everybody everything none mine my me us",
    "revoke invalidate expire expired cancel stop end kill delete del remove rm drop destroy forget clear reset undo",
    "disable enable block ban renew refresh extend rotate change edit update set rename move copy share send",
    "new create make add generate gen mint issue give want need please again another same last latest recent",
    "it this that these those them the a an",
  ].flatMap((words) => words.split(" ")),
);

const ALONE = { now: 0, zone: utc, subject: "", topics: [] };

/** Why a text without the argument's name before it may not be that argument; undefined if it can mean nothing else. */
function doubtAbout(text: string, argument: Parameter, entry: Entry, grammar: Grammar): string | undefined {
  const { word, value, required } = argument;
  const { spec, arguments: all, options } = entry;
  const name = nameOf(text);
  const isName = `If the ${value.name} is really called that, write ${shorten(`${word}:${writeText(text)}`, 50)}.`;
  if (/^[-–—−]/.test(text)) return `${spec.name} takes no ${quote(text)}.`;
  const isOther = grammar.entryNamed(name) !== undefined || kindNamed(name) !== undefined;
  if (QUESTIONS.has(name) || isOther || /[?？]$/.test(text)) {
    return `${quote(text)} after ${spec.name} looks like a question. ${isName}`;
  }
  const near = [...all, ...options].find((other) => other !== argument && other.value.isNear?.(text));
  if (near) {
    const rule = options.includes(near) ? `: write ${near.word}: before it` : ", but is not a whole one";
    return `${quote(text)} looks like a ${near.value.name}${rule}. ${isName}`;
  }
  const isTime = spec.effect === "reads" && !required && isTimeText(plain(text));
  return isTime ? `${quote(text)} after ${spec.name} is a time: write since: before it. ${isName}` : undefined;
}

/** Whether an argument must be written with its name, because the text alone would mean something else. */
export function needsName(text: string, argument: Parameter, entry: Entry, grammar: Grammar): boolean {
  const { value, rest } = argument;
  if (rest) return false;
  if (value.distinctive) return value.parseNamed !== undefined && !value.parse(text, ALONE).ok;
  if (doubtAbout(text, argument, entry, grammar) !== undefined) return true;
  const others = entry.arguments.filter((other) => other !== argument && other.value.distinctive);
  const isLabel = labelledOf(entry)?.option.value.parse(nameOf(text), ALONE).ok ?? false;
  return (
    isLabel ||
    parametersNamed(entry, text).length > 0 ||
    others.some((other) => other.value.parse(plain(text), ALONE).ok)
  );
}
