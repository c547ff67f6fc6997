/** A line of bash that is still being typed. */
export interface ShellLine {
  /** Its words as a command would get them. The last is the one being typed; it may be empty. */
  words: string[];
  /** What stands in the last word before the place from which on bash replaces it. */
  kept: string;
  /** The quote that is still open. */
  quote: "" | "'" | '"';
}

/** Reads a line as bash would, up to the cursor. At each of `breaks`, bash begins another word to complete. */
export function readShellLine(line: string, breaks: string): ShellLine {
  const words: string[] = [];
  let word: string | undefined;
  let [kept, keptOutside] = ["", ""];
  let quote: ShellLine["quote"] = "";
  for (let at = 0; at < line.length; at++) {
    const sign = line[at] ?? "";
    if (sign === "\\" && (quote === "" || (quote === '"' && /["$\\`]/.test(line[at + 1] ?? "")))) {
      word = (word ?? "") + (line[++at] ?? "");
    } else if (quote === "" && /\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      kept = "";
    } else if (sign === quote) {
      // What stood in quotes is replaced with them.
      quote = "";
      kept = keptOutside;
    } else if (quote === "" && (sign === "'" || sign === '"')) {
      quote = sign;
      keptOutside = kept;
      kept = word ??= "";
    } else {
      word = (word ?? "") + sign;
      if (quote === "" && breaks.includes(sign)) kept = word;
    }
  }
  return { words: [...words, word ?? ""], kept, quote };
}

/** A word, or the rest of one, as it must stand in the line. */
export function writeShellWord(text: string, quote: ShellLine["quote"]): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  return text.replace(quote === '"' ? /["$\\`]/g : /[\s"'`\\$&|;<>()*?[\]{}!#]/g, "\\$&");
}
