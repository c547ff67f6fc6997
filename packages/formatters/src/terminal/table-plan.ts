import type { Cell, TableColumn } from "./table.js";
import { textWidth } from "./width.js";

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
export interface Placed extends Measured {
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
export function place(columns: readonly TableColumn[], width: number, gap: number): Placed[] {
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
