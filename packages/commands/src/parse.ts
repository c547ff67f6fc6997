import type { LogKind } from "@media-ops/contract";
import { isOptionOperator, readFilter } from "./filters.js";
import {
  ALONE,
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
} from "./kinds.js";
import { DAY_MS, isClock, isTimeText, type Zone, zoneTyped } from "./times.js";
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
interface Keyed {
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
const rawOf = ({ words }: Item): string => words.map(({ raw }) => raw).join(" ");

/** The typed text without quotes, for messages. */
const textOf = ({ words }: Item): string => words.map(({ text }) => text).join(" ");

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

/** The item that begins with a word. Spaces may stand around the operator of a known name, and around commas. */
function itemAt(words: readonly Word[], at: number, grammar: Grammar): Item {
  const first = words[at] ?? unquoted("");
  let [whole, end]: [Marked, number] = [first, at + 1];
  const take = (between: string): void => {
    whole = joined("", whole, unquoted(between), words[end] ?? unquoted(""));
    end += 1;
  };
  const isValue = (word: Word | undefined): word is Word => word !== undefined && !keyIn(word, grammar);

  const next = words[end];
  const name = isQuoted(first) || keyOf(first) ? undefined : keyOf(unquoted(`${first.text}:`));
  if (next && name && grammar.isKey(name.name)) {
    // when p95>2s, status >= 400, --since 2h
    if (grammar.compares(name.name, keyOf(next)?.name ?? next.text)) take(":");
    else if (startsWithOperator(next) && kindNamed(name.name) === undefined) take("");
    else if (name.dashes === "--" && isValue(next)) take(":");
  }
  const key = keyIn(whole, grammar);
  if (!key) {
    if (/^media$/i.test(first.text) && /^apis?$/i.test(next?.text ?? "")) take(" ");
    return { form: "bare", ...withoutComma(whole), words: words.slice(at, end) };
  }
  const follows = words[end];
  if (follows && key.length === whole.text.length) {
    if (isValue(follows) || grammar.compares(key.name, keyOf(follows)?.name ?? "")) take("");
  }
  for (let more = words[end]; isValue(more) && key.length < whole.text.length; more = words[end]) {
    if (!isCommaAt(whole, whole.text.length - 1) && !isCommaAt(more, 0)) break;
    take("");
  }
  const value = withoutComma(slice(keyed(whole), key.length));
  const { dashes, operator } = key;
  return { form: "keyed", minus: dashes === "-", key: key.name, operator, value, words: words.slice(at, end) };
}

function isCommaAt({ text, marks }: Marked, at: number): boolean {
  return marks.charAt(at) === "-" && COMMAS.includes(text.charAt(at));
}

/** The text without a final comma, which belongs to a sentence and not to a list. */
function withoutComma(marked: Marked): Marked {
  const end = marked.text.length - 1;
  return end > 0 && isCommaAt(marked, end) ? slice(marked, 0, end) : { text: marked.text, marks: marked.marks };
}

const STARTS_WITH_OPERATOR = new RegExp(`^${OPERATOR_SIGN}`);

const startsWithOperator = ({ text, marks }: Marked): boolean =>
  marks.startsWith("-") && STARTS_WITH_OPERATOR.test(text);

/** 'status>=400' in quotes comes from the help for shells: read without them. Other quoted text is just text. */
const keyed = (word: Marked): Marked => (word.marks.includes("-") ? word : unquoted(word.text));

/** The name and operator at the start of a word. */
function keyIn(word: Marked, grammar: Grammar): Key | undefined {
  const key = keyOf(keyed(word));
  if (!key || grammar.isKey(key.name)) return key;
  // "https://…" is a URL, and "Help!" is an exclamation.
  const isText = !word.marks.includes("-") || /^!+$/.test(key.operator) || word.text.startsWith("//", key.length);
  return isText ? undefined : key;
}

/** The items of a command. A phrase at its start, such as `token list`, is one item with the command's name. */
export function commandItems(words: readonly Word[], grammar: Grammar): readonly Item[] {
  const items: Item[] = [];
  for (let at = 0; at < words.length; at += items.at(-1)?.words.length ?? 1) items.push(itemAt(words, at, grammar));
  // The program's own name is often copied along.
  const [first] = items;
  if (first?.form === "bare" && /^\/?media$/i.test(first.text)) items.shift();
  const phrase = grammar.phrases.find((one) => wordsAt(items, one.words));
  const said = phrase && wordsAt(items, phrase.words);
  if (!said) return items;
  const name: Bare = { form: "bare", ...unquoted(phrase.name), words: said.flatMap((item) => item.words) };
  return [name, ...items.slice(said.length)];
}

/** The first items, if they are these words, possibly as a question. */
function wordsAt(items: readonly Item[], words: readonly string[]): readonly Bare[] | undefined {
  // A single argument that holds a space is not two words.
  const isSaid = (word: string, at: number): boolean => {
    const item = items[at];
    return item?.form === "bare" && !isQuoted(item) && nameOf(item.text).replace(/\?$/, "") === word;
  };
  return words.every(isSaid) ? items.slice(0, words.length).filter((item) => item.form === "bare") : undefined;
}

// Longer than any typed command, with room for text that grows when it is written back.
const MOST_CHARACTERS = 20_000;
const MOST_WORDS = 200;
const LONGEST_REASON = 200;

/** Why a command was not understood. */
export interface CommandProblem {
  /** The problem and what was expected, in a sentence or two. */
  readonly reason: string;
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
  const { corrected, topic } = attempt;
  const reason = shorten(harmless(attempt.reason), LONGEST_REASON);
  // A corrected command that makes or deletes is offered only to who typed its name.
  const right = corrected && isHarmless(corrected) ? tryInput(corrected, grammar, context) : undefined;
  const meant = right?.ok ? grammar.entryNamed(right.command.name) : undefined;
  const typed = commandNamed(typeof input === "string" ? input : input.join(" "), grammar);
  const isOffered = meant && (meant.spec.effect === "reads" || meant === typed);
  const nearest = (isOffered && corrected) || grammar.helpOn(topic);
  return { ok: false, problem: { reason, nearest } };
}

/** The command that the first words of a text name. */
export function commandNamed(text: string, grammar: Grammar): Entry | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const split = splitWords(text);
  const [first] = split.ok ? commandItems(split.words, grammar) : [];
  return first?.form === "bare" ? grammar.entryNamed(first.text) : undefined;
}

