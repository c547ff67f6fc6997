import { type Command, type Option, toColumns } from "./command.js";

/** What every command takes. */
export const commonOptions: readonly Option[] = [
  { name: "json", summary: "answer with one line of JSON" },
  { name: "help", summary: "show this" },
];

export const optionsOf = ({ options = [] }: Command): readonly Option[] => [...options, ...commonOptions];

export const typedAs = ({ name, value }: Option): string => (value === undefined ? `--${name}` : `--${name} ${value}`);

const callOf = ({ name, parameters }: Command): string => ["media-ops", name, ...parameters].join(" ");

/** How a command is typed. */
export function usageOf(command: Command): string {
  return [callOf(command), ...(command.options ?? []).map((option) => `[${typedAs(option)}]`)].join(" ");
}

/** All there is to know about a command. */
export function helpOf(command: Command): string {
  const more = command.help ? `\n\n${command.help}` : "";
  const options = optionsOf(command).map((option) => ["", typedAs(option), option.summary]);
  return `${usageOf(command)}\n\n${command.summary}${more}\n\n${toColumns(options)}\n`;
}

/** All commands, a line each. */
export function overview(commands: readonly Command[]): string {
  const rows = commands.map((command) => ["", callOf(command), command.summary]);
  return `Runs and looks after the service.\n\n${toColumns(rows)}\n\nEach takes --help, which also tells its options, and --json for an answer that programs can read.\n`;
}
