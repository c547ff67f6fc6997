// What spreadsheets take for the beginning of a formula, also in full width; a tab or a line's end may be skipped before
// it. Apostrophes are among what may come first, so that one more can always be taken away again.
const FORMULA = /^[\s']*[=+\-@\t\r＝＋－＠]/;

/** What ends a cell where the list separator is another than the comma, and a line that is not read as quoted there. */
const ENDS = "[;\\t\\r\\n]";
const ENDING = new RegExp(ENDS);
const BEHIND = "(?:'|[^\\S\\t\\r\\n])*[=+\\-@＝＋－＠]";
const INNER = new RegExp(`${ENDS}(?=${BEHIND})`, "g");
const INNER_GUARDED = new RegExp(`(${ENDS})'(?=${BEHIND})`, "g");

/** A text of which no spreadsheet runs a part as a formula: what looks like one gets an apostrophe before it. */
export function guardFormula(text: string): string {
  // Few texts have one, and looking alone is fast.
  const guarded = ENDING.test(text) ? text.replace(INNER, "$&'") : text;
  return FORMULA.test(text) ? `'${guarded}` : guarded;
}

/**
 * The text of a cell as it was in the entry: without the apostrophes before what a spreadsheet would run as a formula.
 * For programs that read the files; numbers never have one.
 */
export function undoFormulaGuard(cell: string): string {
  const text = cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
  return text.replace(INNER_GUARDED, "$1");
}
