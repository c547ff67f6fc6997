// What spreadsheets take for the beginning of a formula, also in full width; a tab or a line's end may be skipped before
// it. Apostrophes are among what may come first, so that one more can always be taken away again.
const FORMULA = /^[\s']*[=+\-@\t\r＝＋－＠]/;

/** A text that no spreadsheet runs as a formula: what looks like one gets an apostrophe before it. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/**
 * The text of a cell as it was in the entry: without the apostrophe before what a spreadsheet would run as a formula.
 * For programs that read the files; numbers never have one.
 */
export function undoFormulaGuard(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
}
