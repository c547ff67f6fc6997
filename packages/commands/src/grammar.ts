import type { LogKind } from "@media-ops/contract";
import { type Filter, fieldNamed, fieldsOf, kindSpec, kinds } from "./kinds.js";
import { utc } from "./times.js";
import type { Topic, ValueType } from "./values.js";
import { nameOf } from "./words.js";

/** An argument: a single word, or a word with its name, `channel:lobby`; or an option: `word:value`. */
export interface ParameterSpec {
  readonly value: ValueType<unknown>;
  readonly about: string;
  /** The word before the colon. @default the name in the table */
  readonly word?: string;
  readonly aliases?: readonly string[];
  /** The default value, for the help. */
  readonly default?: string;
  /** How a description shows it, with `{}` as the placeholder for the value. @default "{}" */
  readonly phrase?: string;
  /** Whether the command needs this argument. @default false */
  readonly required?: boolean;
  /** Whether this argument consumes all remaining words. @default false */
  readonly rest?: boolean;
  /**
   * The explicit text for an open argument: `channel:*`. If set, a command with other words needs this or a value, so
   * that an omission never widens the command.
   */
  readonly open?: string;
  /** The option whose values may also be typed before this argument: `channel:lobby` is `lobby is:channel`. */
  readonly labels?: string;
  /** Whether any word after its name is its value, also without a colon: `by me`. @default false */
  readonly isLoose?: boolean;
}

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
  /** Changing a setting counts as making. A suggestion only reads, unless its command was typed. */
  readonly effect: "reads" | "makes" | "deletes";
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
  readonly arguments?: Readonly<Record<string, ParameterSpec>>;
  readonly options?: Readonly<Record<string, ParameterSpec>>;
  /** Whether it accepts filters. It then needs an argument `kind`, which has the fields. @default false */
  readonly filters?: boolean;
  /** Whether its name may be omitted: `webhooks` for `logs webhooks`. @default false */
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

type ValueIn<Part> = Part extends { readonly value: ValueType<infer T> } ? T : never;

type Given<Part> = {
  readonly [Name in keyof Part as Part[Name] extends { required: true } ? Name : never]: ValueIn<Part[Name]>;
} & {
  readonly [Name in keyof Part as Part[Name] extends { required: true } ? never : Name]?: ValueIn<Part[Name]>;
};

/** The parsed command of a table entry; of several entries, their union. */
export type CommandOf<S extends CommandSpec> = S extends CommandSpec
  ? Flat<
      { readonly name: S["name"] } & (S extends { readonly arguments: infer A } ? Given<A> : unknown) &
        (S extends { readonly options: infer O } ? Given<O> : unknown) &
        (S extends { readonly filters: true } ? { readonly filters: readonly Filter[] } : unknown)
    >
  : never;

/** A parsed command of an unknown table. */
export interface AnyCommand {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** An argument or an option, and the member of the parsed command that it sets. */
export interface Parameter extends ParameterSpec {
  readonly member: string;
  /** The word before its value. */
  readonly word: string;
  /** The word and its aliases. */
  readonly words: readonly string[];
  readonly phrase: string;
  /** What its label says. */
  readonly sets?: { readonly member: string; readonly value: unknown };
}

/** The context for values that mean the same at any time. */
export const ALONE = { now: 0, zone: utc, subject: "", topics: [] };

/** A command of the table, prepared for look-ups. */
export interface Entry {
  readonly spec: CommandSpec;
  readonly names: readonly string[];
  readonly arguments: readonly Parameter[];
  readonly options: readonly Parameter[];
}

/** The table, prepared for look-ups. */
export class Grammar {
  readonly entries: readonly Entry[];
  /** Several words that stand for a command's name, the longest first. */
  readonly phrases: readonly { readonly words: readonly string[]; readonly name: string }[];
  readonly absent: readonly AbsentCommand[];
  readonly topics: readonly Topic[];
  readonly help: Entry | undefined;
  /** The command that may be omitted. */
  readonly implied: Entry | undefined;
  readonly #byName: ReadonlyMap<string, Entry>;
  readonly #keys: ReadonlySet<string>;

