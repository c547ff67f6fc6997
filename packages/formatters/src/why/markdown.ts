import type { Why } from "@media-ops/reports";
import { answerText, escapeMarkdown, tableBelow } from "../markdown/markup.js";
import type { AnswerOptions } from "../values/answer.js";
import { whyParts } from "./words.js";

/** Why connections failed or were refused: the most likely cause, how many there were, and each cause. */
export function formatWhy(why: Why, options: AnswerOptions): string {
  const parts = whyParts(why, options);
  const { totals, causes, period } = parts;
  const columns = ["Connections", "Now", "Before"].map((name, at) => ({ title: name, isRight: at > 0 }));
  const rows = totals.map((total) => [total.title, total.now, total.before]);
  const list = causes.flatMap(({ text, details }) => [
    `- **${escapeMarkdown(text)}**`,
    ...details.map((detail) => `  - ${escapeMarkdown(detail)}`),
  ]);
  const lines = [...tableBelow(columns, rows), ...(list.length === 0 ? [] : ["", ...list])];
  return answerText(parts, lines, period && `Period: ${period}`);
}