function tryInput(input: string | readonly string[], grammar: Grammar, context: ReadContext): Attempt {
  const { length } = typeof input === "string" ? input : input.join(" ");
  if (length > MOST_CHARACTERS) return tooMany("characters", MOST_CHARACTERS, length);
  const split = typeof input === "string" ? splitWords(input) : splitArguments(input);
  if (!split.ok) return { ok: false, reason: `The quote ${split.quote} is never closed.` };
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
    if (said) return { ok: false, reason, corrected: nearest };
  }
  return undefined;
}

/** The help topic, if a command is followed by `help`, or by `--help`, `-h` or `?` anywhere. */
function requestedTopic(items: readonly Item[], grammar: Grammar): string | undefined {
  const { help, implied } = grammar;
  const [first, second] = items;
  if (!help || first?.form !== "bare") return undefined;
  const entry = grammar.entryNamed(first.text) ?? (kindNamed(first.text) ? implied : undefined);
  if (!entry || entry === help) return undefined;
  const words = items.filter((item) => item.form === "bare");
  const last = entry.spec.filters ? words.at(-1) : undefined;
  const asks = (word: Bare): boolean =>
    /^(?:\?|？|-h|--help|—help)$/i.test(word.text) || ((word === second || word === last) && /^help$/i.test(word.text));
  if (!words.slice(1).some((word) => !isQuoted(word) && asks(word))) return undefined;
  return (entry.spec.filters && kindAmong(words)) || entry.spec.name;
}

