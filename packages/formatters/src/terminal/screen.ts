import type { Answer, Fact } from "../values/answer.js";
import { endOfAddress, type Shown, type Tone } from "../values/show.js";
import { type Clock, clockFor, type TimeOptions } from "../values/words.js";
import { clean, fit, textWidth, wrap } from "./width.js";

/** How to draw in a terminal. */
export interface TerminalScreenOptions {
  /** The columns of a line; `Infinity` for a file or a pipe. @default 80 */
  width?: number | undefined;
  /** Whether to use colours; nothing relies on them alone. @default false */
  color?: boolean | undefined;
}

/** How to draw, and when. */
export interface TerminalOptions extends TimeOptions, TerminalScreenOptions {}

/** The width and colours for the printers of this folder. */
export interface Screen {
  width: number;
  paint: Paint;
}

/** The screen with a clock. */
export interface TimedScreen extends Screen {
  clock: Clock;
}

/** The default width, for a terminal that does not report one. */
const USUAL = 80;

export function screenOf({ width = USUAL, color = false }: TerminalScreenOptions): Screen {
  return { width: width >= 1 ? Math.floor(width) : USUAL, paint: painter(color) };
}

export function timedScreenOf(options: TerminalOptions): TimedScreen {
  return { ...screenOf(options), clock: clockFor(options) };
}

/** The role of a text, which determines its colour. */
export type Style = Tone | "title" | "faint";

/** Colours a text on one line. The colour ends with the text. */
export type Paint = (text: string, style: Style) => string;

/** By number, so that the user's theme determines the colours. */
const codes: { readonly [Name in Style]?: readonly [on: number, off: number] } = {
  title: [1, 22],
  faint: [2, 22],
  good: [32, 39],
  notice: [33, 39],
  bad: [31, 39],
};

function painter(color: boolean): Paint {
  if (!color) return (text) => text;
  return (text, style) => {
    const code = codes[style];
    return code && text !== "" ? `\u001b[${code[0]}m${text}\u001b[${code[1]}m` : text;
  };
}

/** The lines of a text; none if it is empty. */
export function textLines(text: string, style: Style, { width, paint }: Screen): string[] {
  return text === "" ? [] : wrap(clean(text), width).map((line) => paint(line, style));
}

/**
 * An answer: what was not searched, before anything else; the title; a sentence; its other lines; and notes, each after
 * an empty line.
 */
export function answerText(answer: Answer, lines: readonly string[], screen: Screen): string {
  const { incomplete = "", title, words, tone = "plain", notes } = answer;
  return [
    ...textLines(incomplete, "bad", screen),
    ...textLines(title, "title", screen),
    ...textLines(words, tone, screen),
    ...lines,
    ...noteLines(notes, screen),
  ].join("\n");
}

/** Notes below, each after an empty line. */
export const noteLines = (notes: readonly string[], screen: Screen): string[] =>
  notes.filter((note) => note !== "").flatMap((note) => ["", ...textLines(note, "faint", screen)]);

/** Few readers use UTC, so the title of a time names it. */
export const zoneOf = ({ timeZone }: Clock): string => (timeZone === "UTC" ? " (UTC)" : "");

const GAP = 2;
/** Longer titles are unknown fields. */
const TITLE = 24;
/** With less space than this beside the titles, texts are below them. */
const BESIDE = 20;

/** Titles with their texts, one per line; long texts wrap. */
export function factLines(facts: readonly (Fact & { style?: Style })[], { width, paint }: Screen): string[] {
  const titles = facts.map(({ title }) => fit(clean(title), Math.min(TITLE, width)));
  const indent = titles.reduce((widest, title) => Math.max(widest, textWidth(title)), 0) + GAP;
  const isBeside = width - indent >= BESIDE;
  // The narrowest terminals have no space for an indent.
  const before = isBeside ? indent : width > BESIDE ? GAP : 0;
  return facts.flatMap(({ text, style = "plain" }, at) => {
    const title = titles[at] ?? "";
    const lines = wrap(clean(text), width - before).map((line) => paint(line, style));
    const [first = "", ...others] = isBeside ? lines : ["", ...lines];
    const heading = paint(title, "faint") + (isBeside ? " ".repeat(indent - textWidth(title)) : "") + first;
    return [heading, ...others.map((line) => " ".repeat(before) + line)];
  });
}

/** A cell of a table, with clean texts. */
export interface Cell {
  text: string;
  style: Style;
  /** A faint addition, if it fits. */
  rest?: string;
  /** Whether its middle must not be omitted, as in numbers. */
  isFixed: boolean;
}

/** A column of a table. */
export interface TableColumn {
  title: string;
  /** Whether its texts are aligned right, as numbers are. */
  isRight: boolean;
  /** Whether it is only shown if all of it fits. */
  isOptional: boolean;
  /**
   * Whether its texts are URLs, which are shown long enough to be distinguishable, on their own lines if they do not
   * fit beside the other columns.
   */
  isAddress: boolean;
  cells: readonly Cell[];
}

const BETWEEN = "  ";

