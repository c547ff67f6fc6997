import type { Filter } from "./filters/filter.js";
import type { ValueOf, ValueType } from "./values/value-type.js";

interface ParameterSpec {
  readonly value: ValueType<unknown>;
  /** One sentence for the help. */
  readonly about: string;
  /** What applies without it, for the help. */
  readonly default?: string;
  /**
   * How a description says it, with `{}` in place of the value.
   * @default "{}"
   */
  readonly phrase?: string;
}

/** An argument: a word by itself, or with its name: `channel:lobby`. */
export interface ArgumentSpec extends ParameterSpec {
  /**
   * Whether the command needs it.
   * @default false
   */
  readonly required?: boolean;
  /**
   * Whether it takes all remaining words.
   * @default false
   */
  readonly rest?: boolean;
  /**
   * What must be typed to leave it open: `channel:*`. If set, a command with other words needs this or a value, so that
   * omitting it widens nothing.
   */
  readonly open?: string;
}

/** An option: `word:value`. */
export interface OptionSpec extends ParameterSpec {
  /**
   * The word before the colon.
   * @default the option's name
   */
  readonly word?: string;
  readonly aliases?: readonly string[];
}

/** What running a command does. Changing a setting counts as making. */
export type Effect = "reads" | "makes" | "deletes";

/** A command as data. Parsing, help, completion, suggestions, descriptions and writing all derive from it. */
export interface CommandSpec {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Words that ask about the command instead of running it; they show its help. */
  readonly questions?: readonly string[];
  /** What it does. A suggestion never makes or deletes anything, unless that command was typed. */
  readonly effect: Effect;
  /** One sentence for the help. */
  readonly about: string;
  /** In the order in which they are typed. The names become members of the parsed command. */
  readonly arguments?: Readonly<Record<string, ArgumentSpec>>;
  /** The names become members of the parsed command. */
  readonly options?: Readonly<Record<string, OptionSpec>>;
  /**
   * Whether it takes filters. It then needs an argument `kind`, which has the fields.
   * @default false
   */
  readonly filters?: boolean;
  /**
   * Whether its name may be omitted: `webhooks` for `logs webhooks`.
   * @default false
   */
  readonly implied?: boolean;
  /** Names that are often mistaken for an option, and the advice that ends the message. */
  readonly instead?: Readonly<Record<string, { readonly use: string; readonly rule: string }>>;
  /**
   * How a description begins: phrases with members in braces. A phrase without a value is omitted.
   * @default the name and the arguments
   */
  readonly heading?: readonly string[];
  /** Texts that parse, and what they mean. The first is the suggestion if nothing nearer is found. */
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
