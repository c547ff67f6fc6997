import type { Shown } from "../values/show.js";
import { clean } from "./clean.js";
import type { Cell } from "./table.js";

/** A value as a cell of a table. */
export function cellOf({ text, tone, ago, number }: Shown): Cell {
  if (ago !== undefined) return { text, rest: ` · ${ago}`, style: tone, isFixed: true };
  return { text: clean(text), style: tone, isFixed: number !== undefined };
}
