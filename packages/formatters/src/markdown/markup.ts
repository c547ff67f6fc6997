import type { Answer, Fact } from "../values/answer.js";
import { oneLine } from "../values/words.js";

// In this order: entities; other Markdown syntax; underscores, except within words; issue numbers; URLs; and emoji,
// whose names are not only digits, as times are.
const MEANT =
  /&(?=[#a-z])|[<>|\\`*~[\]@$#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=\bgh)-(?=\d)|:(?=\/\/)|(?<=www)\.|:(?!\d+:)(?=[\w+-]+:)/gi;

const entities = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  // A backslash would also work, but not in every Markdown parser.
  ["|", "&#124;"],
]);

/**
 * GitHub detects mentions, mail addresses and URLs, formulas, issues and emoji in the rendered page, after escapes are
 * resolved. Only markup in between prevents it.
 */
const FOUND_LATER = new Set(["@", "$", "#", "-", ":", "."]);

/**
 * Escapes a text for a line of GitHub's Markdown, also in a table: it shows as plain text on one line, without links,
 * mentions, images, code or formatting.
 */
export function escapeMarkdown(text: string): string {
  return oneLine(text).replace(MEANT, (sign) => {
    return entities.get(sign) ?? (FOUND_LATER.has(sign) ? `<span>${sign}</span>` : `\\${sign}`);
  });
}

/** An answer: what was not searched, before anything else; the title; a sentence; its other lines; and notes. */
export function answerText(
  { incomplete = "", title, words, notes }: Omit<Answer, "clock">,
  lines: readonly string[],
  ...more: readonly string[]
): string {
  const first = incomplete === "" ? [] : [`**${escapeMarkdown(incomplete)}**`, ""];
  const below = [...more, ...notes].flatMap((note) => (note === "" ? [] : ["", escapeMarkdown(note)]));
  return [...first, ...headingLines(title), escapeMarkdown(words), ...lines, ...below].join("\n");
}

/** A heading followed by an empty line; nothing without a title. */
export function headingLines(title: string): string[] {
  return title === "" ? [] : [`### ${escapeMarkdown(title)}`, ""];
}

interface MarkdownColumn {
  title: string;
  /** Whether its texts are aligned right, as numbers are. @default false */
  isRight?: boolean;
}

/** The lines of a table, with escaped texts. */
export function tableLines(columns: readonly MarkdownColumn[], rows: readonly (readonly string[])[]): string[] {
  return [
    lineOf(columns.map(({ title }) => escapeMarkdown(title))),
    lineOf(columns.map(({ isRight }) => (isRight ? "---:" : "---"))),
    ...rows.map((row) => lineOf(row.map(escapeMarkdown))),
  ];
}

/** A table after an empty line; nothing without rows. */
export const tableBelow: typeof tableLines = (columns, rows) =>
  rows.length === 0 ? [] : ["", ...tableLines(columns, rows)];

/** The lines of a table with a title and a text in each row. */
export function factLines(heading: string, facts: readonly Fact[]): string[] {
  const rows = facts.map(({ title, text }) => [title, text]);
  return tableLines([{ title: heading }, { title: "Value" }], rows);
}

const lineOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
