import { endOfAddress } from "../values/address.js";
import type { Paint, Style } from "./color.js";
import { fit } from "./fit.js";
import { ADDRESS, type Placed, place } from "./table-plan.js";
import { textWidth } from "./width.js";

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
