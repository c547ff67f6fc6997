import { escapeMarkdown } from "./escape.js";

/** A heading, with the empty line after it; nothing where there is no title. */
export function headingLines(title: string): string[] {
  return title === "" ? [] : [`### ${escapeMarkdown(title)}`, ""];
}
