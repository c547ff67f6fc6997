import type { Screen, Style } from "./screen.js";
import { clean, fit, textWidth, wrap } from "./width.js";

/** A title and a text. */
interface Fact {
  title: string;
  text: string;
  style?: Style;
}

const GAP = 2;
/** Longer titles come from outside. */
const TITLE = 24;
/** With less room than this beside the titles, texts stand below them. */
const BESIDE = 20;

/** Titles with their texts, one below the other; long texts continue on the next line. */
export function factLines(facts: readonly Fact[], { width, paint }: Screen): string[] {
  const titles = facts.map(({ title }) => fit(clean(title), Math.min(TITLE, width)));
  const indent = titles.reduce((widest, title) => Math.max(widest, textWidth(title)), 0) + GAP;
  const isBeside = width - indent >= BESIDE;
  // The narrowest terminals have no room for an indent.
  const before = isBeside ? indent : width > BESIDE ? GAP : 0;
  return facts.flatMap(({ text, style = "plain" }, at) => {
    const title = titles[at] ?? "";
    const lines = wrap(clean(text), width - before).map((line) => paint(line, style));
    const [first = "", ...others] = isBeside ? lines : ["", ...lines];
    const heading = paint(title, "faint") + (isBeside ? " ".repeat(indent - textWidth(title)) : "") + first;
    return [heading, ...others.map((line) => " ".repeat(before) + line)];
  });
}