  /** @throws {Error} if two commands have the same name: the first one could not be typed. */
  constructor(commands: readonly CommandSpec[], absent: readonly AbsentCommand[] = []) {
    this.entries = commands.map(entryOf);
    const names = this.entries.flatMap((entry) => entry.names);
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) throw new Error(`Two commands are named ${twice}.`);
    this.#byName = new Map(this.entries.flatMap((entry) => entry.names.map((name) => [name, entry])));
    this.phrases = commands
      .flatMap(({ name, phrases = [] }) => phrases.map((phrase) => ({ name, words: phrase.split(" ") })))
      .sort((a, b) => b.words.length - a.words.length);
    this.absent = absent;
    this.topics = topicsOf(commands);
    this.help = this.#byName.get("help");
    this.implied = this.entries.find(({ spec }) => spec.implied);
    const parameters = this.entries.flatMap((entry) => [...entry.arguments, ...entry.options]);
    this.#keys = new Set([
      ...parameters.flatMap(({ words, value }) => [...words, ...(value.compares ?? [])]),
      ...kinds.flatMap((kind) => fieldsOf(kind).flatMap(({ name, aliases }) => [name, ...aliases])),
    ]);
  }

  entryNamed(word: string): Entry | undefined {
    return this.#byName.get(nameOf(word));
  }

  /** The command that a word such as `users` hints at. */
  entryForHint(word: string): Entry | undefined {
    return this.entries.find(({ spec }) => spec.hints?.split(" ").includes(nameOf(word)));
  }

  /** The command that shows help on a topic, or else an overview; empty if there is no such command. */
  helpOn(topic?: string): string {
    const name = this.help?.spec.name;
    return topic !== name && this.topics.some((one) => one.name === topic) ? `${name} ${topic}` : (name ?? "");
  }

  /** Whether a word is an option of some command, a field of some log, or what an option compares. */
  isKey(word: string): boolean {
    return this.#keys.has(nameOf(word));
  }

  /** Whether an option of this name compares something of the other name: `when` compares `p95`. */
  compares(option: string, name: string): boolean {
    const compared = ({ words, value }: Parameter): boolean =>
      words.includes(nameOf(option)) && (value.compares?.includes(nameOf(name)) ?? false);
    return this.entries.some(({ options }) => options.some(compared));
  }

  /** The commands that have an option of this name, or else an alias of this name. */
  optionOwners(name: string): string[] {
    const owners = (isNamed: (option: Parameter) => boolean): string[] =>
      this.entries.filter(({ options }) => options.some(isNamed)).map(({ spec }) => spec.name);
    const own = owners(({ word }) => word === name);
    return own.length > 0 ? own : owners(({ words }) => words.includes(name));
  }
}

/**
 * The parameters that a word names, those with it as their first name before those with it as an alias. A label, such as
 * `client` for what is traced, names the argument, and sets the option.
 */
export function parametersNamed(entry: Entry, word: string): Parameter[] {
  const name = nameOf(word);
  const { argument, option } = labelledOf(entry) ?? {};
  const label = option?.value.parse(name, ALONE);
  if (argument && option && label?.ok) {
    return [{ ...argument, word: name, isLoose: true, sets: { member: option.member, value: label.value } }];
  }
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

function entryOf(spec: CommandSpec): Entry {
  const parameters = (of: Readonly<Record<string, ParameterSpec>> = {}): Parameter[] =>
    Object.entries(of).map(([member, { word = member, aliases = [], phrase = "{}", ...rest }]) => {
      return { ...rest, member, word, words: [word, ...aliases], phrase };
    });
  return {
    spec,
    names: [spec.name, ...(spec.aliases ?? [])],
    arguments: parameters(spec.arguments),
    options: parameters(spec.options),
  };
}

function topicsOf(commands: readonly CommandSpec[]): Topic[] {
  return [
    ...commands.map(({ name, aliases = [], phrases = [], about }) => {
      return { name, aliases: [...aliases, ...phrases.map((phrase) => phrase.replaceAll(" ", "-"))], about };
    }),
    ...kinds.map((kind) => {
      const { about, aliases } = kindSpec(kind);
      return { name: kind, aliases, about: `Fields of ${about}.` };
    }),
    { name: "filters", aliases: ["filter", "fields", "operators"], about: "How to select entries." },
    { name: "times", aliases: ["time", "dates", "date", "since", "until", "starting"], about: "How to write times." },
  ];
}
