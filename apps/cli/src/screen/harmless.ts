import { clean } from "@media-ops/formatters/terminal";

// What JSON leaves as it is, and a terminal may obey: later control characters and turns of the direction of writing.
// Joiners stay: emoji and many scripts are written with them.
const UNRULY = /(?![\u200c\u200d])[\u007f-\u009f\p{Cf}\u2028\u2029]/gu;

/** JSON, or lines of it, that means the same and holds nothing that a terminal would obey. */
export function harmlessJson(json: string): string {
  return json.replace(UNRULY, (sign) => {
    return Array.from({ length: sign.length }, (_, at) => hex(sign.charCodeAt(at))).join("");
  });
}

const hex = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`;

/** CSV for a screen: each of its signs is shown, and none is obeyed. */
export function harmlessCsv(csv: string): string {
  return csv.split("\r\n").map(clean).join("\r\n");
}
