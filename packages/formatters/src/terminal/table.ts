import { endOfAddress, type Shown } from "../values/show.js";
import type { Paint, Style } from "./screen.js";
import { clean, fit, textWidth } from "./width.js";

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

const GAP = "  ";

/** The lines of a table, with its titles first. None is wider than `width`. */
export function tableLines(columns: readonly TableColumn[], width: number, paint: Paint): string[] {
  const placed = place(columns, width, GAP.length);
  const heading = placed.map(({ column, width }) => {
    const text = fit(column.title, width);
    return align(text, width - textWidth(text), column.isRight);
  });
  const below = columns.filter((column) => isBelow(column, placed, width));
  const room = width - GAP.length;
  const lines = [
    paint(heading.join(GAP).trimEnd(), "faint"),
    ...below.map(({ title }) => paint(GAP + fit(title, room), "faint")),
  ];
  const rows = placed[0]?.column.cells.length ?? 0;
  for (let row = 0; row < rows; row += 1) {
    lines.push(placed.map((one, at) => cellText(one, row, at === placed.length - 1, paint)).join(GAP));
    for (const { cells } of below) {
      const { text = "", style = "plain" } = cells[row] ?? {};
      lines.push(GAP + paint(fit(text, room, endOfAddress(text, room)), style));
    }
  }
  return lines;
}

/** Whether a column that does not fit beside the others has its own lines. */
function isBelow(column: TableColumn, placed: readonly Placed[], width: number): boolean {
  const isPlaced = placed.some((one) => one.column === column);
  return column.isAddress && !isPlaced && width >= ADDRESS + GAP.length;
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