/** The chosen command, and the items that belong to it. */
export interface Chosen {
  readonly ok: true;
  readonly entry: Entry;
  readonly items: readonly Item[];
}

/** The command that the first words name; without any, the help. */
export function chooseCommand(items: readonly Item[], grammar: Grammar): Chosen | Fault {
  const [first, ...rest] = items;
  const { help, implied } = grammar;
  if (!first) return help ? { ok: true, entry: help, items } : { ok: false, reason: "A command is missing." };
  if (first.form === "keyed") {
    return { ok: false, reason: `A command comes first, before ${quote(textOf(first))}.` };
  }
  // Phones turn two short dashes into a long one: —help.
  const entry = grammar.entryNamed(first.text.replace(/^—/, "--"));
  if (entry) return { ok: true, entry, items: rest };
  // "failed webhooks"
  const isLog = kindNamed(first.text) ?? (outcomeSaid(first) && kindAmong(rest));
  return implied && isLog ? { ok: true, entry: implied, items } : unknownCommand(first, rest, grammar);
}

function unknownCommand(first: Bare, rest: readonly Item[], grammar: Grammar): Fault {
  const names = [...grammar.entries.flatMap((entry) => entry.names), ...(grammar.implied ? kindNames : [])];
  const word = first.text.replace(/[?!.]+$/, "");
  const near = grammar.entryForHint(word)?.spec.name ?? nearestOf(word, names);
  const topic = near && (grammar.entryNamed(near)?.spec.name ?? kindNamed(near));
  const known = topic ? `. Did you mean ${topic}?` : "; help lists the commands.";
  const corrected = topic && [topic, ...rest.map(rawOf)].join(" ");
  return { ok: false, reason: `Unknown command ${quote(first.text)}${known}`, corrected, topic };
}

