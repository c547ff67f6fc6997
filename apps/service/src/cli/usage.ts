import type { Command, Option } from "./command.js";

/** What every command takes. */
export const commonOptions: readonly Option[] = [
  { name: "json", summary: "answer with one line of JSON" },
  { name: "help", summary: "show this" },
];

/** What `media-ops` takes without a command. */
export const versionOption: Option = { name: "version", summary: "show name and version" };

// As wide as a terminal is, if nobody has made it wider.
const WIDTH = 80;
const INDENT = "  ";

const optionsOf = ({ options = [] }: Command): readonly Option[] => [...options, ...commonOptions];

const typedAs = ({ name, value }: Option): string => (value === undefined ? `--${name}` : `--${name} ${value}`);

const callOf = ({ name, parameters }: Command): string => ["media-ops", name, ...parameters].join(" ");

const usageParts = (command: Command): string[] => [
  callOf(command),
  ...(command.options ?? []).map((option) => `[${typedAs(option)}]`),
];

/** How a command is typed. */
export const usageOf = (command: Command): string => usageParts(command).join(" ");

/** All there is to know about a command. */
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

/** All commands. */
export function overview(commands: readonly Command[]): string {
  const calls = commands.map((command) => [callOf(command), command.summary] as const);
  const parts = [
    "Runs and looks after the service.",
    glossary(calls),
    glossary([[typedAs(versionOption), versionOption.summary]]),
    paragraph(
      "Each command takes --help, which also tells its options, and --json for an answer that programs can read.",
    ),
  ];
  return `${parts.join("\n\n")}\n`;
}

const paragraph = (text: string): string => fill(text.split(" "), "").join("\n");

/** What is typed, and below it what it does. */
function glossary(entries: readonly (readonly [typed: string, summary: string])[]): string {
  const below = INDENT.repeat(3);
  return entries
    .map(([typed, summary]) => [`${INDENT}${typed}`, ...fill(summary.split(" "), below, below)].join("\n"))
    .join("\n");
}

/** Words on as many lines as they need; those behind the first begin with `indent`. */
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
