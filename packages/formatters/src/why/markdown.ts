import type { Why } from "@media-ops/reports";
import { escapeMarkdown, noteLines, openingLines, tableBelow } from "../markdown/markup.js";
import { type WhyOptions, whyParts } from "./words.js";

/** Why connections failed or were refused: the most likely cause, how many there were, and each cause. */
export function formatWhy(why: Why, options: WhyOptions): string {
  const parts = whyParts(why, options);
  const { totals, causes, period, note } = parts;
  const columns = ["Connections", "Now", "Before"].map((name, at) => ({ title: name, isRight: at > 0 }));
  const rows = totals.map((total) => [total.title, total.now, total.before]);
  return [
    ...openingLines(parts),
    ...tableBelow(columns, rows),
    ...(causes.length === 0 ? [] : [""]),
    ...causes.flatMap(({ text, details }) => [
      `- **${escapeMarkdown(text)}**`,
      ...details.map((detail) => `  - ${escapeMarkdown(detail)}`),
    ]),
    ...noteLines(period === "" ? "" : `Period: ${period}`, note),
  ].join("\n");
}
