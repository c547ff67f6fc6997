import type { Why } from "@media-ops/reports";
import { answerText, factLines, screenOf, type TerminalScreenOptions, textLines } from "../terminal/screen.js";
import type { AnswerOptions } from "../values/answer.js";
import { totalText, whyParts } from "./words.js";

/** Why connections failed or were refused: the most likely cause, how many there were, and each cause. */
export function formatWhy(why: Why, options: AnswerOptions & TerminalScreenOptions): string {
  const screen = screenOf(options);
  const parts = whyParts(why, options);
  const { totals, causes, period } = parts;
  const facts = totals.map((total) => ({ title: total.title, text: totalText(total) }));
  if (period !== "") facts.push({ title: "Period", text: period });
  const list = causes.flatMap(({ text, details }) => [
    "",
    ...textLines(text, "bad", screen),
    ...details.flatMap((detail) => textLines(detail, "plain", screen)),
  ]);
  return answerText(parts, ["", ...factLines(facts, screen), ...list], screen);
}
