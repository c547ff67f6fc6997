import { DatabaseError } from "@media-ops/database";
import type { Vault } from "@media-ops/secrets";
import {
  type CommandLine,
  type CommandSpec,
  type GivenOptions,
  nearest,
  type OptionSpec,
  readCommandLine as read,
} from "@media-ops/settings/command-line";
import type { Config } from "../config/config.js";
import type { Storage } from "../storage/open-storage.js";

interface OpenStore {
  readonly storage: Storage;
  readonly query: Storage["query"];
  readonly vault: Vault;
}

/** The environment in which a command runs. Everything throws if the settings are wrong. */
export interface Context {
  readonly now: () => number;
  config(): Config;
  /** Opens the database until the command ends; throws if it, or the project, does not exist. */
  open(projectId?: string): Promise<OpenStore>;
  /** Like `open`, but creates the database and its master key if they do not exist. */
  create(): Promise<OpenStore>;
  /** Throws if the database is missing or empty, but its master key exists, unless `--new` is set. */
  refuseLost(commandThatBeginsAnew: string): Promise<void>;
}

/** The next step if there is no database. */
export const HOW_TO_CREATE =
  "To create one: media-ops projects create demo. If it should exist, check MEDIA_DATABASE_URL and the current folder.";

/** Adds the next step to the error that there is no database; for `catch`. */
export function explainMissing(error: unknown): never {
  const isMissing = error instanceof DatabaseError && error.code === "missing";
  throw isMissing ? new CommandError(`${error.message} ${HOW_TO_CREATE}`, { cause: error }) : error;
}

/** The output of a command: for people, and with `--json` for programs. */
export interface CommandResult {
  readonly text: string;
  readonly json: unknown;
  /** @default 0 */
  readonly exitCode?: number;
}

/** An option of every command that may create a database. */
export const newOption: Option = {
  name: "new",
  summary: "start with an empty database, though a master key shows that there was one",
};

/** An option of a command. */
export interface Option extends OptionSpec {
  readonly summary: string;
}

/** A command of `media-ops`. */
export interface Command extends CommandSpec {
  /** In addition to `--json` and `--help`, which every command has. */
  readonly options?: readonly Option[];
  readonly summary: string;
  /** Whether it changes what a project has or allows: it is recorded in the audit log. @default false */
  readonly isAct?: boolean;
  readonly help?: string;
  run(context: Context, parameters: readonly string[], given: GivenOptions): Promise<CommandResult>;
}

/** The command failed; the message explains the reason and the next step. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** The command line is invalid; the message shows valid syntax. */
export class UsageError extends CommandError {}

/** A table with column headings, or the sentence `ifEmpty`. */
export const toTable = (headings: readonly string[], rows: readonly (readonly string[])[], ifEmpty = ""): string =>
  rows.length === 0 ? ifEmpty : toColumns([headings, ...rows]);

/** What a row has, for people and for programs. */
export interface Field<Row> {
  /** In JSON. */
  readonly name: string;
  /** In tables; without it, only programs get it. */
  readonly heading?: string;
  /** Whether tables of many rows leave it out. @default false */
  readonly isDetail?: boolean;
  of(row: Row): string | number | boolean | null;
  /** The value in tables. @default as in JSON */
  shown?(row: Row): string;
}

const shownOf = <Row>({ of, shown }: Field<Row>, row: Row): string => shown?.(row) ?? printable(String(of(row)));

/** Rows as JSON. */
export const toJson = <Row>(row: Row, fields: readonly Field<Row>[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(fields.map(({ name, of }) => [name, of(row)]));

/** Lists rows in a table, or the sentence `ifEmpty`. */
export function list<Row>(
  rows: readonly Row[],
  fields: readonly Field<NoInfer<Row>>[],
  ifEmpty: string,
): CommandResult {
  const columns = fields.filter(({ heading, isDetail = false }) => heading !== undefined && !isDetail);
  const headings = columns.map(({ heading = "" }) => heading);
  const cells = rows.map((row) => columns.map((field) => shownOf(field, row)));
  return { text: toTable(headings, cells, ifEmpty), json: rows.map((row) => toJson(row, fields)) };
}

/** The name and the value of each of a row's fields, for a table of one row. */
export const detailsOf = <Row>(row: Row, fields: readonly Field<Row>[]): (readonly [string, string])[] =>
  fields.flatMap((field) => (field.heading === undefined ? [] : [[field.heading, shownOf(field, row)] as const]));

/** Rows in aligned columns. */
export function toColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, { length }] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, length);
  }
  const toLine = (cells: readonly string[]): string => cells.join("  ").trimEnd();
  return rows.map((row) => toLine(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))).join("\n");
}

// Includes characters that change the direction of writing, or break a line as "\n" does.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes untrusted text, so that a terminal shows it on one line and executes nothing. Cuts it after `max` characters. */
export function printable(text: string, max: number = text.length): string {
  const shown = text.slice(0, max).toWellFormed().replace(UNPRINTABLE, visible);
  const left = text.length - max;
  return left > 0 ? `${shown}… (and ${left} more characters)` : shown;
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const visible = (character: string): string => escapes[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,9})([smhd])$/;
const RFC_3339 = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** The options `--since` and `--until`; a duration counts back from now. */
export const timeOptions: readonly Option[] = [
  {
    name: "since",
    value: "<time>",
    summary: "created at this time or later: 2h (30s, 15m, 3d) ago, or 2026-04-01T00:00:00Z",
  },
  { name: "until", value: "<time>", summary: "created before this time, in the same format" },
];

/** Reads `--since` and `--until`, in milliseconds since 1970. @throws {UsageError} */
export function readTimes({ since, until }: { since?: string | undefined; until?: string | undefined }, now: number) {
  const times = { since: readTime("--since", since, now), until: readTime("--until", until, now) };
  if (times.since !== undefined && times.until !== undefined && times.since >= times.until) {
    throw new UsageError(`--since ${since} must be before --until ${until}, but is not.`);
  }
  return times;
}

function readTime(option: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const time = durationIn(text, now) ?? timeIn(text);
  if (time !== undefined) return time;
  throw new UsageError(
    `${option} must be a duration back from now, such as 30s, 15m, 2h or 3d, or a time such as 2026-04-01T00:00:00Z, but is "${text}".`,
  );
}

function durationIn(text: string, now: number): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (unit !== "s" && unit !== "m" && unit !== "h" && unit !== "d") return undefined;
  return now - Number(count) * UNIT_MS[unit];
}

function timeIn(text: string): number | undefined {
  const [, day] = RFC_3339.exec(text) ?? [];
  // JavaScript parses February 30 as a day in March.
  const isDay = day !== undefined && new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(-2));
  return isDay ? Date.parse(text.toUpperCase()) : undefined;
}

/** Reads `--limit`. @throws {UsageError} */
export function readLimit(text: string | undefined, { standard, most }: { standard: number; most: number }): number {
  if (text === undefined) return standard;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= most) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${most}, but is "${text}".`);
}

/** Reads one of a few words; `what` starts the sentence of the error. @throws {UsageError} */
export function readOneOf<Word extends string>(what: string, text: string, known: readonly Word[]): Word {
  const word = known.find((one) => one === text);
  if (word !== undefined) return word;
  const meant = nearest(text, known);
  const question = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new UsageError(
    `${what} must be ${known.slice(0, -1).join(", ")} or ${known.at(-1)}, but is "${text}".${question}`,
  );
}

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