/** Reads the items of a command. Times are in the zone that the command names, or one of its times. */
function readCommand(chosen: Chosen, grammar: Grammar, context: ReadContext): Attempt {
  const read = (more: Partial<ReadContext>) =>
    new Reading(chosen, grammar, { ...context, kind: kindAmong(chosen.items), ...more });
  // What is in the future in one zone may be in the past in another.
  const first = chosen.entry.options.some(isZone) ? read({ now: context.now + DAY_MS }) : undefined;
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

  constructor({ entry, items }: Chosen, grammar: Grammar, context: ReadContext) {
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

  /** An option, an argument with its name, or a filter. */
  #readKeyed(item: Keyed): Fault | undefined {
    const { spec } = this.#entry;
    const { kind } = this.#context;
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

  /** A word by itself: `failed`, `since 2h`, an argument. */
  #readBare(item: Bare): Fault | undefined {
    if (item.text.trim() === "") return this.#fault([item], "The quotes are empty.");
    const outcome = this.#entry.spec.filters ? outcomeSaid(item) : undefined;
    if (outcome) return this.#readOutcome(item, outcome.negated);
    return this.#readLoose(item) ? undefined : this.#readArgument(item);
  }

  #readOption(item: Keyed, parameter: Parameter, parameters: readonly Parameter[]): Fault | undefined {
    const { minus, operator, value } = item;
    if (minus || !isOptionOperator(operator) || value.text.trim() === "") return this.#misspelled(item, parameter);
    const [found = this.#readValue(parameter, item, value, 0)] = parameters
      .map((each) => this.#readValue(each, item, value, 0))
      .sort(byFit);
    const { read, used } = found;
    if (read.ok) return this.#give(found.parameter, used, read.value);
    const { word, value: type } = found.parameter;
    const near = read.nearest && `${word}:${type.list ? read.nearest : writeText(read.nearest)}`;
    return this.#fault(used, read.reason, near, type.zoned ? "times" : undefined);
  }

  /** `since 2h`: the colon may be omitted if the words can mean nothing else. */
  #readLoose(item: Bare): boolean {
    const [next] = this.#wordsBehind(0);
    if (!next || isQuoted(item) || parametersNamed(this.#entry, next.text).length > 0) return false;
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
    const { read, used } = readLongest(value, type.spaced ? this.#wordsBehind(ahead) : [], parse);
    return { parameter, read, used: [item, ...used] };
  }

  /** The unquoted words behind the current item, or behind as many more. */
  #wordsBehind(ahead: number): Bare[] {
    const rest = this.#items.slice(this.#at + ahead + 1, this.#at + ahead + 1 + MOST_WORDS_OF_VALUE);
    const end = rest.findIndex((item) => item.form === "keyed");
    return rest.slice(0, end < 0 ? rest.length : end).filter((item) => item.form === "bare");
  }

  #give({ member, word, sets, value: type }: Parameter, used: readonly Item[], value: unknown): Fault | undefined {
    if (this.#values.has(member) || (sets && this.#values.has(sets.member))) {
      return this.#fault(
        used,
        `${sets ? type.name : word} is given twice: ${quote(used.map(textOf).join(" "))} is one too many.`,
      );
    }
    for (const each of [{ member, value }, ...(sets ? [sets] : [])]) {
      this.#values.set(each.member, each.value);
      this.#sources.set(each.member, used);
    }
    this.#at += used.length;
    return undefined;
  }

  #readFilter(item: Keyed, field: FieldSpec): Fault | undefined {
    const { minus, operator, value } = item;
    const { kind } = this.#context;
    const isProgram = field.wire === "from" && !minus && isOptionOperator(operator) && !isQuoted(value);
    if (isProgram && isTimeText(value.text)) {
      const reason = "In API logs, from: is the program that made the call; use since: for a time.";
      return this.#fault([item], reason, `since:${writeText(value.text)}`);
    }
    const [, ...others] = splitAtCommas(value);
    if (field.holds === "text" && others.some((part) => this.#grammar.isKey(keyOf(part)?.name ?? ""))) {
      return this.#fault([item], "Separate filters with spaces only.", undefined, "filters");
    }
    const isSpaced = field.type.is === "ordered" || field.type.values !== undefined;
    const { read, used } = readLongest(value, isSpaced ? this.#wordsBehind(0) : [], (whole) =>
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
    const field = kind && failureField(kind);
    if (kind === undefined) return this.#missing() ?? this.#leftover(word, []);
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
    const open = all.filter(({ member }) => !this.#values.has(member));
    const distinctive = open.filter(({ value }) => value.distinctive);
    const takesName = all.some(({ value }) => !value.distinctive);
    // In quotes, a word is a name if there may be one.
    for (const argument of takesName && isQuoted(word) ? [] : distinctive) {
      const { read, used } = this.#readValue(argument, word, word, 0);
      if (read.ok) return this.#give(argument, used, read.value);
    }
    const name = open.find(({ value }) => !value.distinctive);
    if (name) return this.#readName(name, word);
    const [wanted] = takesName || parametersNamed(this.#entry, word.text).length > 0 ? [] : distinctive;
    const read = wanted?.value.parse(plain(word.text), { ...this.#context, subject: this.#entry.spec.name });
    return read && !read.ok ? this.#fault([word], read.reason, read.nearest) : this.#leftover(word, open);
  }

  /** A name, such as a channel's. */
  #readName(argument: Parameter, first: Bare): Fault | undefined {
    const used = argument.rest ? [first, ...this.#wordsBehind(0)] : [first];
    const text = used.map((word) => word.text).join(" ");
    const doubt = argument.rest || isQuoted(first) ? undefined : doubtAbout(text, argument, this.#entry, this.#grammar);
    if (doubt) return this.#fault(used, doubt);
    const read = argument.value.parse(text, { ...this.#context, subject: this.#entry.spec.name });
    return read.ok ? this.#give(argument, used, read.value) : this.#fault(used, read.reason, read.nearest);
  }

  /** A name that lacks its value, or has it in another form. */
  #misspelled(item: Item, parameter: Parameter): Fault {
    const { word, value } = parameter;
    const reason = `${word} is written as ${word}:${value.example}, not ${quote(textOf(item))}.`;
    return this.#fault([item], reason, undefined, value.zoned ? "times" : undefined);
  }

  /** A word that fits nowhere. */
  #leftover(word: Bare, open: readonly Parameter[]): Fault {
    const { spec, arguments: all, options } = this.#entry;
    const { kind } = this.#context;
    const typed = quote(word.text);
    const [parameter] = isQuoted(word) ? [] : parametersNamed(this.#entry, word.text);
    if (parameter) return this.#misspelled(word, parameter);
    const fails = kind && spec.filters && failureField(kind) ? Object.keys(outcomes) : [];
    const near = nearestOf(word.text.replace(/^-+/, ""), [
      ...open.flatMap(({ value }) => value.choices ?? []),
      ...fails,
    ]);
    if (near && !isQuoted(word)) {
      const meant = /^-\w/.test(word.text) ? `-${near}` : near;
      return this.#fault([word], `Unexpected ${typed}. Did you mean ${meant}?`, meant, kind);
    }
    const given = all.find(({ value }) => value.parse(word.text, { ...this.#context, subject: "" }).ok);
    if (given && !word.text.startsWith("-")) {
      const { name, distinctive } = given.value;
      const rule = distinctive ? "" : `; a ${name} with spaces needs quotes`;
      return this.#fault([word], `${spec.name} takes one ${name}: ${typed} is one too many${rule}.`);
    }
    const [option] = options;
    const field = spec.filters && kind ? (fieldNamed(kind, word.text) ?? fieldsOf(kind)[1]) : undefined;
    if (field && option) {
      const forms = `filters as ${field.name}${field.operator}${field.examples[0]?.[0] ?? "…"}, options as ${option.word}:${option.value.example}`;
      const reason = `Unexpected ${typed}: write ${forms}, and values with spaces in quotes.`;
      return this.#fault([word], reason, undefined, kind);
    }
    const words = [...open.map((each) => each.word), ...options.map((each) => `${each.word}:`)];
    const known = words.length > 0 ? `, only ${oneOfThese(words, "and")}` : "";
    return this.#fault([word], `${spec.name} takes no ${typed}${known}.`);
  }

  /** A name that is neither an option of the command nor a field of the log. */
  #unknownKey(item: Keyed): Fault {
    const { spec, options, arguments: all } = this.#entry;
    const kind = spec.filters ? this.#context.kind : undefined;
    const key = nameOf(item.key);
    const compared = options.find(({ value }) => value.compares?.includes(key));
    if (compared) {
      const text = textOf(item).replaceAll(" ", "");
      const meant = `${compared.word}:${writeText(text)}`;
      return this.#fault([item], `${quote(text)} is a value of ${compared.word}:.`, meant);
    }
    const logs = kindsWith(key).map((other) => kindSpec(other).one);
    if (kind && logs.length > 0) {
      const reason = `${capital(kindSpec(kind).one)} logs have no field ${key}; ${oneOfThese(logs, "and")} logs have it.`;
      return this.#fault([item], reason, undefined, kind);
    }
    const owners = this.#grammar.optionOwners(key);
    if (owners.length > 0) {
      const others = `${oneOfThese(owners, "and")} ${owners.length > 1 ? "have" : "has"} it`;
      return this.#fault([item], `${spec.name} has no option ${key}; ${others}.`);
    }
    const labels = labelledOf(this.#entry)?.option.value.choices ?? [];
    const parameters = [...options, ...all];
    const fields = kind ? fieldsOf(kind) : [];
    const words = [...parameters.map((each) => each.words), ...fields.map(({ name, aliases }) => [name, ...aliases])];
    const near = nearestOf(key, [...labels, ...words.flat()]);
    if (near !== undefined) {
      const meant = `${item.minus ? "-" : ""}${near}${item.operator}${writeWord(item.value)}`;
      return this.#fault([item], `Unknown name ${quote(item.key)}. Did you mean ${near}?`, meant);
    }
    if (logs.length > 0) {
      return this.#fault([item], `${spec.name} takes no filters, and ${quote(textOf(item))} is one.`);
    }
    const known = kind ? fields.map(({ name }) => name) : parameters.map(({ word }) => word);
    const reason = `Unknown name ${quote(item.key)}; ${kind ?? spec.name} has ${oneOfThese(known, "and") || "none"}.`;
    return this.#fault([item], reason, undefined, kind);
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
    const reason = `The period from ${first} to ${last} is empty; a day means its beginning.`;
    return this.#fault([...begins, ...ends], reason, undefined, "times");
  }

  /** At half past nine, `since:09:00 until:10:00` ends today, not at the last ten o'clock. */
  #nextClock(typed: string, since: number): number | undefined {
    const [until] = parametersNamed(this.#entry, "until");
    if (!until || !isClock(typed)) return undefined;
    const read = until.value.parse(typed, { ...this.#context, subject: until.word, now: since + DAY_MS });
    return read.ok && typeof read.value === "number" ? read.value : undefined;
  }

  /** The values do not go together. */
  #problem(): Fault | undefined {
    const reason = this.#entry.spec.problemIn?.(Object.fromEntries(this.#values));
    return reason === undefined ? undefined : this.#fault(this.#items, reason);
  }

  #build(): AnyCommand {
    const { spec, arguments: all, options } = this.#entry;
    const zone = this.#values.get("zone") ?? this.#zoneOfPeriod();
    if (zone !== undefined) this.#values.set("zone", zone);
    // In the order of the table.
    const given = [...all, ...options].flatMap(({ member }) =>
      this.#values.has(member) ? [[member, this.#values.get(member)] as const] : [],
    );
    return { name: spec.name, ...Object.fromEntries(given), ...(spec.filters && { filters: this.#filters }) };
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
    return { ok: false, reason, corrected, topic: topic ?? name };
  }
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

/** Why a text without the argument's name before it may not be that argument; undefined if it can mean nothing else. */
function doubtAbout(text: string, argument: Parameter, entry: Entry, grammar: Grammar): string | undefined {
  const { word, value, required } = argument;
  const { spec, arguments: all, options } = entry;
  const name = nameOf(text);
  const near = [...all, ...options].find((other) => other !== argument && other.value.isNear?.(text));
  let other: string | undefined;
  if (/^[-–—−]/.test(text)) other = "an option";
  else if (QUESTIONS.has(name) || grammar.entryNamed(name) || kindNamed(name) || /[?？]$/.test(text))
    other = "a question";
  else if (near) other = `a ${near.value.name}: write all of it after ${near.word}:`;
  else if (spec.effect === "reads" && !required && isTimeText(plain(text))) other = "a time: write since: before it";
  if (other === undefined) return undefined;
  const named = shorten(`${word}:${writeText(text)}`, 50);
  return `${quote(text)} after ${spec.name} looks like ${other}. If the ${value.name} is really called that, write ${named}.`;
}

/** Whether an argument must be written with its name, because the text alone would mean something else. */
export function needsName(text: string, argument: Parameter, entry: Entry, grammar: Grammar): boolean {
  const { value, rest } = argument;
  const means = ({ value: other }: Parameter): boolean => other.parse(plain(text), ALONE).ok;
  if (rest) return false;
  if (value.distinctive) return value.parseNamed !== undefined && !means(argument);
  if (doubtAbout(text, argument, entry, grammar) !== undefined) return true;
  return (
    parametersNamed(entry, text).length > 0 || entry.arguments.some((other) => other.value.distinctive && means(other))
  );
}
