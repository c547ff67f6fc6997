import { type CommandLine, readCommandLine as read } from "@media-ops/settings/command-line";
import { type Command, type Option, UsageError } from "./command.js";

const commonOptions: readonly Option[] = [
  { name: "json", summary: "print one line of JSON" },
  { name: "help", summary: "show this help" },
];

// The option of `media-ops` without a command.
const versionOption: Option = { name: "version", summary: "show name and version" };

// The default width of a terminal.
const WIDTH = 80;
const INDENT = "  ";

const typedAs = ({ name, value }: Option): string => (value === undefined ? `--${name}` : `--${name} ${value}`);

const callOf = ({ name, parameters }: Command): string => ["media-ops", name, ...parameters].join(" ");

const usageParts = (command: Command): string[] => [
  callOf(command),
  ...(command.options ?? []).map((option) => `[${typedAs(option)}]`),
];

/** Parses the arguments after `media-ops`. @throws {UsageError} with the problem and the valid syntax. */
export function readCommandLine(args: readonly string[], commands: readonly Command[]): CommandLine<Command> {
  const usageOf = (command: Command): string => usageParts(command).join(" ");
  const commandLine = read(args, { name: "media-ops", commands, options: [versionOption], commonOptions, usageOf });
  const [fault] = commandLine.faults;
  if (fault !== undefined) throw new UsageError(fault);
  return commandLine;
}

/** The help of a command. */
export function helpOf(command: Command): string {
  const { summary, help = "", options = [] } = command;
  return paragraphs([
    fill(usageParts(command), INDENT.repeat(2)),
    paragraph(summary),
    help.split("\n").map(paragraph).join("\n"),
    glossary([...options, ...commonOptions].map((option) => [typedAs(option), option.summary])),
  ]);
}

/** The help of `media-ops`. */
export function overview(commands: readonly Command[]): string {
  return paragraphs([
    "Runs and administers the service.",
    glossary(commands.map((command) => [callOf(command), command.summary])),
    glossary([[typedAs(versionOption), versionOption.summary]]),
    paragraph("Each command accepts --help, which lists its options, and --json for output that programs can read."),
  ]);
}

const paragraph = (text: string): string => fill(text.split(" "));

const paragraphs = (texts: readonly string[]): string => `${texts.filter((text) => text !== "").join("\n\n")}\n`;

function glossary(entries: readonly (readonly [typed: string, summary: string])[]): string {
  const below = INDENT.repeat(3);
  return entries
    .map(([typed, summary]) => `${INDENT}${typed}\n${below}${fill(summary.split(" "), below, below.length)}`)
    .join("\n");
}

/** Breaks words into lines. The first line begins at the column `start`, the others with `indent`. */
function fill(words: readonly string[], indent = "", start = 0): string {
  const [first = "", ...others] = words;
  let [text, length] = [first, start + first.length];
  for (const word of others) {
    const isFull = length + 1 + word.length > WIDTH;
    text += isFull ? `\n${indent}${word}` : ` ${word}`;
    length = (isFull ? indent.length : length + 1) + word.length;
  }
  return text;
}
