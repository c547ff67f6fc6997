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
}

/** A fault of some items. They are replaced by what is right, or left out. */
export function faultAt(draft: Draft, items: readonly Item[], reason: string, replacement?: string): Fault {
  const [first] = items;
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

/** From the first character of some items to behind the last. */
export function placeOf(items: readonly Item[]): { start: number; end: number } | undefined {
  const words = items.flatMap((item) => item.words);
  if (words.length === 0) return undefined;
  return { start: Math.min(...words.map(({ start }) => start)), end: Math.max(...words.map(({ end }) => end)) };
}
