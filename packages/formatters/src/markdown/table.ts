import { escapeMarkdown } from "./escape.js";

export interface MarkdownColumn {
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
