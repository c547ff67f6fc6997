import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import { isObject } from "../../src/json.js";
import type { Scene } from "../../src/window/protocol.js";
import { type Json, listIn, numberIn, stringIn } from "./json.js";
import { formatSlackDate, useOfNow } from "./slack-date.js";
import { useStage } from "./stage.js";

interface Style {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
}

/** An inline piece of text. */
type Piece = { readonly style?: Style } & (
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "link"; readonly url: string; readonly text: string }
  | { readonly type: "user" | "channel"; readonly id: string; readonly name?: string }
  | { readonly type: "date"; readonly timestamp: number; readonly format: string; readonly fallback: string }
);

/** A paragraph-like part of a text. */
export type Part =
  | { readonly type: "section" | "quote" | "preformatted"; readonly pieces: readonly Piece[] }
  | { readonly type: "list"; readonly items: readonly (readonly Piece[])[] };

/** Parses Slack's markup, such as `*bold*` or `<https://media.example|a link>`. */
export function readMrkdwn(text: string): Part[] {
  return text.split(/```\n?([\s\S]+?)\n?```/).flatMap((part, at): Part[] => {
    if (at % 2 === 1) return [{ type: "preformatted", pieces: readPieces(part, {}, IN_CODE) }];
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

const REFERENCE = String.raw`<(?<target>[^<>\n|]+)(?:\|(?<words>[^<>\n]*))?>`;
// Markup applies only around words, not in `snake_case_names` or `2 * 3 * 4`.
const around = (mark: string, name: string): string =>
  String.raw`(?<![\p{L}\p{N}${mark}])${mark}(?=\S)(?<${name}>[^\n]*?\S)${mark}(?![\p{L}\p{N}${mark}])`;
const MARKUP = new RegExp(
  [
    REFERENCE,
    "`(?<code>[^`\\n]+)`",
    around("\\*", "bold"),
    around("_", "italic"),
    around("~", "strike"),
    String.raw`(?<![\p{L}\p{N}])(?<url>https?:\/\/[^\s<>|]*[^\s<>|.,;:!?)'"])`,
  ].join("|"),
  "gu",
);
// In code, only references are markup.
const IN_CODE = new RegExp(REFERENCE, "gu");

function readPieces(text: string, style: Style, pattern = MARKUP): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const addPlain = (until: number): void => {
    if (until > from) pieces.push({ type: "text", text: unescaped(text.slice(from, until)), style });
  };
  for (const { index, 0: whole, groups = {} } of text.matchAll(pattern)) {
    addPlain(index);
    pieces.push(...readMarkup(groups, style));
    from = index + whole.length;
  }
  addPlain(text.length);
  return pieces;
}

function readMarkup(groups: Readonly<Record<string, string | undefined>>, style: Style): Piece[] {
  const { target, words, url, code } = groups;
  if (target !== undefined) return [{ ...reference(target, words), style }];
  if (url !== undefined) return [{ type: "link", url: unescaped(url), text: unescaped(url), style }];
  if (code !== undefined) return readPieces(code, { ...style, code: true }, IN_CODE);
  const [mark = "", inner = ""] = Object.entries(groups).find(([, text]) => text !== undefined) ?? [];
  return readPieces(inner, { ...style, [mark]: true });
}

function reference(target: string, words: string | undefined): Piece {
  const name = words ? { name: unescaped(words) } : {};
  if (target.startsWith("@")) return { type: "user", id: target.slice(1), ...name };
  if (target.startsWith("#")) return { type: "channel", id: target.slice(1), ...name };
  const [kind, timestamp, format = ""] = target.split("^");
  if (kind === "!date") {
    return { type: "date", timestamp: Number(timestamp), format, fallback: unescaped(words ?? "") };
  }
  return { type: "link", url: unescaped(target), text: unescaped(words || target.replace(/^mailto:/, "")) };
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Parses a `rich_text` block, and skips unknown parts. */
export function readRichText(block: Json): Part[] {
  return listIn(block.elements).flatMap((element): Part[] => {
    if (element.type === "rich_text_section") return [{ type: "section", pieces: richPieces(element) }];
    if (element.type === "rich_text_preformatted") return [{ type: "preformatted", pieces: richPieces(element) }];
    if (element.type !== "rich_text_list") return [];
    return [{ type: "list", items: listIn(element.elements).map(richPieces) }];
  });
}

function richPieces(section: Json): Piece[] {
  return listIn(section.elements).flatMap((element): Piece[] => {
    const { type, style } = element;
    const [text, url] = [stringIn(element.text), stringIn(element.url)];
    const { bold, code } = isObject(style) ? style : {};
    if (type === "text") return [{ type, text, style: { bold: bold === true, code: code === true } }];
    if (type === "link") return [{ type, url, text: text || url }];
    if (type !== "date") return [];
    const timestamp = numberIn(element.timestamp) ?? 0;
    return [{ type, timestamp, format: stringIn(element.format), fallback: stringIn(element.fallback) }];
  });
}

/** Replaces the typed names of the app, people and channels by Slack's references, as its own message box does. */
export function withMentions(text: string, { app, people, places }: Pick<Scene, "app" | "people" | "places">): string {
  const references = new Map(
    [
      [`@${app.name}`, `<@${app.userId}>`] as const,
      ...people.flatMap(({ id, name, realName }) =>
        [`@${realName}`, `@${name}`].map((typed) => [typed, `<@${id}>`] as const),
      ),
      ...places.filter(({ kind }) => kind === "channel").map(({ id, name }) => [`#${name}`, `<#${id}>`] as const),
    ].map(([name, reference]) => [name.toLowerCase(), reference]),
  );
  // Longer names first, because one may begin with another.
  const names = [...references.keys()].sort((a, b) => b.length - a.length);
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${escaped.join("|")})(?![\\p{L}\\p{N}_-])`, "giu");
  return text.replace(pattern, (name) => references.get(name.toLowerCase()) ?? name);
}

/** Renders a text object of a block: `mrkdwn` or `plain_text`. */
export function SlackText({ text }: { text: Json }): ReactNode {
  const words = stringIn(text.text);
  return text.type === "mrkdwn" ? <Parts parts={readMrkdwn(words)} /> : <div className="text">{words}</div>;
}

/** Renders parsed text. */
export function Parts({ parts }: { parts: readonly Part[] }): ReactNode {
  return parts.map((part, at) => <OnePart key={keyAt(at)} part={part} />);
}

/** Returns the key of an item of a list whose order never changes, so that the position identifies it. */
export const keyAt = (at: number): string => `at-${at}`;

function OnePart({ part }: { part: Part }): ReactNode {
  if (part.type === "list") {
    return (
      <ul>
        {part.items.map((pieces, at) => (
          <li key={keyAt(at)}>
            <Pieces pieces={pieces} />
          </li>
        ))}
      </ul>
    );
  }
  const pieces = <Pieces pieces={part.pieces} />;
  if (part.type === "preformatted") return <Code>{pieces}</Code>;
  return part.type === "quote" ? <blockquote>{pieces}</blockquote> : <div className="text">{pieces}</div>;
}

function Pieces({ pieces }: { pieces: readonly Piece[] }): ReactNode {
  return pieces.map((piece, at) => (
    <Fragment key={keyAt(at)}>{styled(<OnePiece piece={piece} />, piece.style ?? {})}</Fragment>
  ));
}

function styled(node: ReactNode, { bold, italic, strike, code }: Style): ReactNode {
  let drawn = node;
  if (code) drawn = <code>{drawn}</code>;
  if (strike) drawn = <s>{drawn}</s>;
  if (italic) drawn = <em>{drawn}</em>;
  return bold ? <strong>{drawn}</strong> : drawn;
}

function OnePiece({ piece }: { piece: Piece }): ReactNode {
  const { people, places, app } = useStage();
  switch (piece.type) {
    case "text":
      return piece.text;
    case "link":
      // Unsafe addresses are shown as text.
      if (!/^(https?|mailto):/i.test(piece.url)) return piece.text;
      return (
        <a href={piece.url} target="_blank" rel="noopener noreferrer">
          {piece.text}
        </a>
      );
    case "user": {
      const known = piece.id === app.userId ? app.name : people.find(({ id }) => id === piece.id)?.realName;
      return <span className="mention">@{known ?? piece.name ?? piece.id}</span>;
    }
    case "channel": {
      const known = places.find(({ id }) => id === piece.id)?.name;
      return <span className="mention">#{known ?? piece.name ?? piece.id}</span>;
    }
    case "date":
      return <SlackDate {...piece} />;
  }
}

function SlackDate({ timestamp, format, fallback }: Extract<Piece, { type: "date" }>): ReactNode {
  const { timeZone } = useStage().you;
  const written = useOfNow((now) => formatSlackDate(timestamp, format, { timeZone, now }));
  if (written === "") return fallback;
  const title = `${fallback} · shown in ${timeZone}`;
  // Prevents screen readers from announcing each new "2 minutes ago".
  return (
    <time aria-live="off" dateTime={new Date(timestamp * 1000).toISOString()} title={title}>
      {written}
    </time>
  );
}

const SAID_MS = 2500;

/** Preformatted text, such as a token, with a copy button. */
function Code({ children }: { children: ReactNode }): ReactNode {
  const code = useRef<HTMLPreElement>(null);
  const [said, say] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => say(""), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => {
    if (!code.current) return;
    try {
      await navigator.clipboard.writeText(code.current.textContent ?? "");
      say("Copied");
    } catch {
      // The browser may deny access to the clipboard. A selection can still be copied by hand.
      getSelection()?.selectAllChildren(code.current);
      say("Selected");
    }
  };
  return (
    <div className="code">
      <pre ref={code}>{children}</pre>
      <button type="button" className="button copy" onClick={() => void copy()}>
        {said || "Copy"}
      </button>
      <span role="status" className="hidden">
        {said}
      </span>
    </div>
  );
}
