import type { Part, Piece, Style } from "./rich-text.js";

/** Parses Slack's markup, such as `*bold*` or `<https://media.example|a link>`. */
export function readMrkdwn(text: string): Part[] {
  return text.split(/```\n?([\s\S]+?)\n?```/).flatMap((part, at): Part[] => {
    if (at % 2 === 1) return [{ type: "preformatted", pieces: readPieces(part, {}, codeRules) }];
    // The line breaks around a code block are not empty lines.
    const lines = part.replace(/^\n/, at > 0 ? "" : "$&").replace(/\n$/, "");
    return lines === "" ? [] : readLines(lines);
  });
}

function readLines(text: string): Part[] {
  const parts: { type: "quote" | "section"; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const quoted = /^(?:>|&gt;) ?(.*)$/.exec(line);
    const type = quoted ? "quote" : "section";
    const last = parts.at(-1);
    if (last?.type === type) last.lines.push(quoted?.[1] ?? line);
    else parts.push({ type, lines: [quoted?.[1] ?? line] });
  }
  return parts.map(({ type, lines }) => ({ type, pieces: readPieces(lines.join("\n"), {}) }));
}

type Rule = readonly [pattern: RegExp, read: (match: RegExpExecArray, style: Style) => Piece[]];

// Markup applies only around words, not in `snake_case_names` or `2 * 3 * 4`.
const around = (mark: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}${mark}])${mark}(?=\\S)([^\\n]*?\\S)${mark}(?![\\p{L}\\p{N}${mark}])`, "uy");

// In code, only references are markup.
const codeRules: readonly Rule[] = [
  [/<([^<>\n|]+)(?:\|([^<>\n]*))?>/y, ([, target = "", words], style) => [{ ...reference(target, words), style }]],
];
const rules: readonly Rule[] = [
  ...codeRules,
  [/`([^`\n]+)`/y, ([, code = ""], style) => readPieces(code, { ...style, code: true }, codeRules)],
  [around("\\*"), ([, inner = ""], style) => readPieces(inner, { ...style, bold: true })],
  [around("_"), ([, inner = ""], style) => readPieces(inner, { ...style, italic: true })],
  [around("~"), ([, inner = ""], style) => readPieces(inner, { ...style, strike: true })],
  [
    /(?<![\p{L}\p{N}])https?:\/\/[^\s<>|]*[^\s<>|.,;:!?)'"]/uy,
    ([url], style) => [{ type: "link", url: undoEscapes(url), text: undoEscapes(url), style }],
  ],
];

function readPieces(text: string, style: Style, used = rules): Piece[] {
  const pieces: Piece[] = [];
  let plainFrom = 0;
  let at = 0;
  const endPlain = (): void => {
    if (at > plainFrom) pieces.push({ type: "text", text: undoEscapes(text.slice(plainFrom, at)), style });
  };
  while (at < text.length) {
    const found = firstAt(used, text, at);
    if (!found) {
      at += 1;
      continue;
    }
    endPlain();
    pieces.push(...found.read(found.match, style));
    at += found.match[0].length;
    plainFrom = at;
  }
  endPlain();
  return pieces;
}

const BEGINS = new Set("`<*_~h");

function firstAt(used: readonly Rule[], text: string, at: number) {
  if (!BEGINS.has(text.charAt(at))) return undefined;
  for (const [pattern, read] of used) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { match, read };
  }
  return undefined;
}

function reference(target: string, words: string | undefined): Piece {
  const name = words ? { name: undoEscapes(words) } : {};
  if (target.startsWith("@")) return { type: "user", id: target.slice(1), ...name };
  if (target.startsWith("#")) return { type: "channel", id: target.slice(1), ...name };
  const [kind, timestamp, format = ""] = target.split("^");
  if (kind === "!date") {
    return { type: "date", timestamp: Number(timestamp), format, fallback: undoEscapes(words ?? "") };
  }
  return { type: "link", url: undoEscapes(target), text: undoEscapes(words || target.replace(/^mailto:/, "")) };
}

function undoEscapes(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
