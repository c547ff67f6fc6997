import type { Why } from "@media-ops/reports";
import {
  factLines,
  noteLines,
  openingLines,
  screenOf,
  type TerminalScreenOptions,
  textLines,
} from "../terminal/screen.js";
import { type WhyOptions, whyParts } from "./words.js";

export interface TerminalWhyOptions extends WhyOptions, TerminalScreenOptions {}

/** Why connections failed or were refused: the most likely cause, how many there were, and each cause. */
export function formatWhy(why: Why, options: TerminalWhyOptions): string {
  const screen = screenOf(options);
  const parts = whyParts(why, options);
  const { totals, causes, period, note } = parts;
  const facts = totals.map(({ title, now, before }) => ({
    title,
    text: before === "–" ? now : `${now} (${before} before)`,
  }));
  if (period !== "") facts.push({ title: "Period", text: period });
  return [
    ...openingLines(parts, screen),
    "",
    ...factLines(facts, screen),
    ...causes.flatMap(({ text, details }) => [
      "",
      ...textLines(text, "bad", screen),
      ...details.flatMap((detail) => textLines(detail, "plain", screen)),
    ]),
    ...noteLines([note], screen),
  ].join("\n");
}
