import type { LogKind } from "@media-ops/contract";
import { type Completion, completeWords } from "./complete.js";
import {
  type AbsentCommand,
  type AnyCommand,
  type CommandOf,
  type CommandSpec,
  type Entry,
  Grammar,
  type Parameter,
} from "./grammar.js";
import { type Help, type HelpOptions, helpOn } from "./help.js";
import {
  type FieldSpec,
  type Filter,
  fieldNamed,
  kindSpec,
  type OrderedType,
  outcomeOf,
  outcomes,
  type Pattern,
  type Range,
  type Test,
} from "./kinds.js";
import { commandNamed, needsName, type Parsed, parseCommand } from "./parse.js";
import { isTimeText, zoneNamed, zoneTyped } from "./times.js";
import type { DescribeContext, Edge, ReadContext } from "./values.js";
import { harmless, keyOf, oneOfThese, quoted, shorten, unquoted, writePattern, writeText } from "./words.js";

/** The context for parsing. */
export interface ParseOptions {
  /** The current time in milliseconds since 1970. */
  readonly now: number;
  /** The reader's time zone, by its IANA name. @default "UTC" */
  readonly timeZone?: string | undefined;
}

/** The context for a description; with `now`, recent times read as "last 2 hours". */
export interface DescribeOptions extends Partial<ParseOptions> {
  /** The project if the command names none. */
  readonly project?: string | undefined;
}

/** The parts of a description. */
interface Phrases {
  /** The filters, without `failed` and `ok`; empty if there are none. */
  readonly conditions: string;
  /** "in the last 2 hours", "since 09:00 until 10:00"; empty without a period. */
  readonly period: string;
  /** The limit and the grouping: "the newest 5", "by url and status". */
  readonly limit: string;
}

/** Everything that follows from a table of commands. */
export interface Language<C> {
  readonly commands: readonly CommandSpec[];
  /** The command that the first words of a text name, whether or not the rest parses. */
  commandNamed(text: string): CommandSpec | undefined;
  /** Parses a line, or words that a shell has split. Never throws. */
  parse(input: string | readonly string[], when: ParseOptions): Parsed<C>;
  /** Help on a topic, or an overview. */
  help(topic?: string, options?: HelpOptions): Help;
  /** The possible continuations of the last word, which may be empty. */
  complete(words: readonly string[], when?: ParseOptions): readonly Completion[];
  /** A command for people, in one line. */
  describe(command: C, options?: DescribeOptions): string;
  /** What a command selects, in words, for a heading with a beginning of its own. */
  phrases(command: C, options?: DescribeOptions): Phrases;
  /** The text that parses as exactly this command, at any later time. */
  write(command: C): string;
  /** Whether the text of this command can mean something else in another time zone. */
  isTimed(command: C): boolean;
}

/**
 * Creates a language from a table.
 *
 * @param absent commands that only another program has.
 * @throws {Error} if two commands have the same name.
 * @example const language = defineLanguage([...coreCommands, ...operationCommands, connect, use], [checkInTerminal])
 */
export function defineLanguage<const S extends readonly CommandSpec[]>(
  commands: S,
  absent?: readonly AbsentCommand[],
): Language<CommandOf<S[number]>>;
// The compiler cannot derive the members of an object from a table; the tests do.
export function defineLanguage(
  commands: readonly CommandSpec[],
  absent?: readonly AbsentCommand[],
): Language<AnyCommand> {
  const grammar = new Grammar(commands, absent);
  const entryOf = ({ name }: AnyCommand): Entry => {
    const entry = grammar.entryNamed(name);
    if (!entry) throw new TypeError(`No command is named ${name}.`);
    return entry;
  };
  return {
    commands,
    commandNamed: (text) => commandNamed(text, grammar)?.spec,
    parse: (input, when) => parseCommand(input, grammar, contextOf(grammar, when)),
    help: (topic, options) => helpOn(grammar, topic, options),
    complete: (words, when = { now: 0 }) => completeWords(words, grammar, contextOf(grammar, when)),
    describe: (command, { project, now, timeZone } = {}) =>
      describeCommand(entryOf(command), command, project, { now, zone: zoneNamed(timeZone) }),
    phrases: (command, { now, timeZone } = {}) =>
      phrasesOf(entryOf(command), command, { now, zone: zoneNamed(timeZone) }),
    write: (command) => writeCommand(entryOf(command), command, grammar),
    isTimed: (command) => isTimed(entryOf(command).spec),
  };
}

