import { isObject, type Json, listIn, numberIn, stringIn } from "../json.js";

export interface Style {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly underline?: boolean;
}

/** An inline piece of text. */
export type Piece = { readonly style?: Style } & (
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "link"; readonly url: string; readonly text: string }
  | { readonly type: "user" | "usergroup" | "channel"; readonly id: string; readonly name?: string }
  | { readonly type: "broadcast"; readonly range: string }
  | {
      readonly type: "date";
      readonly timestamp: number;
      readonly format: string;
      readonly fallback: string;
      readonly url?: string;
    }
);

/** A paragraph-like part of a text. */
export type Part =
  | { readonly type: "section" | "quote" | "preformatted"; readonly pieces: readonly Piece[] }
  | {
      readonly type: "list";
      readonly isOrdered: boolean;
      readonly indent: number;
      readonly offset: number;
      readonly items: readonly (readonly Piece[])[];
    };

/** Reads a `rich_text` block; unknown parts are left out. */
export function readRichText(block: Json): Part[] {
  return listIn(block.elements).flatMap((element): Part[] => {
    switch (element.type) {
      case "rich_text_section":
        return [{ type: "section", pieces: readPieces(element) }];
      case "rich_text_quote":
        return [{ type: "quote", pieces: readPieces(element) }];
      case "rich_text_preformatted":
        return [{ type: "preformatted", pieces: readPieces(element) }];
      case "rich_text_list":
        return [
          {
            type: "list",
            isOrdered: element.style === "ordered",
            indent: numberIn(element.indent) ?? 0,
            offset: numberIn(element.offset) ?? 0,
            items: listIn(element.elements).map(readPieces),
          },
        ];
      default:
        return [];
    }
  });
}

/** The plain text of it. */
export function plainOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "list" ? part.items.map(plain).join(" ") : plain(part.pieces))).join(" ");
}

function plain(pieces: readonly Piece[]): string {
  const read = (piece: Piece): string => {
    if (piece.type === "text" || piece.type === "link") return piece.text;
    return piece.type === "date" ? piece.fallback : "";
  };
  return pieces.map(read).join("");
}

function readPieces(section: Json): Piece[] {
  return listIn(section.elements).flatMap((element) => {
    const piece = readPiece(element);
    const style = isObject(element.style) ? { style: readStyle(element.style) } : {};
    return piece ? [{ ...piece, ...style }] : [];
  });
}

function readPiece(element: Json): Piece | undefined {
  const read = (name: string): string => stringIn(element[name]);
  switch (element.type) {
    case "text":
      return { type: "text", text: read("text") };
    case "link":
      return { type: "link", url: read("url"), text: read("text") || read("url") };
    case "user":
      return { type: "user", id: read("user_id") };
    case "usergroup":
      return { type: "usergroup", id: read("usergroup_id") };
    case "channel":
      return { type: "channel", id: read("channel_id") };
    case "date":
      return {
        type: "date",
        timestamp: numberIn(element.timestamp) ?? 0,
        format: read("format"),
        fallback: read("fallback"),
        ...(read("url") && { url: read("url") }),
      };
    default:
      return undefined;
  }
}

function readStyle({ bold, italic, strike, code, underline }: Json): Style {
  return {
    bold: bold === true,
    italic: italic === true,
    strike: strike === true,
    code: code === true,
    underline: underline === true,
  };
}
