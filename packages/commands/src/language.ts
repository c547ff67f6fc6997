import { type Completion, completeWords } from "./complete.js";
import { describeCommand, writeCommand } from "./describe.js";
import { type Grammar, grammarOf } from "./grammar.js";
import { type Help, type HelpOptions, helpOn } from "./help.js";
import { type Parsed, parseCommand } from "./parsing/parse.js";
import type { AnyCommand, CommandOf, CommandSpec } from "./spec.js";
import { zoneNamed } from "./times/zone.js";
import type { ReadContext } from "./values/value-type.js";

/** When and where a command is read. */
export interface When {
  /** The present in milliseconds since 1970: `Date.now()`. */
  readonly now: number;
  /**
   * The reader's time zone, by its IANA name.
   * @default "UTC"
   */
  readonly timeZone?: string | undefined;
}

/** What a description may take into account. */
export interface DescribeOptions {
  /** The present: with it, times are told as distances where they were distances. */
  readonly now?: number | undefined;
  /**
   * The reader's time zone, by its IANA name.
   * @default "UTC"
   */
  readonly timeZone?: string | undefined;
  /** The project that is meant where the command names none. */
  readonly project?: string | undefined;
}

/** All that follows from a table of commands. */
export interface Language<C> {
  /** The table. */
  readonly commands: readonly CommandSpec[];
  /** Understands what was typed: in one line, or in words that a shell has cut. Never throws, whatever it is. */
  parse(input: string | readonly string[], when: When): Parsed<C>;
  /** The help on a topic, or on the whole language. */
  help(topic?: string, options?: HelpOptions): Help;
  /** How the last word could go on; it may be empty. The words before it are left as they are. */
  complete(words: readonly string[], when?: When): readonly Completion[];
  /** A command for people, in one line. */
  describe(command: C, options?: DescribeOptions): string;
  /** The text that is parsed as this very command, now or at any later time. */
  write(command: C): string;
  /** Whether what is typed of this command can mean another thing in another time zone. */
  isTimed(command: C): boolean;
}

/**
 * Makes a language of a table.
 *
 * @example const language = defineLanguage([...coreCommands, connect, use])
 */
export function defineLanguage<const S extends readonly CommandSpec[]>(commands: S): Language<CommandOf<S[number]>>;
// The compiler cannot follow a table into the members of an object; the tests hold the two together.
export function defineLanguage(commands: readonly CommandSpec[]): Language<AnyCommand> {
  const grammar = grammarOf(commands);
  const entryOf = ({ name }: AnyCommand) => grammar.entryNamed(name);
  return {
    commands,
    parse: (input, when) => parseCommand(input, grammar, contextOf(grammar, when)),
    help: (topic, options) => helpOn(grammar, topic, options),
    complete: (words, when = { now: 0 }) => completeWords(words, grammar, contextOf(grammar, when)),
    describe(command, { project, now, timeZone } = {}) {
      const entry = entryOf(command);
      return entry ? describeCommand(entry, command, project, { now, zone: zoneNamed(timeZone) }) : command.name;
    },
    write(command) {
      const entry = entryOf(command);
      return entry ? writeCommand(entry, command, grammar) : command.name;
    },
    isTimed(command) {
      const entry = entryOf(command);
      return entry !== undefined && isTimed(entry.spec);
    },
  };
}

function contextOf({ topics }: Grammar, { now, timeZone }: When): ReadContext {
  return { now, zone: zoneNamed(timeZone), subject: "", topics };
}

/** Whether what is typed of a command can mean another thing in another time zone. Filters can: entries have times. */
export function isTimed({ filters = false, arguments: words = {}, options = {} }: CommandSpec): boolean {
  return filters || [...Object.values(words), ...Object.values(options)].some(({ value }) => value.zoned);
}
