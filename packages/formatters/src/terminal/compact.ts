import type { LogKind } from "@media-ops/sdk";
import type { FieldColumn } from "../columns.js";
import { lineColumnsOf, textInLine } from "../line.js";
import { show } from "../values/show.js";
import { NOTHING } from "../values/text.js";
import type { Clock } from "../values/time.js";
import { cellOf } from "./cell.js";
import { cutEnd, fit } from "./fit.js";
import type { TimedScreen } from "./screen.js";
import type { Cell } from "./table.js";
import { textWidth } from "./width.js";

/** One line for each entry, without titles and without what is missing. */
export function compactLines(
  kind: LogKind,
  entries: readonly unknown[],
  { clock, width, paint }: TimedScreen,
): string[] {
  const columns = lineColumnsOf(kind);
  return entries.map((entry) => {
    const parts = columns.map((column) => partOf(entry, column, clock)).filter(({ text }) => text !== NOTHING);
    const line = lineOf(
      parts.map(({ text }) => text),
      width,
    );
    const { text = "", style = "plain" } = parts[0] ?? {};
    return line.startsWith(text) ? paint(text, style) + line.slice(text.length) : line;
  });
}

const SEPARATOR = " · ";
/** In less, a text says too little. */
const LEAST = 8;

/** Where there is not enough room, the last text is shortened, or left out with what else has none. */
function lineOf(texts: readonly string[], width: number): string {
  const line = texts.join(SEPARATOR) || NOTHING;
  const before = texts
    .slice(0, -1)
    .map((text) => text + SEPARATOR)
    .join("");
  const room = width - textWidth(before);
  return room < LEAST ? cutEnd(line, width) : before + fit(line.slice(before.length), room);
}

function partOf(entry: unknown, column: FieldColumn, clock: Clock): Cell {
  const shown = show(entry, column, clock);
  return cellOf({ ...shown, text: textInLine(column, shown) });
}
