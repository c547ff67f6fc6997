const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The text in signs as a reader counts them: a letter with its marks is one, a family of emoji too. */
export function graphemesOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The text up to an index, and from an index on, each without the part of a sign that the index falls into. */
export function aroundMiddle(text: string, headEnd: number, tailStart: number): [head: string, tail: string] {
  const segments = segmenter.segment(text);
  const start = (at: number): number => segments.containing(at)?.index ?? text.length;
  const cut = segments.containing(tailStart);
  const next = cut && cut.index < tailStart ? cut.index + cut.segment.length : tailStart;
  return [text.slice(0, start(headEnd)), text.slice(next)];
}
