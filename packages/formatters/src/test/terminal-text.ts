/** A terminal's text without the colours that the printers use. Whatever else of the kind is in it stays. */
export const withoutColours = (text: string): string => text.replaceAll(/\p{Cc}\[(?:1|2|22|31|32|33|39)m/gu, "");

/** The same text with its colours in letters, for comparing. */
export const colours = (text: string): string => text.replaceAll("\u001b[", "<").replaceAll(/(?<=<\d+)m/g, ">");

/** Signs of which it is known how wide terminals draw them: written down here, and not measured. */
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

/** Besides plain letters, the signs of the printers themselves. Each takes one column. */
const OWN = /[ -~·–…✓✗▲→×█▒▁▂▃▄▅▆▇␊␛�]/u;

const bySize = Object.keys(knownSigns).sort((a, b) => b.length - a.length);

/** How wide a line of known signs is. Throws at any other. */
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
