import { cutText } from "./cut.js";

// No shell does anything with these.
const HARMLESS = /^[\w@%+=:,./-]+$/;
// Where there is a blank, a shell's quotes do what ours do; elsewhere they would be gone, and with them what they say.
const QUOTED = /^"\p{L}[^"$`\\!]*\s[^"$`\\!]*"$/u;

/** The text of a command as it must be typed in a shell: `logs webhooks 'status>=400'`. */
export function forShell(text: string): string {
  const cut = cutText(text);
  if (!cut.ok) return inQuotes(text);
  return cut.words.map(({ raw }) => (HARMLESS.test(raw) || QUOTED.test(raw) ? raw : inQuotes(raw))).join(" ");
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