function contextOf({ topics }: Grammar, { now, timeZone }: ParseOptions): ReadContext {
  return { now, zone: zoneNamed(timeZone), subject: "", topics };
}

/** Whether the text of a command can mean something else in another time zone. Filters can: entries have times. */
export function isTimed({ filters = false, arguments: words = {}, options = {} }: CommandSpec): boolean {
  return filters || [...Object.values(words), ...Object.values(options)].some(({ value }) => value.zoned);
}

/** Members that only some commands have. */
interface Filtered {
  readonly kind?: LogKind;
  readonly filters?: readonly Filter[];
}

/** A command for people, in one line. */
function describeCommand(
  entry: Entry,
  command: AnyCommand & Filtered,
  project: string | undefined,
  given: DescribeContext,
): string {
  const context = contextFor(command, given);
  const parameters = [...entry.arguments, ...entry.options];
  const valueText = (parameter: Parameter | undefined): string | undefined => {
    const value = parameter && command[parameter.member];
    if (value !== undefined) return parameter?.value.describe(value, context);
    return parameter?.member === "in" || parameter?.member === "project" ? project : undefined;
  };

  const inHeading = new Set<string>();
  const usual = [entry.spec.name, ...entry.arguments.map(({ member }) => `{${member}}`)];
  const { kind, filters = [] } = command;
  const outcome = new Set(filters.map(outcomeOf).flatMap((word) => (word ? [outcomes[word].shown] : [])));
  const heading = (entry.spec.heading ?? usual).map((phrase) => {
    // "failed webhooks" for "webhook logs, failed"
    const said = kind && outcome.size > 0 && phrase.replace("{kind} logs", [...outcome, kindSpec(kind).many].join(" "));
    if (said && said !== phrase) {
      inHeading.add("kind");
      return said;
    }
    const [braced, member] = /\{(\w+)\}/.exec(phrase) ?? [];
    if (braced === undefined || member === undefined) return phrase;
    inHeading.add(member);
    const value = valueText(parameters.find((parameter) => parameter.member === member));
    return value && phrase.replace(braced, () => value);
  });

  const rest = parameters
    .filter(({ member }) => !inHeading.has(member))
    .map((parameter) => {
      const value = valueText(parameter);
      return value && parameter.phrase.replace("{}", () => value);
    });
  return [heading.filter(Boolean).join(" "), describeFilters(command, context), ...rest].filter(Boolean).join(", ");
}

/** A period that ends before now is not "the last 2 hours", nor is one with a zone of its own. */
function contextFor({ until, zone }: AnyCommand, given: DescribeContext): DescribeContext {
  const typed = typeof zone === "string" ? zoneTyped(zone) : undefined;
  if (typed) return { now: undefined, zone: typed };
  return until === undefined ? given : { ...given, now: undefined };
}

/** The filters of a command, each with its field. */
function filtersOf({ kind, filters = [] }: Filtered): [FieldSpec, Filter][] {
  return filters.flatMap((filter): [FieldSpec, Filter][] => {
    const field = kind && fieldNamed(kind, filter.field);
    return field ? [[field, filter]] : [];
  });
}

function describeFilters(command: Filtered, context: DescribeContext): string {
  const texts = filtersOf(command).map(([field, filter]) => describeFilter(field, filter, context));
  return texts.filter(Boolean).join(", ");
}

function phrasesOf({ options }: Entry, command: AnyCommand & Filtered, given: DescribeContext): Phrases {
  const context = contextFor(command, given);
  const phraseOf = (name: string): string | undefined => {
    const option = options.find(({ member }) => member === name);
    const value = command[name];
    if (!option || value === undefined) return undefined;
    return option.phrase.replace("{}", () => option.value.describe(value, context));
  };
  const ends = ["since", "until"].map(phraseOf);
  const zone = options.find(({ member }) => member === "zone");
  const isTyped = zone && command.zone !== undefined && ends.some(Boolean);
  const period = [...ends, isTyped && zone.value.describe(command.zone, context)].filter(Boolean).join(" ");
  return {
    conditions: describeFilters(command, context),
    period: period.replace(/^(?=last )/, "in the "),
    limit: ["last", "by"].map(phraseOf).filter(Boolean).join(", "),
  };
}

const signs = { ">": ">", ">=": "≥", "<": "<", "<=": "≤" } as const;

