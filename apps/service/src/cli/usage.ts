import type { Command, Option } from "./command.js";

/** The options of every command. */
export const commonOptions: readonly Option[] = [
  { name: "json", summary: "print one line of JSON" },
  { name: "help", summary: "show this help" },
];

/** The option of `media-ops` without a command. */
export const versionOption: Option = { name: "version", summary: "show name and version" };

// The default width of a terminal.
const WIDTH = 80;
const INDENT = "  ";

/** The options of a command, the common ones included. */
export const optionsOf = ({ options = [] }: Command): readonly Option[] => [...options, ...commonOptions];

/** An option as it is typed, with the placeholder of its value. */
export const typedAs = ({ name, value }: Option): string => (value === undefined ? `--${name}` : `--${name} ${value}`);

const callOf = ({ name, parameters }: Command): string => ["media-ops", name, ...parameters].join(" ");

const usageParts = (command: Command): string[] => [
  callOf(command),
  ...(command.options ?? []).map((option) => `[${typedAs(option)}]`),
];

/** The usage line of a command. */
export const usageOf = (command: Command): string => usageParts(command).join(" ");

/** The help of a command. */
export function helpOf(command: Command): string {
  const options = optionsOf(command).map((option) => [typedAs(option), option.summary] as const);
  const parts = [
    fill(usageParts(command), INDENT.repeat(2)).join("\n"),
    paragraph(command.summary),
    ...(command.help ? [command.help.split("\n").map(paragraph).join("\n")] : []),
    glossary(options),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The help of `media-ops`. */
export function overview(commands: readonly Command[]): string {
  const calls = commands.map((command) => [callOf(command), command.summary] as const);
  const parts = [
    "Runs and administers the service.",
    glossary(calls),
    glossary([[typedAs(versionOption), versionOption.summary]]),
    paragraph("Each command accepts --help, which lists its options, and --json for output that programs can read."),
  ];
  return `${parts.join("\n\n")}\n`;
}

const paragraph = (text: string): string => fill(text.split(" "), "").join("\n");

/** Each entry, and its summary indented below it. */
function glossary(entries: readonly (readonly [typed: string, summary: string])[]): string {
  const below = INDENT.repeat(3);
  return entries
    .map(([typed, summary]) => [`${INDENT}${typed}`, ...fill(summary.split(" "), below, below)].join("\n"))
    .join("\n");
}

/** Breaks words into lines; those after the first begin with `indent`. */
function fill(words: readonly string[], indent: string, first = ""): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of words) {
    if (!isEmpty && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
