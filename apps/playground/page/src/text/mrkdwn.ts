import type { Part, Piece, Style } from "./rich-text.js";

/** Reads Slack's markup, such as `*bold*` or `<https://media.example|a link>`. */
export function readMrkdwn(text: string): Part[] {
  return text.split(/```\n?([\s\S]+?)\n?```/).flatMap((part, at): Part[] => {
    if (at % 2 === 1) return [{ type: "preformatted", pieces: readCode(part) }];
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

type Rule = readonly [name: string, pattern: RegExp, read: (match: RegExpExecArray, style: Style) => Piece[]];

// Markup applies only around words: not in `snake_case_names`, nor in `2 * 3 * 4`.
const around = (mark: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}${mark}])${mark}(?=\\S)([^\\n]*?\\S)${mark}(?![\\p{L}\\p{N}${mark}])`, "uy");

const rules: readonly Rule[] = [
  [
    "code",
    /`([^`\n]+)`/y,
    ([, code = ""], style) => readCode(code).map((one) => ({ ...one, style: { ...style, code: true } })),
  ],
  [
    "reference",
    /<([^<>\n|]+)(?:\|([^<>\n]*))?>/y,
    ([, target = "", words], style) => [{ ...reference(target, words), style }],
  ],
  ["bold", around("\\*"), ([, inner = ""], style) => readPieces(inner, { ...style, bold: true })],
  ["italic", around("_"), ([, inner = ""], style) => readPieces(inner, { ...style, italic: true })],
  ["strike", around("~"), ([, inner = ""], style) => readPieces(inner, { ...style, strike: true })],
  [
    "address",
    /(?<![\p{L}\p{N}])https?:\/\/[^\s<>|]*[^\s<>|.,;:!?)'"]/uy,
    ([url], style) => [{ type: "link", url: undoEscapes(url), text: undoEscapes(url), style }],
  ],
];

function readPieces(text: string, style: Style, only?: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  const used = only ? rules.filter(([name]) => only.includes(name)) : rules;
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
  for (const [, pattern, read] of used) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { match, read };
  }
  return undefined;
}

/** In code, only references are markup. */
function readCode(text: string): Piece[] {
  return readPieces(text, {}, ["reference"]);
}

function reference(target: string, words: string | undefined): Piece {
  const name = words ? { name: undoEscapes(words) } : {};
  if (target.startsWith("@")) return { type: "user", id: target.slice(1), ...name };
  if (target.startsWith("#")) return { type: "channel", id: target.slice(1), ...name };
  if (target.startsWith("!")) return special(target.slice(1), words);
  return { type: "link", url: undoEscapes(target), text: undoEscapes(words || target.replace(/^mailto:/, "")) };
}

function special(target: string, words: string | undefined): Piece {
  const [what = "", first = "", second = "", url] = target.split("^");
  if (what === "date") {
    const fallback = undoEscapes(words ?? "");
    return { type: "date", timestamp: Number(first), format: second, fallback, ...(url && { url }) };
  }
  if (what === "subteam") return { type: "usergroup", id: first, ...(words && { name: words }) };
  return { type: "broadcast", range: what };
}

function undoEscapes(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
