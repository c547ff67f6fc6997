import { parseArgs } from "node:util";
import { distance } from "fastest-levenshtein";

/** An option of a program. Options of the same name have a value in all of its commands, or in none. */
export interface OptionSpec {
  /** The name after `--`. */
  readonly name: string;
  /** The placeholder for its value, such as `<time>`; without one, the option is a switch. */
  readonly value?: string | undefined;
  /** Whether it may occur more than once; its values are then in `lists`. @default false */
  readonly isRepeatable?: boolean | undefined;
}

/** A command of a program. */
export interface CommandSpec {
  /** One or two words, such as `projects create`. */
  readonly name: string;
  /** The arguments after it: `<required>`, `[optional]`. */
  readonly parameters: readonly string[];
  readonly options?: readonly OptionSpec[];
}

/** A program's commands and options. */
export interface ProgramSpec<Command extends CommandSpec> {
  readonly name: string;
  /** @default none: the program only has options */
  readonly commands?: readonly Command[];
  /** Options of the program without a command. */
  readonly options: readonly OptionSpec[];
  /** Options of the program and of each command. `-h` is short for `--help`. */
  readonly commonOptions: readonly OptionSpec[];
  usageOf?(command: Command): string;
}

/** The given options, by name. */
export interface GivenOptions {
  readonly switches: ReadonlySet<string>;
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly lists: Readonly<Record<string, readonly string[] | undefined>>;
}

/** A parsed command line. */
export interface CommandLine<Command> {
  /** Undefined if it is missing or unknown. */
  readonly command: Command | undefined;
  readonly parameters: readonly string[];
  readonly given: GivenOptions;
  /** The faults, a sentence each. If there is any, no command may run. */
  readonly faults: readonly string[];
}

/**
 * Parses a command line; options may stand anywhere before `--`.
 *
 * @example
 * readCommandLine(["wash", "--soap"], { name: "cups", commands: [wash], options: [], commonOptions: [help] }).command // wash
 */
