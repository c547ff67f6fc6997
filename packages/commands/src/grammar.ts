import type { LogKind } from "./api.js";
import type { Filter } from "./filters/field-types.js";
import { fieldNamed, fieldsOf, kindSpec, kinds } from "./kinds.js";
import type { Topic, ValueOf, ValueType } from "./values/value-type.js";
import { nameOf } from "./words.js";

interface ParameterSpec {
  readonly value: ValueType<unknown>;
  readonly about: string;
  /** The default value, for the help. */
  readonly default?: string;
  /**
   * How a description shows it, with `{}` as the placeholder for the value.
   * @default "{}"
   */
  readonly phrase?: string;
}

/** An argument: a single word, or a word with its name: `channel:lobby`. */
interface ArgumentSpec extends ParameterSpec {
  /**
   * Whether the command needs it.
   * @default false
   */
  readonly required?: boolean;
  /**
   * Whether it consumes all remaining words.
   * @default false
   */
  readonly rest?: boolean;
  /**
   * The explicit text for an open value: `channel:*`. If set, a command with other words needs this or a value, so that
   * an omission never widens the command.
   */
  readonly open?: string;
  /** The option whose values may also be typed before it: `channel:lobby` is `lobby is:channel`. */
  readonly labels?: string;
}

/** An option: `word:value`. */
export interface OptionSpec extends ParameterSpec {
  /**
   * The word before the colon.
   * @default the option's name
   */
  readonly word?: string;
  readonly aliases?: readonly string[];
  /**
   * Whether any word after its name is its value, also without a colon: `by me`.
   * @default false
   */
  readonly isLoose?: boolean;
}

/** The effect of running a command. Changing a setting counts as making. */
export type Effect = "reads" | "makes" | "deletes";

/** A command as data. Parsing, help, completion, descriptions and writing all derive from it. */
export interface CommandSpec {
  readonly name: string;
  readonly aliases?: readonly string[];
  /**
   * Several words that stand for its name at the start of a line: `token list` for `tokens`. They precede the command
   * that their first word names.
   */
  readonly phrases?: readonly string[];
  /** Words that people type instead of its name, with spaces between them. They are answered with its name. */
  readonly hints?: string;
  /** Its effect. A suggestion never makes or deletes anything, unless that command was typed. */
  readonly effect: Effect;
  /**
   * Whether it asks about the entries of a project: programs may repeat it for everyone who may read them.
   * @default false
   */
  readonly isQuestion?: boolean;
  /**
   * Whether it acts on the project itself: programs show what it would affect, and run it only if that is confirmed.
   * @default false
   */
  readonly isAct?: boolean;
  /**
   * Whether Slack answers it with a window, which must open within seconds: always, or only if nothing follows its name.
   * @default never
   */
  readonly opensWindow?: "always" | "alone";
  /**
   * What its words may refer to in Slack's own notation. Other references are read as the text that was typed.
   * @default nothing
   */
  readonly keepsReferences?: "channels" | "people";
  readonly about: string;
  /** In the order in which they are typed. The names become members of the parsed command. */
  readonly arguments?: Readonly<Record<string, ArgumentSpec>>;
  readonly options?: Readonly<Record<string, OptionSpec>>;
  /**
   * Whether it accepts filters. It then needs an argument `kind`, which has the fields.
   * @default false
   */
  readonly filters?: boolean;
  /**
   * Whether its name may be omitted: `webhooks` for `logs webhooks`.
   * @default false
   */
  readonly implied?: boolean;
  /** Why the values of a command do not go together, in a sentence; undefined if they do. */
  readonly problemIn?: (values: Readonly<Record<string, unknown>>) => string | undefined;
  /**
   * How a description begins: phrases with members in braces. A phrase without a value is omitted.
   * @default the name and the arguments
   */
  readonly heading?: readonly string[];
  /** Commands that parse, and their meanings. */
  readonly examples: readonly (readonly [text: string, meaning: string])[];
}