/** `status ≥ 400`, `url without hooks` */
function describeFilter(
  { name, type }: FieldSpec,
  { negated, test }: Filter,
  context: DescribeContext,
): string | undefined {
  const anyOf = (values: readonly string[]): string => `${name} ${oneOf(values, negated)}`;
  switch (test.is) {
    case "failed":
      // The heading has it.
      return undefined;
    case "like":
      return anyOf(test.any.map((pattern) => show(pattern.join("*"))));
    case "containing":
      return `${name} ${negated ? "without" : "with"} ${oneOfThese(test.any.map(show))}`;
    case "within":
      return anyOf(test.any.map((range) => describeRange(type, range, context)));
    default: {
      // "After a day" means after its end.
      const edge = test.is === ">" || test.is === "<=" ? "end" : "start";
      return `${name} ${negated ? "not " : ""}${signs[test.is]} ${describeValue(type, test.value, context, edge)}`;
    }
  }
}

function oneOf(values: readonly string[], negated: boolean): string {
  if (!negated) return oneOfThese(values);
  return values.length > 1 ? `neither ${oneOfThese(values, "nor")}` : `not ${values.join("")}`;
}

function show(text: string): string {
  return harmless(shorten(text, 60));
}

function describeValue(type: FieldSpec["type"], value: number, context: DescribeContext, edge: Edge): string {
  return type.is === "ordered" ? type.describe(value, context, edge) : String(value);
}

function describeRange(type: FieldSpec["type"], range: Range, context: DescribeContext): string {
  if (range.from === range.to) return describeValue(type, range.from, context, "none");
  const whole = type.is === "ordered" ? type.describeRange?.(range, context) : undefined;
  const [from, to] = [describeValue(type, range.from, context, "start"), describeValue(type, range.to, context, "end")];
  return whole ?? `${from} to ${to}`;
}

/** The text that parses as exactly this command, at any later time. */
function writeCommand(entry: Entry, command: AnyCommand & Filtered, grammar: Grammar): string {
  const isAlone = Object.keys(command).length === 1;
  const write = (parameter: Parameter, form: (parameter: Parameter, text: string) => string): string[] => {
    const { member, word, open, value: type } = parameter;
    const value = command[member] ?? (isAlone ? undefined : open);
    if (value !== undefined && value === open) return [`${word}:${open}`];
    return value === undefined ? [] : [form(parameter, type.write(value))];
  };
  const argumentText = (argument: Parameter, text: string): string =>
    BARE.test(text) && !needsName(text, argument, entry, grammar) ? text : optionText(argument, text);
  return [
    entry.spec.name,
    ...entry.arguments.flatMap((argument) => write(argument, argumentText)),
    ...filtersOf(command).map(([field, filter]) => writeFilter(field, filter)),
    ...entry.options.flatMap((option) => write(option, optionText)),
  ].join(" ");
}

// Text that cannot be an operator, a quote or a request for help.
const BARE = /^(?!help$)[\p{L}\p{N}][\p{L}\p{N}_.@/…-]*$/iu;

function optionText({ word, value }: Parameter, text: string): string {
  return `${word}:${value.list ? text : writeText(text)}`;
}

function writeFilter({ name, type, wire }: FieldSpec, { negated, test }: Filter): string {
  if (test.is === "failed") return negated ? "ok" : "failed";
  // from:2h would be a time.
  const [pattern, ...more] = test.is === "like" ? test.any : [];
  if (wire === "from" && pattern?.length === 1 && more.length === 0 && isTimeText(pattern.join(""))) {
    return `${negated ? "-" : ""}${name}:${pattern.map(quoted).join("")}`;
  }
  return `${negated ? "-" : ""}${name}${writeTest(test, type.is === "ordered" ? type : undefined)}`;
}

function writeTest(test: Exclude<Test, { is: "failed" }>, type: OrderedType | undefined): string {
  const write = (value: number): string => type?.write(value) ?? String(value);
  switch (test.is) {
    case "like":
      return `:${listOf(test.any)}`;
    case "containing":
      return `~${listOf(test.any.map((text) => [text]))}`;
    case "within":
      return `:${test.any.map(({ from, to }) => (from === to ? write(from) : `${write(from)}..${write(to)}`)).join(",")}`;
    default:
      return `${test.is}${write(test.value)}`;
  }
}

/** A list of values. After a comma, a value that looks like a filter is quoted. */
function listOf(values: readonly Pattern[]): string {
  const written = values.map((pattern, at) => {
    const text = writePattern(pattern);
    return at > 0 && keyOf(unquoted(text)) ? pattern.map((part) => part && quoted(part)).join("*") : text;
  });
  return written.join(",");
}
