import { type Completion, completeWords } from "./complete.js";
import { describeCommand, writeCommand } from "./describe.js";
import { type AnyCommand, type CommandOf, type CommandSpec, type Grammar, grammarOf } from "./grammar.js";
import { type Help, type HelpOptions, helpOn } from "./help.js";
import { type Parsed, parseCommand } from "./parsing/parse.js";
import { zoneNamed } from "./times.js";
import type { ReadContext } from "./values/value-type.js";

/** What parsing depends on. */
export interface ParseOptions {
  /** The current time in milliseconds since 1970. */
  readonly now: number;
  /**
   * The reader's time zone, by its IANA name.
   * @default "UTC"
   */
  readonly timeZone?: string | undefined;
}

/** What a description depends on; with `now`, recent times read as "last 2 hours". */
export interface DescribeOptions extends Partial<ParseOptions> {
  /** The project if the command names none. */
  readonly project?: string | undefined;
}

/** Everything that follows from a table of commands. */
export interface Language<C> {
  readonly commands: readonly CommandSpec[];
  /** Parses a line, or words that a shell has split. Never throws. */
  parse(input: string | readonly string[], when: ParseOptions): Parsed<C>;
  /** Help on a topic, or an overview. */
  help(topic?: string, options?: HelpOptions): Help;
  /** The possible continuations of the last word, which may be empty. */
  complete(words: readonly string[], when?: ParseOptions): readonly Completion[];
  /** A command for people, in one line. */
  describe(command: C, options?: DescribeOptions): string;
  /** The text that parses as exactly this command, at any later time. */
  write(command: C): string;
  /** Whether the text of this command can mean something else in another time zone. */
  isTimed(command: C): boolean;
}

/**
 * Creates a language from a table.
 *
 * @example const language = defineLanguage([...coreCommands, connect, use])
 */
export function defineLanguage<const S extends readonly CommandSpec[]>(commands: S): Language<CommandOf<S[number]>>;
// The compiler cannot derive the members of an object from a table; the tests do.
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

function contextOf({ topics }: Grammar, { now, timeZone }: ParseOptions): ReadContext {
  return { now, zone: zoneNamed(timeZone), subject: "", topics };
}

/** Whether the text of a command can mean something else in another time zone. Filters can: entries have times. */
export function isTimed({ filters = false, arguments: words = {}, options = {} }: CommandSpec): boolean {
  return filters || [...Object.values(words), ...Object.values(options)].some(({ value }) => value.zoned);
}
