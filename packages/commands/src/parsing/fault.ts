import type { Grammar } from "../grammar.js";
import { type Item, rawOf } from "./items.js";

/** Why a command was not understood. */
export interface Fault {
  readonly ok: false;
  /** A sentence that says what is wrong, and what would be right. */
  readonly reason: string;
  /** The words it is about; none where something is missing. */
  readonly at?: { readonly start: number; readonly end: number } | undefined;
  /** The whole command with this one fault repaired. It may have others. */
  readonly repair: string;
}

/** The words of a command, behind the one that says which it is. */
export interface Draft {
  readonly head: string;
  readonly items: readonly Item[];
  /** What is offered where the mended command would lack a word: set for what makes or deletes, which may rely on it. */
  readonly help?: string | undefined;
}

/** A fault of some items. They are replaced by what is right, or left out. */
export function faultAt(draft: Draft, items: readonly Item[], reason: string, replacement?: string): Fault {
  const [first] = items;
  if (replacement === undefined && draft.help !== undefined)
    return { ok: false, reason, at: placeOf(items), repair: draft.help };
  const repaired = draft.items.flatMap((item) => {
    if (item === first) return replacement ?? [];
    return items.includes(item) ? [] : rawOf(item);
  });
  return { ok: false, reason, at: placeOf(items), repair: [draft.head, ...repaired].join(" ").trim() };
}

/** A fault that is mended by adding something right behind the command's name. */
export function faultOfMissing({ head, items }: Draft, reason: string, addition: string): Fault {
  return { ok: false, reason, repair: [head, addition, ...items.map(rawOf)].join(" ") };
}

/** A fault of which nobody can tell what was meant: help is offered in place of a command. */
export function faultWithHelp(grammar: Grammar, items: readonly Item[], reason: string, topic: string): Fault {
  return { ok: false, reason, at: placeOf(items), repair: grammar.helpOn(topic) };
}

/** From the first character of some items to behind the last. */
export function placeOf(items: readonly Item[]): { start: number; end: number } | undefined {
  const words = items.flatMap((item) => item.words);
  if (words.length === 0) return undefined;
  return { start: Math.min(...words.map(({ start }) => start)), end: Math.max(...words.map(({ end }) => end)) };
}
