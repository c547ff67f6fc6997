// A key of ours, also as it stands in an address; its id may be seen. Not tied to word boundaries: a secret is one
// wherever it stands.
const KEY = /(m[oi](?:_|%5F)[A-Za-z0-9]{1,64})(?:_|%5F)(?:[\w-]|%5F|%2D){16,}/gi;
// What a JWT may stand in.
const DOTTED_WORD = /[\w.-]+/g;

// A letter that an address writes as a number; not what ends a text in JSON that is sent within an address.
const ENCODED = String.raw`%(?!22|5C)[\dA-F]{2}`;
// A slash, also as Slack writes it in JSON, as it is in JSON within a text, and as a form sends it.
const SLASH = String.raw`(?:\\|%5C){0,8}(?:/|%2F)`;
const PATH = String.raw`(?:[\w.~+=-]+|${ENCODED}|${SLASH})+`;

// Every kind of token that Slack gives. "xapp" alone may be the end of a word.
const DASH = "(?:-|%2D)";
const TOKEN_WORD = String.raw`(?:[\w-]+|${ENCODED})+`;
const SLACK_TOKEN = new RegExp(
  String.raw`((?:xox[a-z]|xapp(?=${DASH}\d+${DASH})|(?<![a-z\d])xapp)(?:${DASH}|\.|%2E))${TOKEN_WORD}(?:\.+${TOKEN_WORD})*`,
  "gi",
);
// Whoever has such an address may write where it leads to, without a token. Its first word says what it is for.
const SLACK_ADDRESS = new RegExp(String.raw`(hooks\.slack(?:-gov)?\.com${SLASH}[\w-]+${SLASH})${PATH}`, "gi");
// The same at a Slack elsewhere. A file of a program is none, as it stands in a stack.
const RESPONSE_ADDRESS = new RegExp(String.raw`((?:/|%2F)response${SLASH})(?!\w+\.[cm]?[jt]s\b)${PATH}`, "gi");

// What a header says, however it is written down: as HTTP, as JSON, or as JSON within a text.
const LETTER = String.raw`[^\s"'\\,;<>[\]]`;
// What was hidden already still tells which one it was.
const NOT_HIDDEN = String.raw`(?!(?:m[oi]_\w+_|xox[a-z][-.]|xapp-)\[redacted)`;
const AUTHORIZATION = new RegExp(
  String.raw`(authorization\\{0,8}["']?\s*[:=,]\s*\\{0,8}["']?(?:bearer|basic)\s+)${NOT_HIDDEN}${LETTER}+`,
  "gi",
);
// Without the header's name it may be a word of a sentence: those are shorter, and have no digit.
const BEARER = new RegExp(String.raw`(bearer\s+)${NOT_HIDDEN}(?=${LETTER}{0,15}\d|${LETTER}{16})${LETTER}+`, "gi");

// Where a database is, may be seen. The bounds are for texts made to take long; no name and no password is longer.
const DATABASE_PASSWORD = /(postgres(?:ql)?:\/\/[^\s:@/"'\\]{0,100}:)[^\s@/"'\\]{1,250}(?=@)/gi;

const REPLACED = [SLACK_TOKEN, SLACK_ADDRESS, RESPONSE_ADDRESS, AUTHORIZATION, BEARER, DATABASE_PASSWORD];
// What each of them holds, for a look: most texts hold no secret, and six replacements take ten times as long.
const SUSPECT = /xox[a-z]|xapp|hooks\.slack|response|authorization|bearer|postgres/i;

/** Takes secrets out of a text: keys and tokens of ours, and what opens Slack or a database. It takes no longer than its length. */
export function redact(text: string): string {
  const withoutKeys = redactKeys(text);
  if (!SUSPECT.test(withoutKeys)) return withoutKeys;
  return REPLACED.reduce((rest, secret) => rest.replace(secret, "$1[redacted]"), withoutKeys);
}

/** Takes keys and tokens of ours out of an address of others, all else of which is to be seen. */
export function redactKeys(text: string): string {
  const withoutKeys = text.replace(KEY, "$1_[redacted]");
  // Most texts hold no token, and a look is cheaper than a replacement.
  return withoutKeys.includes("eyJ") ? withoutKeys.replace(DOTTED_WORD, redactToken) : withoutKeys;
}

/** A pattern for the token itself would take a time that grows with the square of a text made for it. */
function redactToken(word: string): string {
  const start = word.indexOf("eyJ");
  const parts = start === -1 ? 0 : word.slice(start).split(".").length;
  return parts < 3 ? word : `${word.slice(0, start)}[redacted token]`;
}