/** Declares a command, so that the type of the parsed command follows from it. */
export function command<const S extends CommandSpec>(spec: S): S {
  return spec;
}

/** A command that only another program has: typed, it is answered with where it works. */
export interface AbsentCommand {
  /** What people type for it, in one word or several: `token check`. */
  readonly phrases: readonly string[];
  /** Where it works, in a sentence or more. */
  readonly reason: string;
  /** The nearest command that this program has. */
  readonly nearest: string;
}

type Flat<T> = { [Member in keyof T]: T[Member] };

type Members<Part> = Part extends Readonly<Record<string, { readonly value: ValueType<unknown> }>> ? Part : never;

type Given<Part> = {
  readonly [Name in keyof Part as Part[Name] extends { readonly required: true } ? Name : never]: ValueOf<
    Part[Name] extends { readonly value: infer V } ? V : never
  >;
} & {
  readonly [Name in keyof Part as Part[Name] extends { readonly required: true } ? never : Name]?: ValueOf<
    Part[Name] extends { readonly value: infer V } ? V : never
  >;
};

/** The parsed command of a table entry; of several entries, their union. */
export type CommandOf<S extends CommandSpec> = S extends CommandSpec
  ? Flat<
      { readonly name: S["name"] } & (S extends { readonly arguments: infer A } ? Given<Members<A>> : unknown) &
        (S extends { readonly options: infer O } ? Given<Members<O>> : unknown) &
        (S extends { readonly filters: true } ? { readonly filters: readonly Filter[] } : unknown)
    >
  : never;

