import type { Session } from "../session.js";
import { candidates } from "./candidates.js";
import { readShellLine, writeShellWord } from "./shell-line.js";

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
