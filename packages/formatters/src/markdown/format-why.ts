import type { Why } from "@media-ops/sdk";
import { type WhyOptions, whyParts } from "../why-words.js";
import { escapeMarkdown, headingLines, tableLines } from "./markup.js";

export interface MarkdownWhyOptions extends WhyOptions {}

/**
 * Why connections failed or were refused: the most likely cause, how many there were, and each cause.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatWhy(why: Why, options: MarkdownWhyOptions): string {
  const { incomplete, title, words, totals, causes, period, note } = whyParts(why, options);
  const columns = ["Connections", "Now", "Before"].map((name, at) => ({ title: name, isRight: at > 0 }));
  const rows = totals.map((total) => [total.title, total.now, total.before]);
  return [
    ...(incomplete === "" ? [] : [`**${escapeMarkdown(incomplete)}**`, ""]),
    ...headingLines(title),
    escapeMarkdown(words),
    "",
    ...tableLines(columns, rows),
    ...(causes.length === 0 ? [] : [""]),
    ...causes.flatMap(({ text, details }) => [
      `- **${escapeMarkdown(text)}**`,
      ...details.map((detail) => `  - ${escapeMarkdown(detail)}`),
    ]),
    ...[period === "" ? "" : `Period: ${period}`, note].flatMap((text) =>
      text === "" ? [] : ["", escapeMarkdown(text)],
    ),
  ].join("\n");
}
