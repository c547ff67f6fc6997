import { readFile } from "node:fs/promises";
import { flagTable, takeFlags } from "./flags.js";
import { type CommandNamed, language } from "./language.js";
import { profilesFile, readProfiles, shownAddress } from "./profiles.js";
import type { Session } from "./session.js";

/** `media completion`: what a shell needs to know. It asks `media __complete` at each press of the key. */
export async function completion({ shell }: CommandNamed<"completion">, { write }: Session): Promise<void> {
  write(await readFile(new URL(`../completion/media.${shell}`, import.meta.url), "utf8"));
}

/**
 * What a shell asks for at a press of the key: `-- <words>`, which is answered with a candidate and what it means on each
 * line, or `--bash <signs that break words> <line>`, which is answered with what bash is to put in.
 */
export async function complete([how, ...rest]: readonly string[], session: Session): Promise<void> {
  try {
    session.write(how === "--bash" ? await forBash(rest, session) : await forOthers(rest, session));
  } catch {
    // Whoever is in the midst of typing is not to be disturbed: the command itself says what is wrong.
  }
}

async function forOthers(words: readonly string[], session: Session): Promise<string> {
  return (await candidates(words, session)).map(({ text, about }) => `${text}\t${about}\n`).join("");
}

async function forBash([breaks = "", line = ""]: readonly string[], session: Session): Promise<string> {
  const { words, kept, quote } = readShellLine(line, breaks);
  const found = await candidates(words.slice(1), session);
  return found.map(({ text }) => `${writeShellWord(text.slice(kept.length), quote)}\n`).join("");
}

/** A word that could stand where one is being typed. */
export interface Candidate {
  text: string;
  about: string;
}

const PROFILE = "--profile=";

/** What could stand in the place of the last word; it is what was typed of it so far. */
export async function candidates(words: readonly string[], session: Session): Promise<readonly Candidate[]> {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (before.at(-1) === "--profile") return profiles(last, session);
  const { words: plain } = takeFlags(before);
  const areFlagsOver = before.includes("--");
  if (last.startsWith(PROFILE) && !areFlagsOver) {
    const found = await profiles(last.slice(PROFILE.length), session);
    return found.map(({ text, about }) => ({ text: PROFILE + text, about }));
  }
  if (last.startsWith("--") && !areFlagsOver) {
    return flagTable.filter(({ name }) => name.startsWith(last)).map(({ name, about }) => ({ text: name, about }));
  }
  if (plain.length === 1 && /^(?:use|login|logout)$/.test(plain[0] ?? "")) return profiles(last, session);
  return language.complete([...plain, last]);
}

async function profiles(begun: string, { world }: Session): Promise<Candidate[]> {
  const stored = await readProfiles(profilesFile(world));
  return Object.entries(stored.profiles)
    .filter(([name]) => name.startsWith(begun))
    .map(([name, { baseUrl }]) => ({ text: name, about: shownAddress(baseUrl) }));
}

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
