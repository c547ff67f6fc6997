const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Some engines take time by the square of a text's length, so that a long one goes to them in pieces. */
const PIECE = 1000;

/** The text in signs as a reader counts them: a letter with its marks is one, a family of emoji too. */
export function graphemesOf(text: string): string[] {
  const signs: string[] = [];
  for (let at = 0, length = PIECE; at < text.length; ) {
    const end = at + length + (isWithinPair(text, at + length) ? 1 : 0);
    const found = Array.from(segmenter.segment(text.slice(at, end)), ({ segment }) => segment);
    // The last sign may go on in the next piece; a sign that fills a whole one certainly may.
    if (end < text.length) found.pop();
    length = found.length === 0 ? length * 2 : PIECE;
    for (const sign of found) {
      signs.push(sign);
      at += sign.length;
    }
  }
  return signs;
}

const isWithinPair = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

/** The text up to an index, and from an index on, each without the part of a sign that the index falls into. */
export function aroundMiddle(text: string, headEnd: number, tailStart: number): [head: string, tail: string] {
  const segments = segmenter.segment(text);
  const start = (at: number): number => segments.containing(at)?.index ?? text.length;
  const cut = segments.containing(tailStart);
  const next = cut && cut.index < tailStart ? cut.index + cut.segment.length : tailStart;
  return [text.slice(0, start(headEnd)), text.slice(next)];
}
