import { fieldsOf, kinds, kindWords } from "./kinds.js";
import type { ArgumentSpec, CommandSpec, OptionSpec } from "./spec.js";
import type { Topic } from "./values/value-type.js";
import { nameOf } from "./words.js";

/** An argument or an option, and the member of the parsed command that it sets. */
export interface Parameter {
  readonly member: string;
  /** The word before its value. */
  readonly word: string;
  /** The word and its aliases. */
  readonly words: readonly string[];
  readonly value: ArgumentSpec["value"];
  readonly about: string;
  readonly phrase: string;
  readonly required: boolean;
  readonly rest: boolean;
  readonly open: string | undefined;
  readonly default: string | undefined;
}

/** A command of the table, prepared for look-ups. */
export interface Entry {
  readonly spec: CommandSpec;
  readonly names: readonly string[];
  readonly arguments: readonly Parameter[];
  readonly options: readonly Parameter[];
}

/** The table, prepared for look-ups. */
export interface Grammar {
  readonly entries: readonly Entry[];
  readonly topics: readonly Topic[];
  readonly help: Entry | undefined;
  /** The command that may be omitted. */
  readonly implied: Entry | undefined;
  /** The suggestion if nothing is near. */
  readonly fallback: string;
  /** The command that shows help on a topic; the fallback if there is none. */
  helpOn(topic: string): string;
  /** The command that a word such as `tokens` asks about. */
  entryForQuestion(word: string): Entry | undefined;
  entryNamed(word: string): Entry | undefined;
  /** Whether a word is an option of some command or a field of some log. */
  isKey(word: string): boolean;
}

export function grammarOf(commands: readonly CommandSpec[]): Grammar {
  const entries = commands.map(entryOf);
  const byName = new Map(entries.flatMap((entry) => entry.names.map((name) => [name, entry] as const)));
  const keys = new Set([
    ...entries.flatMap((entry) => [...entry.arguments, ...entry.options].flatMap(({ words }) => words)),
    ...kinds.flatMap((kind) => fieldsOf(kind).flatMap(({ name, aliases }) => [name, ...aliases])),
  ]);
  const help = byName.get("help");
  const topics = topicsOf(entries);
  const fallback = (help ?? entries[0])?.spec.examples[0]?.[0] ?? "";
  return {
    entries,
    topics,
    help,
    fallback,
    helpOn: (topic) => (help && topics.some(({ name }) => name === topic) ? `${help.spec.name} ${topic}` : fallback),
    entryForQuestion: (word) => entries.find(({ spec }) => spec.questions?.includes(nameOf(word))),
    implied: entries.find(({ spec }) => spec.implied),
    entryNamed: (word) => byName.get(nameOf(word)),
    isKey: (word) => keys.has(nameOf(word)),
  };
}

/** The parameters that a word names, those with it as their first name before those with it as an alias. */
export function parametersNamed(entry: Entry, word: string): Parameter[] {
  const name = nameOf(word);
  const named = [...entry.options, ...entry.arguments].filter(({ words }) => words.includes(name));
  return named.sort((a, b) => Number(b.word === name) - Number(a.word === name));
}

/** The commands that have an option of this name, or else an alias of this name. */
export function optionOwners({ entries }: Grammar, name: string): string[] {
  const owners = (isNamed: (option: Parameter) => boolean): string[] =>
    entries.filter(({ options }) => options.some(isNamed)).map(({ spec }) => spec.name);
  const own = owners(({ word }) => word === name);
  return own.length > 0 ? own : owners(({ words }) => words.includes(name));
}

function entryOf(spec: CommandSpec): Entry {
  const parameters = (of: Readonly<Record<string, ArgumentSpec & OptionSpec>> = {}): Parameter[] =>
    Object.entries(of).map(([member, { word = member, aliases = [], phrase = "{}", ...rest }]) => ({
      required: false,
      rest: false,
      open: undefined,
      default: undefined,
      ...rest,
      member,
      word,
      words: [word, ...aliases],
      phrase,
    }));
  return {
    spec,
    names: [spec.name, ...(spec.aliases ?? [])],
    arguments: parameters(spec.arguments),
    options: parameters(spec.options),
  };
}

function topicsOf(entries: readonly Entry[]): Topic[] {
  return [
    ...entries.map(({ spec: { name, aliases = [], questions = [], about } }) => ({
      name,
      aliases: [...aliases, ...questions],
      about,
    })),
    ...kinds.map((kind) => {
      const { about, aliases } = kindWords(kind);
      return { name: kind, aliases, about: `Fields of ${about}.` };
    }),
    { name: "filters", aliases: ["filter", "fields", "operators"], about: "How to select entries." },
    { name: "times", aliases: ["time", "dates", "date", "since", "until", "starting"], about: "How to write times." },
  ];
}
