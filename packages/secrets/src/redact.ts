// This module is bundled into the published packages: it depends on nothing, and runs in browsers too.
import { hideRuns, type SecretPattern } from "./hide-runs.js";
import { redactKeys } from "./redact-keys.js";

export { redactKeys };

// A letter that an address writes as a number; not what ends a text in JSON that is sent within an address.
const ENCODED = String.raw`%(?!22|5C)[\dA-F]{2}`;
// A slash, also as Slack writes it in JSON, as it is in JSON within a text, and as a form sends it.
const SLASH = String.raw`(?:\\|%5C){0,8}(?:/|%2F)`;
const DASH = "(?:-|%2D)";
const PATH_PIECE = new RegExp(String.raw`[\w.~+=-]+|${ENCODED}|${SLASH}`, "iy");
// What a header says, however it is written down: as HTTP, as JSON, or as JSON within a text.
const LETTER = String.raw`[^\s"'\\,;<>[\]]`;
const LETTERS = new RegExp(`${LETTER}+`, "y");
// What was hidden already still tells which one it was.
const NOT_HIDDEN = String.raw`(?!(?:m[oi]_\w+_|whsec_|xox[a-z][-.]|xapp-)\[redacted)`;

const hasDigit = (run: string): boolean => /\d/.test(run);
const hasBothCases = (run: string): boolean => /[a-z][A-Z]/.test(run);

const PATTERNS: readonly SecretPattern[] = [
  {
    // Every kind of token that Slack gives. "xapp" alone may be the end of a word.
    start: new RegExp(
      String.raw`(?:xox[a-z]|xapp(?=${DASH}\d+${DASH})|(?<![a-z\d])xapp)(?:${DASH}|\.|%2E)(?=[\w%-])`,
      "gi",
    ),
    piece: new RegExp(String.raw`\.*(?:[\w-]+|${ENCODED})`, "iy"),
    isSecret: hasDigit,
  },
  {
    // Whoever has such an address may write where it leads to, without a token. Its first word says what it is for.
    start: new RegExp(String.raw`hooks\.slack(?:-gov)?\.com${SLASH}[\w-]+${SLASH}`, "gi"),
    piece: PATH_PIECE,
  },
  {
    // The same at a Slack elsewhere. A file of a program is none, as it stands in a stack.
    start: new RegExp(String.raw`(?:/|%2F)response${SLASH}(?!\w+\.[cm]?[jt]s\b)`, "gi"),
    piece: PATH_PIECE,
    isSecret: (run) => run.length >= 12 && (hasDigit(run) || hasBothCases(run)),
  },
  {
    start: new RegExp(
      String.raw`authorization\\{0,8}["']?\s*[:=,]\s*\\{0,8}["']?(?:bearer|basic)\s+${NOT_HIDDEN}`,
      "gi",
    ),
    piece: LETTERS,
  },
  {
    // Without the header's name it may be a word of a sentence: those are short, or have neither digits nor capitals.
    start: new RegExp(String.raw`bearer\s+${NOT_HIDDEN}`, "gi"),
    piece: LETTERS,
    isSecret: (run) =>
      (run.length >= 6 && hasDigit(run)) || (run.length >= 12 && hasBothCases(run)) || run.length >= 24,
  },
];

// The password of a database or of any other address. The bounds are for texts made to take long; no name and no password
// is longer.
const PASSWORD = /(:\/\/[^\s:@/"'\\]{0,100}:)[^\s@/"'\\]{1,250}(?=@)/g;
// What each of them holds, for a look: most texts hold no secret, and six replacements take ten times as long.
const SUSPECT = new RegExp(`xox[a-z]|xapp|hooks\\.slack|response|authorization|bearer|${PASSWORD.source}`, "i");

/**
 * Takes secrets out of a text: keys, tokens and webhook secrets of ours, and what opens Slack, a database or another
 * address. It never throws, and takes a time that grows with the text's length alone.
 */
export function redact(text: string): string {
  const withoutKeys = redactKeys(text);
  if (!SUSPECT.test(withoutKeys)) return withoutKeys;
  return PATTERNS.reduce(hideRuns, withoutKeys).replace(PASSWORD, "$1[redacted]");
}
