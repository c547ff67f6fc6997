import { isObject, type Json, listIn, numberIn, stringIn } from "../json.js";

export interface Style {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
}

/** An inline piece of text. */
export type Piece = { readonly style?: Style } & (
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "link"; readonly url: string; readonly text: string }
  | { readonly type: "user" | "channel"; readonly id: string; readonly name?: string }
  | { readonly type: "date"; readonly timestamp: number; readonly format: string; readonly fallback: string }
);

/** A paragraph-like part of a text. */
export type Part =
  | { readonly type: "section" | "quote" | "preformatted"; readonly pieces: readonly Piece[] }
  | { readonly type: "list"; readonly items: readonly (readonly Piece[])[] };

/** Parses a `rich_text` block, and skips unknown parts. */
export function readRichText(block: Json): Part[] {
  return listIn(block.elements).flatMap((element): Part[] => {
    switch (element.type) {
      case "rich_text_section":
        return [{ type: "section", pieces: readPieces(element) }];
      case "rich_text_preformatted":
        return [{ type: "preformatted", pieces: readPieces(element) }];
      case "rich_text_list":
        return [{ type: "list", items: listIn(element.elements).map(readPieces) }];
      default:
        return [];
    }
  });
}

/** Returns all pieces of a text, in order. */
export function piecesOf(parts: readonly Part[]): Piece[] {
  return parts.flatMap((part) => (part.type === "list" ? part.items.flat() : part.pieces));
}

function readPieces(section: Json): Piece[] {
  return listIn(section.elements).flatMap((element): Piece[] => {
    if (element.type === "text") {
      const { bold, code } = isObject(element.style) ? element.style : {};
      return [{ type: "text", text: stringIn(element.text), style: { bold: bold === true, code: code === true } }];
    }
    if (element.type === "link") {
      const url = stringIn(element.url);
      return [{ type: "link", url, text: stringIn(element.text) || url }];
    }
    if (element.type !== "date") return [];
    const { timestamp, format, fallback } = element;
    return [
      { type: "date", timestamp: numberIn(timestamp) ?? 0, format: stringIn(format), fallback: stringIn(fallback) },
    ];
  });
}
