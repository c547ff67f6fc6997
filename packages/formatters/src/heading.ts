import type { FieldColumn, ValueKind } from "./columns.js";

/** What stands above a column. Where times are in UTC it says so: few readers have it on their own clock. */
export function headingOf({ title, as }: Pick<FieldColumn, "title" | "as">, timeZone: string): string {
  return as === "time" && timeZone === "UTC" ? `${title} (UTC)` : title;
}

/** Whether values are compared by their digits, which therefore stand below one another, at the right. */
export const isFigure = (as: ValueKind): boolean => FIGURES.includes(as);

const FIGURES: readonly ValueKind[] = ["milliseconds", "minutes", "bytes", "count"];