/** A parsed command of an unknown table. */
export interface AnyCommand {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** An argument or an option, and the member of the parsed command that it sets. */
export interface Parameter extends ArgumentSpec, Pick<OptionSpec, "isLoose"> {
  readonly member: string;
  /** The word before its value. */
  readonly word: string;
  /** The word and its aliases. */
  readonly words: readonly string[];
  readonly phrase: string;
}

/** A command of the table, prepared for look-ups. */
export interface Entry {
  readonly spec: CommandSpec;
  readonly names: readonly string[];
  readonly arguments: readonly Parameter[];
  readonly options: readonly Parameter[];
}

/** Several words that stand for a command's name. */
interface Phrase {
  readonly words: readonly string[];
  readonly name: string;
}

/** The table, prepared for look-ups. */
export interface Grammar {
  readonly entries: readonly Entry[];
  /** The longest first. */
  readonly phrases: readonly Phrase[];
  readonly absent: readonly AbsentCommand[];
  readonly topics: readonly Topic[];
  readonly help: Entry | undefined;
  /** The command that may be omitted. */
  readonly implied: Entry | undefined;
  /** The command that shows help on a topic, or else an overview; empty if there is no such command. */
  helpOn(topic?: string): string;
  /** The command that a word such as `users` hints at. */
  entryForHint(word: string): Entry | undefined;
  entryNamed(word: string): Entry | undefined;
  /** Whether a word is an option of some command, a field of some log, or what an option compares. */
  isKey(word: string): boolean;
  /** Whether an option of this name compares something of the other name: `when` compares `p95`. */
  compares(option: string, name: string): boolean;
}

export function grammarOf(commands: readonly CommandSpec[], absent: readonly AbsentCommand[] = []): Grammar {
  const entries = entriesOf(commands);
  const byName = new Map(entries.flatMap((entry) => entry.names.map((name) => [name, entry] as const)));
  const compared = new Map(
    entries.flatMap(({ options }) =>
      options.flatMap(({ words, value }) => words.map((word) => [word, value.compares])),
    ),
  );
  const keys = new Set([
    ...[...compared.values()].flatMap((names = []) => names),
    ...entries.flatMap((entry) => [...entry.arguments, ...entry.options].flatMap(({ words }) => words)),
    ...kinds.flatMap((kind) => fieldsOf(kind).flatMap(({ name, aliases }) => [name, ...aliases])),
  ]);
  const help = byName.get("help");
  const topics = topicsOf(entries);
  return {
    entries,
    phrases: phrasesOf(entries),
    absent,
    topics,
    help,
    helpOn(topic) {
      const isTopic = topic !== help?.spec.name && topics.some(({ name }) => name === topic);
      return help ? `${help.spec.name}${isTopic ? ` ${topic}` : ""}` : "";
    },
    entryForHint: (word) => entries.find(({ spec }) => spec.hints?.split(" ").includes(nameOf(word))),
    implied: entries.find(({ spec }) => spec.implied),
    entryNamed: (word) => byName.get(nameOf(word)),
    isKey: (word) => keys.has(nameOf(word)),
    compares: (option, name) => compared.get(nameOf(option))?.includes(nameOf(name)) ?? false,
  };
}

/** The parameters that a word names, those with it as their first name before those with it as an alias. */
export function parametersNamed(entry: Entry, word: string): Parameter[] {
  const name = nameOf(word);
  const named = [...entry.options, ...entry.arguments].filter(({ words }) => words.includes(name));
  return named.sort((a, b) => Number(b.word === name) - Number(a.word === name));
}

/** The argument of a command that may have a label, and the option whose values are the labels. */
export function labelledOf({ arguments: all, options }: Entry): { argument: Parameter; option: Parameter } | undefined {
  const argument = all.find(({ labels }) => labels !== undefined);
  const option = options.find(({ member }) => member === argument?.labels);
  return argument && option && { argument, option };
}

/** Whether a name means a field of the log rather than an alias of an option: `from:bot` in API logs. */
export function isFieldFirst({ word }: Parameter, typed: string, kind: LogKind | undefined): boolean {
  return word !== nameOf(typed) && kind !== undefined && fieldNamed(kind, typed) !== undefined;
}

/** The commands that have an option of this name, or else an alias of this name. */
export function optionOwners({ entries }: Grammar, name: string): string[] {
  const owners = (isNamed: (option: Parameter) => boolean): string[] =>
    entries.filter(({ options }) => options.some(isNamed)).map(({ spec }) => spec.name);
  const own = owners(({ word }) => word === name);
  return own.length > 0 ? own : owners(({ words }) => words.includes(name));
}

const namesOf = ({ name, aliases = [] }: CommandSpec): readonly string[] => [name, ...aliases];

/** @throws {Error} if two commands have the same name: the first one could not be typed. */
function entriesOf(commands: readonly CommandSpec[]): Entry[] {
  const names = commands.flatMap(namesOf);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`Two commands are named ${twice}.`);
  return commands.map(entryOf);
}

function phrasesOf(entries: readonly Entry[]): Phrase[] {
  return entries
    .flatMap(({ spec: { name, phrases = [] } }) => phrases.map((phrase) => ({ name, words: phrase.split(" ") })))
    .sort((a, b) => b.words.length - a.words.length);
}

function entryOf(spec: CommandSpec): Entry {
  const parameters = (of: Readonly<Record<string, ArgumentSpec & OptionSpec>> = {}): Parameter[] =>
    Object.entries(of).map(([member, { word = member, aliases = [], phrase = "{}", ...rest }]) => {
      return { ...rest, member, word, words: [word, ...aliases], phrase };
    });
  return {
    spec,
    names: namesOf(spec),
    arguments: parameters(spec.arguments),
    options: parameters(spec.options),
  };
}

function topicsOf(entries: readonly Entry[]): Topic[] {
  return [
    ...entries.map(({ spec: { name, aliases = [], phrases = [], about } }) => ({
      name,
      aliases: [...aliases, ...phrases.map((phrase) => phrase.replaceAll(" ", "-"))],
      about,
    })),
    ...kinds.map((kind) => {
      const { about, aliases } = kindSpec(kind);
      return { name: kind, aliases, about: `Fields of ${about}.` };
    }),
    { name: "filters", aliases: ["filter", "fields", "operators"], about: "How to select entries." },
    { name: "times", aliases: ["time", "dates", "date", "since", "until", "starting"], about: "How to write times." },
  ];
}
