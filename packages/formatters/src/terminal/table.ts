import { endOfAddress, type Shown } from "../values/show.js";
import type { Paint, Style } from "./screen.js";
import { clean, fit, textWidth } from "./width.js";

/** What stands in one place of a table; its texts are clean. */
export interface Cell {
  text: string;
  style: Style;
  /** What follows the text, in a faint colour, where there is room for it. */
  rest?: string;
  /** Whether the text would be wrong with its middle left out, as numbers are. */
  isFixed: boolean;
}

export interface TableColumn {
  title: string;
  /** Whether its texts end below one another, as numbers do. */
  isRight: boolean;
  /** Whether it is shown only where there is room for all that stands in it. */
  isOptional: boolean;
  /**
   * Whether its texts are addresses: so much of each is shown that they can be told from each other, on lines of their own
   * where there is no room for that beside the other columns.
   */
  isAddress: boolean;
  /** What stands in it, row by row; not asked for when the column has no room. */
  cells(): readonly Cell[];
}

const GAP = "  ";

/** The lines of a table, its titles first. None is wider than `width`. */
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
  const cellsBelow = below.map((column) => column.cells());
  const rows = placed[0]?.cells.length ?? 0;
  for (let row = 0; row < rows; row += 1) {
    let line = "";
    for (let at = 0; at < placed.length; at += 1) {
      const one = placed[at];
      if (one) line += (at === 0 ? "" : GAP) + cellText(one, row, at === placed.length - 1, paint);
    }
    lines.push(line);
    for (const cells of cellsBelow) {
      const { text = "", style = "plain" } = cells[row] ?? {};
      lines.push(GAP + paint(fit(text, room, endOfAddress(text, room)), style));
    }
  }
  return lines;
}

/** Whether a column that has no room beside the others stands on lines of its own. */
function isBelow(column: TableColumn, placed: readonly Placed[], width: number): boolean {
  const isPlaced = placed.some((one) => one.column === column);
  return column.isAddress && !isPlaced && width >= ADDRESS + GAP.length;
}

function cellText(
  { column, cells, widths, width, hasRest }: Placed,
  row: number,
  isLast: boolean,
  paint: Paint,
): string {
  const cell = cells[row];
  if (!cell) return "";
  const { text, style, rest = "" } = cell;
  const wholeWidth = widths[row] ?? 0;
  const shown = wholeWidth <= width ? text : fit(text, width, column.isAddress ? endOfAddress(text, width) : undefined);
  const shownWidth = shown === text ? wholeWidth : textWidth(shown);
  const restWidth = hasRest && shownWidth + rest.length <= width ? rest.length : 0;
  const painted = paint(shown, style) + (restWidth > 0 ? paint(rest, "faint") : "");
  // Nobody should copy spaces from the end of a line.
  return isLast && !column.isRight ? painted : align(painted, width - shownWidth - restWidth, column.isRight);
}

function align(text: string, missing: number, isRight: boolean): string {
  if (missing <= 0) return text;
  return isRight ? " ".repeat(missing) + text : text + " ".repeat(missing);
}

/** A value as a cell of a table. */
export function cellOf({ text, tone, ago, number }: Shown): Cell {
  if (ago !== undefined) return { text, rest: ` · ${ago}`, style: tone, isFixed: true };
  return { text: clean(text), style: tone, isFixed: number !== undefined };
}

interface Measured {
  column: TableColumn;
  cells: readonly Cell[];
  /** Of each cell's text. */
  widths: Uint32Array;
  /** Of the widest text that cannot be shortened, also the title; of the widest that can; of the widest with its rest. */
  rigid: number;
  loose: number;
  full: number;
}

/** A column that is shown, and how wide. */
interface Placed extends Measured {
  width: number;
  /** Whether there is room for what follows texts. */
  hasRest: boolean;
}

/** So much of a text is enough to know what it is; so much at least is shown of the one text that tells most. */
const [ENOUGH, LEAST] = [12, 8];
/** So much of an address tells it from others. */
export const ADDRESS = 24;
/** So much of a text can be read. What follows other texts is less worth than that. */
const READABLE = 16;

/**
 * Which columns have room, and how wide each is. Where there is not enough for all that stands in them, the longest
 * texts give way first, then what follows texts, then the columns from the right.
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

/** Those that need not be there, one after the other, where there is room. */
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
  const cells = column.cells();
  const widths = new Uint32Array(cells.length);
  let [rigid, loose, full] = [textWidth(column.title), 0, 0];
  for (const [at, { text, rest, isFixed }] of cells.entries()) {
    const width = textWidth(text);
    widths[at] = width;
    full = Math.max(full, width + (rest?.length ?? 0));
    if (isFixed) rigid = Math.max(rigid, width);
    else loose = Math.max(loose, width);
  }
  return { column, cells, widths, rigid, loose, full: Math.max(full, rigid) };
}

const bare = ({ rigid, loose }: Measured): number => Math.max(rigid, loose);

/** What a column takes when its texts are shortened to so much. */
const atLeast = ({ rigid, loose, column }: Measured, longest: number): number =>
  Math.max(rigid, Math.min(loose, Math.max(longest, column.isAddress ? ADDRESS : 0)));