/** The lines of a table, with its titles first. None is wider than `width`. */
export function tableLines(columns: readonly TableColumn[], width: number, paint: Paint): string[] {
  const placed = place(columns, width, BETWEEN.length);
  const heading = placed.map(({ column, width }) => {
    const text = fit(column.title, width);
    return align(text, width - textWidth(text), column.isRight);
  });
  const below = columns.filter((column) => isBelow(column, placed, width));
  const room = width - BETWEEN.length;
  const lines = [
    paint(heading.join(BETWEEN).trimEnd(), "faint"),
    ...below.map(({ title }) => paint(BETWEEN + fit(title, room), "faint")),
  ];
  const rows = placed[0]?.column.cells.length ?? 0;
  for (let row = 0; row < rows; row += 1) {
    lines.push(placed.map((one, at) => cellText(one, row, at === placed.length - 1, paint)).join(BETWEEN));
    for (const { cells } of below) {
      const { text = "", style = "plain" } = cells[row] ?? {};
      lines.push(BETWEEN + paint(fit(text, room, endOfAddress(text, room)), style));
    }
  }
  return lines;
}

/** Whether a column that does not fit beside the others has its own lines. */
function isBelow(column: TableColumn, placed: readonly Placed[], width: number): boolean {
  const isPlaced = placed.some((one) => one.column === column);
  return column.isAddress && !isPlaced && width >= ADDRESS + BETWEEN.length;
}

function cellText({ column, width, hasRest }: Placed, row: number, isLast: boolean, paint: Paint): string {
  const cell = column.cells[row];
  if (!cell) return "";
  const { text, style, rest = "" } = cell;
  const shown = fit(text, width, column.isAddress ? endOfAddress(text, width) : undefined);
  const shownWidth = textWidth(shown);
  const restWidth = hasRest && shownWidth + rest.length <= width ? rest.length : 0;
  const painted = paint(shown, style) + (restWidth > 0 ? paint(rest, "faint") : "");
  // Without trailing spaces, which would be copied.
  return isLast && !column.isRight ? painted : align(painted, width - shownWidth - restWidth, column.isRight);
}

function align(text: string, missing: number, isRight: boolean): string {
  if (missing <= 0) return text;
  return isRight ? " ".repeat(missing) + text : text + " ".repeat(missing);
}

/** A value as a cell. */
export function cellOf({ text, tone, ago, number }: Shown): Cell {
  if (ago !== undefined) return { text, rest: ` · ${ago}`, style: tone, isFixed: true };
  return { text: clean(text), style: tone, isFixed: number !== undefined };
}

interface Measured {
  column: TableColumn;
  /**
   * The widest text that cannot be shortened, including the title; the widest that can; the widest with its addition.
   */
  rigid: number;
  loose: number;
  full: number;
}

/** A visible column and its width. */
interface Placed extends Measured {
  width: number;
  /** Whether additions fit. */
  hasRest: boolean;
}

/** The length that identifies a text, and the minimum length of the most important one. */
const [ENOUGH, LEAST] = [12, 8];
/** The length that distinguishes a URL from others. */
export const ADDRESS = 24;
/** The readable length of a text. Additions are less important. */
const READABLE = 16;

/**
 * The visible columns and their widths. If the table is too wide, the longest texts are shortened first, then additions
 * omitted, then columns from the right.
 */
function place(columns: readonly TableColumn[], width: number, gap: number): Placed[] {
  const needed = columns.filter(({ isOptional }) => !isOptional).map(measure);
  const total = (widths: readonly number[]): number => widths.reduce((sum, one) => sum + one + gap, -gap);

  const room = width - total(needed.map(({ full }) => full));
  if (room >= 0) {
    const all = withOptional(columns, needed, room, gap);
    return all.map((one) => ({ ...one, width: one.full, hasRest: true }));
  }

  const withRoom = (each: number): Measured[] => {
    const count = needed.findIndex((_, at) => total(needed.slice(0, at + 1).map((one) => atLeast(one, each))) > width);
    return needed.slice(0, count === -1 ? needed.length : Math.max(count, 1));
  };
  const wide = withRoom(ENOUGH);
  const kept = wide.some(({ loose, rigid }) => loose > rigid) ? wide : withRoom(LEAST);
  const hasRest = total(kept.map((one) => (one.full > bare(one) ? one.full : atLeast(one, READABLE)))) <= width;
  const widthsIn = (longest: number): number[] => {
    return kept.map((one) => (hasRest && one.full > bare(one) ? one.full : atLeast(one, longest)));
  };
  let longest = Math.max(...kept.map(bare));
  while (longest > LEAST && total(widthsIn(longest)) > width) longest -= 1;
  const widths = widthsIn(longest);
  // A single column may still be too wide.
  return kept.map((one, at) => ({ ...one, width: Math.min(widths[at] ?? 0, width), hasRest }));
}

/** Adds optional columns, one after another, while they fit. */
function withOptional(
  columns: readonly TableColumn[],
  needed: readonly Measured[],
  room: number,
  gap: number,
): Measured[] {
  let left = room;
  return columns.flatMap((column) => {
    if (!column.isOptional) return needed.filter((one) => one.column === column);
    if (textWidth(column.title) + gap > left) return [];
    const measured = measure(column);
    if (measured.full + gap > left) return [];
    left -= measured.full + gap;
    return [measured];
  });
}

function measure(column: TableColumn): Measured {
  let [rigid, loose, full] = [textWidth(column.title), 0, 0];
  for (const { text, rest, isFixed } of column.cells) {
    const width = textWidth(text);
    full = Math.max(full, width + (rest?.length ?? 0));
    if (isFixed) rigid = Math.max(rigid, width);
    else loose = Math.max(loose, width);
  }
  return { column, rigid, loose, full: Math.max(full, rigid) };
}

const bare = ({ rigid, loose }: Measured): number => Math.max(rigid, loose);

/** The width of a column with its texts shortened to this length. */
const atLeast = ({ rigid, loose, column }: Measured, longest: number): number =>
  Math.max(rigid, Math.min(loose, Math.max(longest, column.isAddress ? ADDRESS : 0)));
