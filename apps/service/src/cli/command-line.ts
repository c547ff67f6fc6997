import { parseArgs } from "node:util";
import { nearest } from "../text/nearest.js";
import { type Command, type Given, type Option, UsageError } from "./command.js";
import { commonOptions, optionsOf, typedAs, usageOf, versionOption } from "./usage.js";

/** What was typed, taken apart. */
export interface CommandLine {
  /** Undefined where no word was typed. */
  readonly command: Command | undefined;
  readonly parameters: readonly string[];
  /** Holds `json`, `help` and, without a command, `version`, too. */
  readonly given: Given;
}

/** An option as it was typed. */
interface TypedOption {
  readonly name: string;
  /** With its dashes. */
  readonly rawName: string;
  readonly value: string | undefined;
  /** Whether the value came behind a "=". */
  readonly inlineValue: boolean | undefined;
}

/**
 * Reads what was typed. Options may stand anywhere.
 *
 * @throws {UsageError} which says what was not understood, and what would be.
 */
export function readCommandLine(args: readonly string[], commands: readonly Command[]): CommandLine {
  const all = [...commands.flatMap(({ options = [] }) => options), ...commonOptions, versionOption];
  const { tokens } = parseArgs({
    // pnpm passes on the "--" that npm wants.
    args: args[0] === "--" ? args.slice(1) : [...args],
    options: Object.fromEntries(all.map((option) => [option.name, shapeOf(option)])),
    // Which options there may be is known only with the command, which may stand behind them.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const typed = tokens.flatMap((token) => (token.kind === "option" ? [token] : []));
  const command = commands.find(({ name }) => name.split(" ").every((word, at) => word === words[at]));
  const given = readOptions(typed, command, all);
  if (!command) {
    if (words.length > 0) throw noSuchCommand(words, commands);
    return { command, parameters: [], given };
  }
  const parameters = words.slice(command.name.split(" ").length);
  // Whoever asks for help need not know the parameters.
  if (!given.switches.has("help")) checkParameters(command, parameters);
  return { command, parameters, given };
}

function shapeOf({ name, value }: Option) {
  return {
    type: value === undefined ? ("boolean" as const) : ("string" as const),
    ...(name === "help" && { short: "h" }),
  };
}

function readOptions(typed: readonly TypedOption[], command: Command | undefined, all: readonly Option[]): Given {
  const known = command ? optionsOf(command) : all;
  const switches = new Set<string>();
  const values = new Map<string, string>();
  for (const { name, rawName, value, inlineValue } of typed) {
    const option = known.find((one) => one.name === name);
    if (!option) throw noSuchOption(rawName, known, command);
    if (option.value === undefined) {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value, and "${value}" is one.`);
      switches.add(name);
      continue;
    }
    // What begins with a dash is the next option: the value was forgotten.
    if (value === undefined || (!inlineValue && value.startsWith("-"))) {
      throw new UsageError(`${rawName} needs a value: ${typedAs(option)}.`);
    }
    if (values.has(name)) throw new UsageError(`${rawName} is given twice. Give it once.`);
    values.set(name, value);
  }
  return { switches, values: Object.fromEntries(values) };
}

function noSuchOption(typed: string, known: readonly Option[], command: Command | undefined): UsageError {
  const names = known.map(({ name }) => name);
  const meant = nearest(typed.replace(/^-+/, ""), names);
  const question = meant === undefined ? "" : ` Did you mean --${meant}?`;
  if (!command)
    return new UsageError(`There is no option ${typed}.${question} Options are --json, --help and --version.`);
  const list = names.map((name) => `--${name}`);
  return new UsageError(
    `media-ops ${command.name} has no option ${typed}.${question} Options are ${list.slice(0, -1).join(", ")} and ${list.at(-1)}.`,
  );
}

function noSuchCommand(words: readonly string[], commands: readonly Command[]): UsageError {
  const typed = words.slice(0, 2).join(" ");
  const names = commands.map(({ name }) => name);
  const group = names.filter((name) => name.split(" ")[0] === words[0]);
  if (group.length > 0 && words.length === 1) {
    return new UsageError(`${words[0]} what? There are: ${group.join(", ")}.`);
  }
  const meant = nearest(typed, names) ?? nearest(words[0] ?? "", names);
  const others = group.length > 0 ? `There are: ${group.join(", ")}.` : "media-ops --help lists them.";
  const advice = meant ? `Did you mean "${meant}"?` : others;
  return new UsageError(`There is no command "${typed}". ${advice}`);
}

function checkParameters(command: Command, given: readonly string[]): void {
  const needed = command.parameters.filter((parameter) => parameter.startsWith("<"));
  const missing = needed[given.length];
  if (missing) throw new UsageError(`${missing} is missing. Usage: ${usageOf(command)}`);
  const surplus = given[command.parameters.length];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one too many. Usage: ${usageOf(command)}`);
}