export function readCommandLine<Command extends CommandSpec>(
  args: readonly string[],
  program: ProgramSpec<Command>,
): CommandLine<Command> {
  const { commands = [], options, commonOptions } = program;
  const all = [...commands.flatMap((command) => command.options ?? []), ...options, ...commonOptions];
  const { tokens } = parseArgs({
    // pnpm passes on the "--" that npm requires.
    args: args[0] === "--" ? args.slice(1) : [...args],
    options: Object.fromEntries(
      all.map(({ name, value }) => [
        name,
        { type: value === undefined ? "boolean" : "string", ...(name === "help" && { short: "h" }) },
      ]),
    ),
    // The command, which determines the valid options, may follow them.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const typed = tokens.flatMap((token) => (token.kind === "option" ? [token] : []));
  const command = commands.find(({ name }) => name.split(" ").every((word, at) => word === words[at]));
  if (!command && words.length > 0) {
    const fault = commands.length > 0 ? unknownCommand(words, program) : takesOptionsOnly(program);
    // The valid options depend on the command; without commands, the message has more detail.
    const { given, faults } = readOptions(typed, all, program.name);
    return { command, parameters: [], given, faults: commands.length > 0 ? [fault] : [...faults, fault] };
  }
  const known = [...(command ? (command.options ?? []) : options), ...commonOptions];
  const { given, faults } = readOptions(typed, known, command ? `${program.name} ${command.name}` : program.name);
  if (!command) return { command, parameters: [], given, faults };
  const parameters = words.slice(command.name.split(" ").length);
  // A request for help needs no parameters.
  const wrong = given.switches.has("help") ? [] : parameterFaults(parameters, command, program);
  return { command, parameters, given, faults: [...faults, ...wrong] };
}

interface TypedOption {
  readonly name: string;
  /** With its dashes. */
  readonly rawName: string;
  readonly value?: string | undefined;
  /** Whether the value follows a "=". */
  readonly inlineValue?: boolean | undefined;
}

function readOptions(typed: readonly TypedOption[], known: readonly OptionSpec[], call: string) {
  const faults: string[] = [];
  const switches = new Set<string>();
  const lists = new Map<string, string[]>();
  for (const { name, rawName, value, inlineValue } of typed) {
    const option = known.find((one) => one.name === name);
    if (!option) faults.push(unknownOption(rawName, known, call));
    else if (option.value === undefined) {
      if (value === undefined) switches.add(name);
      else faults.push(`${rawName} takes no value.`);
    } else if (value === undefined || (!inlineValue && /^-\D/.test(value))) {
      // A word that starts with a dash is the next option: the value is missing.
      faults.push(`${rawName} needs a value: --${name} ${option.value}.`);
    } else if (lists.has(name) && !option.isRepeatable) {
      faults.push(`${rawName} was given twice. Give it once.`);
    } else lists.set(name, [...(lists.get(name) ?? []), value]);
  }
  const values = [...lists].map(([name, list]) => [name, list[0]]);
  const given: GivenOptions = { switches, values: Object.fromEntries(values), lists: Object.fromEntries(lists) };
  return { given, faults };
}

function unknownOption(rawName: string, known: readonly OptionSpec[], call: string): string {
  const names = known.map(({ name }) => name);
  const meant = nearest(rawName.replace(/^-+/, ""), names);
  const question = meant === undefined ? "" : ` Did you mean --${meant}?`;
  return `${call} has no option ${rawName}.${question} Options: ${names.map((name) => `--${name}`).join(", ")}.`;
}

// Does not repeat the word: it may be a key after the wrong option.
const takesOptionsOnly = ({ name, options, commonOptions }: ProgramSpec<CommandSpec>): string =>
  `${name} takes options only, and one of the words belongs to none. Options: ${[...options, ...commonOptions].map((option) => `--${option.name}`).join(", ")}.`;

function unknownCommand<Command extends CommandSpec>(words: readonly string[], program: ProgramSpec<Command>): string {
  const names = (program.commands ?? []).map(({ name }) => name);
  const [first = ""] = words;
  const group = names.filter((name) => name.startsWith(`${first} `));
  if (group.length > 0 && words.length === 1) return `Incomplete command "${first}". Commands: ${group.join(", ")}.`;
  const typed = words.slice(0, 2).join(" ");
  const meant = nearest(typed, names) ?? nearest(first, names);
  const others = group.length > 0 ? `Commands: ${group.join(", ")}.` : `${program.name} --help lists the commands.`;
  return `Unknown command "${typed}". ${meant === undefined ? others : `Did you mean "${meant}"?`}`;
}

function parameterFaults<Command extends CommandSpec>(
  parameters: readonly string[],
  command: Command,
  program: ProgramSpec<Command>,
): readonly string[] {
  const usage = program.usageOf?.(command) ?? [program.name, command.name, ...command.parameters].join(" ");
  const missing = command.parameters.filter((parameter) => parameter.startsWith("<"))[parameters.length];
  if (missing !== undefined) return [`Missing ${missing}. Usage: ${usage}`];
  const surplus = parameters[command.parameters.length];
  return surplus === undefined ? [] : [`Unexpected argument "${surplus}". Usage: ${usage}`];
}

// A longer word is not misspelt, but another word.
const MAX_LENGTH = 64;

/** The known word, or words, that were probably meant; undefined if none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const typed = word.toLowerCase().split(" ");
  const [best] = known
    .map((candidate) => ({ candidate, letters: lettersBetween(typed, candidate.toLowerCase().split(" ")) }))
    .filter(({ letters }) => letters < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.letters - b.letters);
  return best?.candidate;
}

/** Each word must be near on its own: "projects delete" doesn't mean "projects create". */
function lettersBetween(typed: readonly string[], candidate: readonly string[]): number {
  if (typed.length !== candidate.length) return Number.POSITIVE_INFINITY;
  return candidate.reduce((sum, word, at) => {
    const letters = distance(typed[at] ?? "", word);
    // A single letter distinguishes "set" from "get".
    const most = word.length < 4 ? 0 : Math.max(2, Math.floor(word.length / 3));
    return letters <= most ? sum + letters : Number.POSITIVE_INFINITY;
  }, 0);
}
