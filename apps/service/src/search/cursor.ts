import { createHash } from "node:crypto";
import { badInput } from "../refusal.js";
import type { Position } from "./segments.js";

// A sort key, or the end of a range of them.
const SORT_KEY = /^[\dT:. ~-]*$/;

/** Where a listing goes on: at a position of the log, or behind an entry in the order of writing. */
export type Cursor = { readonly position: Position } | { readonly written: number };

/** A short text that differs for different questions. */
export function fingerprintOf(question: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(question)))
    .digest("base64url")
    .slice(0, 12);
}

/** A JSON value with its members in alphabetical order, since clients may send them in any. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

/** A cursor as clients receive it. */
export function toText(cursor: Cursor, fingerprint: string): string {
  const place = "written" in cursor ? [cursor.written] : [cursor.position.at, cursor.position.seq];
  return Buffer.from(JSON.stringify([fingerprint, ...place])).toString("base64url");
}

/**
 * Reads the cursor of a question.
 *
 * @throws {Refusal} if it is no cursor, or that of another question.
 */
export function readCursor(text: string, fingerprint: string): Cursor {
  const [own, place, seq] = partsOf(text);
  const isPosition = typeof place === "string" && SORT_KEY.test(place) && isSeq(seq);
  const isWritten = isSeq(place) && seq === undefined;
  if (typeof own !== "string" || !(isPosition || isWritten)) {
    throw refusal(
      "Must be an x-next-cursor or x-follow-cursor of an earlier answer, unchanged. To begin anew, leave it out.",
    );
  }
  if (own !== fingerprint) {
    throw refusal(
      "Belongs to a listing with other members or of another log. Send it with the same since, until, where and order, or leave it out.",
    );
  }
  return isPosition ? { position: { at: place, seq } } : { written: Number(place) };
}

function partsOf(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Array.isArray(parts) && parts.length <= 3 ? parts : [];
  } catch {
    return [];
  }
}

const isSeq = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const refusal = (detail: string): Error => badInput([{ pointer: "/cursor", detail }]);
