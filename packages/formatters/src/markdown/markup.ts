import { oneLine } from "../values/text.js";

// In this order: entities; what else has a meaning in Markdown; underscores, save for those within words; numbers of
// issues; web addresses; and emoji, which are not called by figures alone, as times are.
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
 * GitHub looks for mentions, mail and web addresses, formulas, issues and emoji in the finished page, where no escape is
 * left. Only markup in between keeps it from seeing them.
 */
const FOUND_LATER = new Set(["@", "$", "#", "-", ":", "."]);

/**
 * Makes a text mean nothing within a line of GitHub's Markdown, also in a table: shown, it is the text on one line, and
 * it neither links, mentions, shows an image, is code nor stands out.
 */
export function escapeMarkdown(text: string): string {
  return oneLine(text).replace(MEANT, (sign) => {
    return entities.get(sign) ?? (FOUND_LATER.has(sign) ? `<span>${sign}</span>` : `\\${sign}`);
  });
}

/** A heading, with the empty line after it; nothing where there is no title. */
export function headingLines(title: string): string[] {
  return title === "" ? [] : [`### ${escapeMarkdown(title)}`, ""];
}

interface MarkdownColumn {
  title: string;
  /** Whether its texts end below one another, as numbers do. */
  isRight: boolean;
}

/** The lines of a table; the texts in it are escaped here. */
export function tableLines(columns: readonly MarkdownColumn[], rows: readonly (readonly string[])[]): string[] {
  return [
    lineOf(columns.map(({ title }) => escapeMarkdown(title))),
    lineOf(columns.map(({ isRight }) => (isRight ? "---:" : "---"))),
    ...rows.map((row) => lineOf(row.map(escapeMarkdown))),
  ];
}

/** The lines of a table with a title and a text in each. */
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
