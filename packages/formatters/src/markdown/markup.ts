// In this order: entities; other Markdown syntax; underscores, except within words; issue numbers; web addresses; and
// emoji, whose names are not only digits, as times are.
import { oneLine } from "../values/text.js";

const MEANT =
  /&(?=[#a-z])|[<>|\\`*~[\]@$#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=\bgh)-(?=\d)|:(?=\/\/)|(?<=www)\.|:(?!\d+:)(?=[\w+-]+:)/gi;

const entities = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  // A backslash would do, but not for every reader of tables.
  ["|", "&#124;"],
]);

/**
 * GitHub looks for mentions, mail and web addresses, formulas, issues and emoji in the rendered page, where escapes are
 * gone. Only markup in between hides them.
 */
const FOUND_LATER = new Set(["@", "$", "#", "-", ":", "."]);

/**
 * Escapes a text for a line of GitHub's Markdown, also in a table: it shows as the text on one line, and neither links,
 * mentions, shows an image, is code nor is formatted.
 */
export function escapeMarkdown(text: string): string {
  return oneLine(text).replace(MEANT, (sign) => {
    return entities.get(sign) ?? (FOUND_LATER.has(sign) ? `<span>${sign}</span>` : `\\${sign}`);
  });
}

/** A heading with the empty line after it; nothing without a title. */
export function headingLines(title: string): string[] {
  return title === "" ? [] : [`### ${escapeMarkdown(title)}`, ""];
}

interface MarkdownColumn {
  title: string;
  /** Whether its texts are aligned right, as numbers are. */
  isRight: boolean;
}

/** The lines of a table, with escaped texts. */
export function tableLines(columns: readonly MarkdownColumn[], rows: readonly (readonly string[])[]): string[] {
  return [
    lineOf(columns.map(({ title }) => escapeMarkdown(title))),
    lineOf(columns.map(({ isRight }) => (isRight ? "---:" : "---"))),
    ...rows.map((row) => lineOf(row.map(escapeMarkdown))),
  ];
}

/** The lines of a table with a title and a text in each row. */
export function factLines(heading: string, facts: readonly { title: string; text: string }[]): string[] {
  return tableLines(
    [
      { title: heading, isRight: false },
      { title: "Value", isRight: false },
    ],
    facts.map(({ title, text }) => [title, text]),
  );
}

const lineOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
