import { readFile } from "node:fs/promises";
import { type CommandNamed, language } from "./language.js";
import { profilesFile, readProfiles, shownAddress } from "./profiles.js";
import { flagTable, isFlagOf, type Session, takeFlags } from "./session.js";

/** `media completion`: prints the setup for a shell, which then calls `media __complete` for each completion. */
export async function completion({ shell }: CommandNamed<"completion">, { write }: Session): Promise<void> {
  write(await readFile(new URL(`../completion/media.${shell}`, import.meta.url), "utf8"));
}

/** Answers a shell: `-- <words>` with candidates, `--bash <word breaks> <line>` with the text to insert. */
export async function complete([how, ...rest]: readonly string[], session: Session): Promise<void> {
  try {
    if (how === "--bash") return session.write(await forBash(rest, session));
    session.write((await candidates(rest, session)).map(({ text, about }) => `${text}\t${about}\n`).join(""));
  } catch {
    // An error must not disturb typing; the command itself will report it.
  }
}

async function forBash([breaks = "", line = ""]: readonly string[], session: Session): Promise<string> {
  const { words, kept, quote } = readShellLine(line, breaks);
  const found = await candidates(words.slice(1), session);
  return found.map(({ text }) => `${writeShellWord(text.slice(kept.length), quote)}\n`).join("");
}

interface Candidate {
  text: string;
  about: string;
}

const PROFILE = "--profile=";

/** The candidates for the last word, which may be partly typed. */
async function candidates(words: readonly string[], session: Session): Promise<readonly Candidate[]> {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (before.at(-1) === "--profile") return profileCandidates(last, session);
  const { words: plain } = takeFlags(before);
  const mayBeFlag = !before.includes("--");
  if (last.startsWith(PROFILE) && mayBeFlag) {
    const found = await profileCandidates(last.slice(PROFILE.length), session);
    return found.map(({ text, about }) => ({ text: PROFILE + text, about }));
  }
  if (last.startsWith("--") && mayBeFlag) {
    // A command may begin with another's name: tokens revoke.
    const [first = "", second = ""] = plain;
    return flagTable
      .filter((flag) => flag.name.startsWith(last))
      .filter((flag) => !flag.commands || isFlagOf(flag, first) || isFlagOf(flag, second))
      .map(({ name, about }) => ({ text: name, about }));
  }
  if (plain.length === 1 && /^(?:use|login|logout)$/.test(plain[0] ?? "")) return profileCandidates(last, session);
  return language.complete([...plain, last]);
}

async function profileCandidates(begun: string, { world }: Session): Promise<Candidate[]> {
  const { profiles } = await readProfiles(profilesFile(world));
  return Object.entries(profiles)
    .filter(([name]) => name.startsWith(begun))
    .map(([name, { baseUrl }]) => ({ text: name, about: shownAddress(baseUrl) }));
}

/** An unfinished line of bash. */
export interface ShellLine {
  /** The words that a command would receive. The last one is being typed; it may be empty. */
  words: string[];
  /** The part of the last word that bash keeps. */
  kept: string;
  quote: "" | "'" | '"';
}

/** Parses a line up to the cursor as bash does. At each of `breaks`, bash starts another word to complete. */
export function readShellLine(line: string, breaks: string): ShellLine {
  const words: string[] = [];
  let word: string | undefined;
  let [kept, keptOutside] = ["", ""];
  let quote: ShellLine["quote"] = "";
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? "";
    if (character === "\\" && (quote === "" || (quote === '"' && /["$\\`]/.test(line[at + 1] ?? "")))) {
      word = (word ?? "") + (line[++at] ?? "");
    } else if (quote === "" && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      kept = "";
    } else if (character === quote) {
      // Bash replaces quoted text together with its quotes.
      quote = "";
      kept = keptOutside;
    } else if (quote === "" && (character === "'" || character === '"')) {
      quote = character;
      keptOutside = kept;
      kept = word ??= "";
    } else {
      word = (word ?? "") + character;
      if (quote === "" && breaks.includes(character)) kept = word;
    }
  }
  return { words: [...words, word ?? ""], kept, quote };
}

/** Escapes a word, or the rest of one, for the line. */
export function writeShellWord(text: string, quote: ShellLine["quote"]): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  return text.replace(quote === '"' ? /["$\\`]/g : /[\s"'`\\$&|;<>()*?[\]{}!#]/g, "\\$&");
}
