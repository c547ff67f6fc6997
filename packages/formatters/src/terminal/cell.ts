import type { Shown } from "../values/show.js";
import { clean } from "./clean.js";
import type { Cell } from "./table.js";

/** Begins what is said of a time beside it. */
const AGO = " · ";

/** A value as a cell of a table. */
export function cellOf({ text, tone, time, number }: Shown): Cell {
  if (time === undefined) return { text: clean(text), style: tone, isFixed: number !== undefined };
  const at = text.lastIndexOf(AGO);
  return { text: text.slice(0, at), rest: text.slice(at), style: tone, isFixed: true };
}
