import type { Why } from "@media-ops/sdk";
import { type WhyOptions, whyParts } from "../why-words.js";
import { factLines, screenOf, type TerminalScreenOptions } from "./screen.js";
import { clean, wrap } from "./width.js";

export interface TerminalWhyOptions extends WhyOptions, TerminalScreenOptions {}

/**
 * Why connections failed or were refused: the most likely cause, how many there were, and each cause.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatWhy(why: Why, options: TerminalWhyOptions): string {
  const screen = screenOf(options);
  const { width, paint } = screen;
  const { incomplete, title, words, totals, causes, period, note } = whyParts(why, options);
  const facts = totals.map(({ title, now, before }) => ({
    title,
    text: before === "–" ? now : `${now} (${before} before)`,
  }));
  if (period !== "") facts.push({ title: "Period", text: period });
  return [
    ...(incomplete === "" ? [] : wrap(clean(incomplete), width).map((line) => paint(line, "bad"))),
    ...wrap(clean(title), width).map((line) => paint(line, "title")),
    ...wrap(clean(words), width),
    "",
    ...factLines(facts, screen),
    ...causes.flatMap(({ text, details }) => [
      "",
      ...wrap(clean(text), width).map((line) => paint(line, "bad")),
      ...details.flatMap((detail) => wrap(clean(detail), width)),
    ]),
    ...(note === "" ? [] : ["", ...wrap(clean(note), width).map((line) => paint(line, "faint"))]),
  ].join("\n");
}
