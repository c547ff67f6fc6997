/** A terminal's text without the printers' own colours. Other escape sequences stay. */
export const withoutColours = (text: string): string => text.replaceAll(/\p{Cc}\[(?:1|2|22|31|32|33|39)m/gu, "");

/** The same text with its colours as letters, for comparisons. */
export const colours = (text: string): string => text.replaceAll("\u001b[", "<").replaceAll(/(?<=<\d+)m/g, ">");

/** Characters with known terminal widths: from a fixed table, not measured. */
export const knownSigns: Readonly<Record<string, number>> = {
  "👩‍👩‍👧‍👦": 2,
  "🏳️‍🌈": 2,
  "👍🏽": 2,
  "1️⃣": 2,
  "🇩🇪": 2,
  "❤️": 2,
  "🙂": 2,
  会: 2,
  カ: 2,
  한: 2,
  Ａ: 2,
  "e\u0301": 1,
  é: 1,
  ж: 1,
  ที่: 1,
  م: 1,
};

/** Plain letters and the printers' own symbols. Each has a width of one column. */
const OWN = /[ -~·–…✓✗▲→×█▒▁▂▃▄▅▆▇␊␛�]/u;

const bySize = Object.keys(knownSigns).sort((a, b) => b.length - a.length);

/** The width of a line of known characters. Throws for any other. */
export function knownWidth(line: string): number {
  let width = 0;
  for (let at = 0; at < line.length; ) {
    const sign = bySize.find((one) => line.startsWith(one, at)) ?? line.charAt(at);
    if (!(sign in knownSigns) && !OWN.test(sign)) throw new Error(`"${sign}" in "${line}" is not known.`);
    width += knownSigns[sign] ?? 1;
    at += sign.length;
  }
  return width;
}
