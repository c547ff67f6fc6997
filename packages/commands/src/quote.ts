// Control characters, invisible ones that can turn or hide their neighbours, and lone surrogates. Joiners stay: emoji
// and many scripts need them.
const HARMFUL = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const DELETE = 0x7f;

/** The text with every character replaced that could break a line, move a cursor or turn the direction of writing. */
export function harmless(text: string): string {
  return text.replace(HARMFUL, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === DELETE ? "␡" : "�";
  });
}

/** Whether a text can be shown unchanged. */
export function isHarmless(text: string): boolean {
  return text.search(HARMFUL) < 0;
}

/** The text, cut to a length; the cut shows as `…`. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  // Not between the halves of a surrogate pair.
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Input as a message may repeat it. */
export function quote(text: string): string {
  return `"${harmless(shorten(text, 40))}"`;
}

/** The message about a wrong value. */
export function takes(subject: string, wanted: string, given: string): string {
  return `${subject} takes ${wanted}, not ${quote(given)}.`;
}

/** `a, b or c`. */
export function oneOfThese(words: readonly string[], link: "or" | "and" | "nor" = "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${link} ${words.at(-1)}`;
}

/** The text with a capital first letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A count with thousands separators: `1,000`. */
export function grouped(count: number): string {
  return String(count).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
}
