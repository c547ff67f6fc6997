import type { Filter } from "./filters/filter.js";
import type { ValueOf, ValueType } from "./values/value-type.js";

/** An argument: a word that stands by itself. It may also be written with its name: `channel:lobby`. */
export interface ArgumentSpec {
  readonly value: ValueType<unknown>;
  /** One sentence for the help. */
  readonly about: string;
  /**
   * Whether the command needs it.
   * @default false
   */
  readonly required?: boolean;
  /**
   * Whether it takes all words that are left.
   * @default false
   */
  readonly rest?: boolean;
  /** What holds where it is left out, for the help. */
  readonly default?: string;
  /**
   * What must be typed to leave it open: `channel:*`. If set, a command with other words must have either this or a
   * value, so that nothing is widened by leaving it out.
   */
  readonly open?: string;
  /**
   * How it is put when the command is described, with `{}` in the value's place.
   * @default "{}"
   */
  readonly phrase?: string;
}

/** An option: `word:value`. */
export interface OptionSpec {
  readonly value: ValueType<unknown>;
  /** One sentence for the help. */
  readonly about: string;
  /**
   * What is typed before the colon.
   * @default the option's name
   */
  readonly word?: string;
  /** Other words for it. */
  readonly aliases?: readonly string[];
  /** What holds where it is left out, for the help. */
  readonly default?: string;
  /**
   * How it is put when the command is described, with `{}` in the value's place.
   * @default "{}"
   */
  readonly phrase?: string;
}

/** What carrying out a command does. A setting that is changed counts as made. */
export type Effect = "reads" | "makes" | "deletes";

/** A command as data. Parsing, help, completion, suggestions, describing and writing back all come from it. */
export interface CommandSpec {
  readonly name: string;
  /** Other words for it. */
  readonly aliases?: readonly string[];
  /** Words that ask about it instead of running it. They show its help. */
  readonly questions?: readonly string[];
  /** What it does. A suggestion never leads to a command that makes or deletes, unless that command was typed. */
  readonly effect: Effect;
  /** One sentence for the help. */
  readonly about: string;
  /** In the order in which they are typed. The names become members of the parsed command. */
  readonly arguments?: Readonly<Record<string, ArgumentSpec>>;
  /** The names become members of the parsed command. */
  readonly options?: Readonly<Record<string, OptionSpec>>;
  /**
   * Whether it takes filters. It then needs an argument `kind`, whose fields they are about.
   * @default false
   */
  readonly filters?: boolean;
  /**
   * Whether it may be left out before its first argument: `webhooks` for `logs webhooks`.
   * @default false
   */
  readonly implied?: boolean;
  /** What people type in the place of one of its options, and what to do: the end of a sentence. */
  readonly instead?: Readonly<Record<string, { readonly use: string; readonly rule: string }>>;
  /**
   * How a description begins: phrases with members in braces, each left out where its member is absent.
   * @default the name, and the arguments
   */
  readonly heading?: readonly string[];
  /** Texts that parse, and what they mean. The first is what is offered where nothing nearer is found. */
  readonly examples: readonly (readonly [text: string, meaning: string])[];
}

/** Declares a command, so that the type of the parsed command follows from it. */
export function command<const S extends CommandSpec>(spec: S): S {
  return spec;
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

/** The parsed command that a table entry leads to; of several entries, their union. */
export type CommandOf<S extends CommandSpec> = S extends CommandSpec
  ? Flat<
      { readonly name: S["name"] } & (S extends { readonly arguments: infer A } ? Given<Members<A>> : unknown) &
        (S extends { readonly options: infer O } ? Given<Members<O>> : unknown) &
        (S extends { readonly filters: true } ? { readonly filters: readonly Filter[] } : unknown)
    >
  : never;

/** A parsed command of a table that is not known more closely. */
export interface AnyCommand {
  readonly name: string;
  readonly [member: string]: unknown;
}
