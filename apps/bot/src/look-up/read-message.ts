import { logKinds } from "@media-ops/contract";
import type { TraceSubject } from "@media-ops/reports";
import type { UsedMessage } from "../features.js";
import { isObject, undoEscapes } from "../http/slack-request.js";
import { subjectOf } from "../trace/trace.js";

/** A part of a message's text. */
export interface Piece {
  readonly text: string;
  /** A code span, or a cell of a table, whose column says what it is. */
  readonly as?: "code" | TraceSubject | undefined;
}

// A message has far fewer characters and levels; more is not one that people read.
const MOST_CHARACTERS = 100_000;
const DEEPEST = 20;

/** The text of a message, in the order in which it is read. Its plain text is last: it repeats that of its blocks. */
export function piecesOf({ text, blocks, attachments }: Pick<UsedMessage, "text" | "blocks" | "attachments">): Piece[] {
  let room = MOST_CHARACTERS;
  const pieces = [...read(blocks, DEEPEST), ...read(attachments, DEEPEST), ...markup(text)];
  return pieces.flatMap((piece) => {
    const kept = piece.text.slice(0, Math.max(0, room));
    room -= piece.text.length;
    return kept === "" ? [] : [{ ...piece, text: kept }];
  });
}

/** The members of blocks and attachments that contain text or further parts, in the order in which they are shown. */
const MEMBERS = ["pretext", "title", "caption", "text", "value", "fields", "rows", "elements", "blocks", "footer"];

function read(part: unknown, depth: number): Piece[] {
  if (depth === 0) return [];
  if (typeof part === "string") return markup(part);
  if (Array.isArray(part)) return part.flatMap((one) => read(one, depth - 1));
  if (!isObject(part)) return [];
  const { type, text, style, rows } = part;
  // Buttons and menus are no content.
  if (type === "actions") return [];
  if (typeof text === "string" && type === "text") {
    return [{ text, ...(isObject(style) && style.code === true && { as: "code" }) }];
  }
  if (typeof text === "string" && (type === "plain_text" || type === "raw_text" || type === "link")) return [{ text }];
  if (Array.isArray(rows)) return cellsIn(rows, depth - 1);
  return MEMBERS.flatMap((member) => read(part[member], depth - 1));
}

/** Code spans, and the text between them. Code blocks are text: they contain more than one name. */
function markup(text: string): Piece[] {
  return text.split(/(```[\s\S]*?```|`[^`\n]+`)/).flatMap((part): Piece[] => {
    if (part === "") return [];
    const isCode = part.startsWith("`") && !part.startsWith("```");
    return [isCode ? { text: undoEscapes(part.slice(1, -1)), as: "code" } : { text: undoEscapes(part) }];
  });
}

/** What the columns of our tables contain, by their titles. */
const titles: ReadonlyMap<string, TraceSubject> = new Map(
  Object.values(logKinds).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([field, { title }]): [string, TraceSubject][] => {
      const subject = subjectOf(field);
      return subject === undefined ? [] : [[title, subject]];
    }),
  ),
);

/** The cells of a table, row by row. The first row has the titles. */
function cellsIn([head, ...rows]: readonly unknown[], depth: number): Piece[] {
  const textIn = (cell: unknown): string =>
    read(cell, depth)
      .map(({ text }) => text)
      .join("");
  const subjects = (Array.isArray(head) ? head : []).map((cell) => titles.get(textIn(cell)));
  return rows.flatMap((row) =>
    (Array.isArray(row) ? row : []).map((cell, at): Piece => ({ text: textIn(cell), as: subjects[at] })),
  );
}
