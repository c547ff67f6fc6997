import type { Pattern } from "./filter.js";

/** Whether a text is made of a pattern's parts, in their order, with anything between them. In linear time. */
export function likePattern(pattern: Pattern): (text: string) => boolean {
  const [first = "", ...rest] = pattern;
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  const ends = first.length + last.length;
  return (text) => {
    if (text.length < ends || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}
