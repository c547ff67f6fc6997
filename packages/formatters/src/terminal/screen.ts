import type { Answer } from "../values/answer.js";
import type { Tone } from "../values/show.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { clean, fit, textWidth, wrap } from "./width.js";

/** How to draw in a terminal. */
export interface TerminalScreenOptions {
  /** The columns of a line; `Infinity` for a file or a pipe. @default 80 */
  width?: number | undefined;
  /** Whether to use colours; nothing relies on them alone. @default false */
  color?: boolean | undefined;
}

/** How to draw, and when. */
export interface TerminalOptions extends TimeOptions, TerminalScreenOptions {}

/** The width and colours for the printers of this folder. */
export interface Screen {
  width: number;
  paint: Paint;
}

/** The screen with a clock. */
export interface TimedScreen extends Screen {
  clock: Clock;
}

/** The default width, for a terminal that does not report one. */
const USUAL = 80;

export function screenOf({ width = USUAL, color = false }: TerminalScreenOptions): Screen {
  return { width: width >= 1 ? Math.floor(width) : USUAL, paint: painter(color) };
}

export function timedScreenOf(options: TerminalOptions): TimedScreen {
  return { ...screenOf(options), clock: clockFor(options) };
}

/** The role of a text, which determines its colour. */
export type Style = Tone | "title" | "faint";

/** Colours a text on one line. The colour ends with the text. */
export type Paint = (text: string, style: Style) => string;

/** By number, so that the user's theme determines the colours. */
const codes: { readonly [Name in Style]?: readonly [on: number, off: number] } = {
  title: [1, 22],
  faint: [2, 22],
  good: [32, 39],
  notice: [33, 39],
  bad: [31, 39],
};

function painter(color: boolean): Paint {
  if (!color) return (text) => text;
  return (text, style) => {
    const code = codes[style];
    return code && text !== "" ? `\u001b[${code[0]}m${text}\u001b[${code[1]}m` : text;
  };
}

/** The lines of a text; none if it is empty. */
export function textLines(text: string, style: Style, { width, paint }: Screen): string[] {
  return text === "" ? [] : wrap(clean(text), width).map((line) => paint(line, style));
}

/**
 * An answer: what was not searched, before anything else; the title; a sentence; its other lines; and notes, each after
 * an empty line.
 */
export function answerText(answer: Answer, lines: readonly string[], screen: Screen): string {
  const { incomplete = "", title, words, tone = "plain", notes } = answer;
  return [
    ...textLines(incomplete, "bad", screen),
    ...textLines(title, "title", screen),
    ...textLines(words, tone, screen),
    ...lines,
    ...noteLines(notes, screen),
  ].join("\n");
}

/** Notes below, each after an empty line. */
export const noteLines = (notes: readonly string[], screen: Screen): string[] =>
  notes.filter((note) => note !== "").flatMap((note) => ["", ...textLines(note, "faint", screen)]);

/** Few readers use UTC, so the title of a time names it. */
export const zoneOf = ({ timeZone }: Clock): string => (timeZone === "UTC" ? " (UTC)" : "");

/** A title and a text. */
interface Fact {
  title: string;
  text: string;
  style?: Style;
}

const GAP = 2;
/** Longer titles are unknown fields. */
const TITLE = 24;
/** With less space than this beside the titles, texts are below them. */
const BESIDE = 20;

/** Titles with their texts, one per line; long texts wrap. */
export function factLines(facts: readonly Fact[], { width, paint }: Screen): string[] {
  const titles = facts.map(({ title }) => fit(clean(title), Math.min(TITLE, width)));
  const indent = titles.reduce((widest, title) => Math.max(widest, textWidth(title)), 0) + GAP;
  const isBeside = width - indent >= BESIDE;
  // The narrowest terminals have no space for an indent.
  const before = isBeside ? indent : width > BESIDE ? GAP : 0;
  return facts.flatMap(({ text, style = "plain" }, at) => {
    const title = titles[at] ?? "";
    const lines = wrap(clean(text), width - before).map((line) => paint(line, style));
    const [first = "", ...others] = isBeside ? lines : ["", ...lines];
    const heading = paint(title, "faint") + (isBeside ? " ".repeat(indent - textWidth(title)) : "") + first;
    return [heading, ...others.map((line) => " ".repeat(before) + line)];
  });
}
