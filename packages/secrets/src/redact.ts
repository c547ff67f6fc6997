// This module is bundled into the published packages: it imports nothing, and runs in browsers, too.

/** Replaces a secret. */
export const HIDDEN = "[redacted]";

/** The pattern of one kind of secret. */
export interface SecretPattern {
  /** The text before a secret, which stays visible; with the flag g. */
  readonly start: RegExp;
  /** One piece of the secret; with the flag y. */
  readonly piece: RegExp;
  /** Whether the pieces are a secret, not ordinary text. If not, the search continues after them. @default always */
  readonly isSecret?: (run: string) => boolean;
}

/** Replaces secrets piece by piece: in a text of megabytes, a single pattern overflows the stack. */
export function hideRuns(text: string, { start, piece, isSecret = () => true }: SecretPattern): string {
  let result = "";
  let copied = 0;
  start.lastIndex = 0;
  while (start.test(text)) {
    const from = start.lastIndex;
    const to = endOfRun(text, from, piece);
    start.lastIndex = to;
    if (to === from || !isSecret(text.slice(from, to))) continue;
    result += text.slice(copied, from) + HIDDEN;
    copied = to;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

function endOfRun(text: string, from: number, piece: RegExp): number {
  let end = from;
  piece.lastIndex = end;
  while (piece.test(text)) end = piece.lastIndex;
  return end;
}

const hasBothCases = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run);

// An API or intake key, also encoded in a URL; its id stays visible. No word boundary is required, because a key may
// follow other text directly, such as the letter of an escaped line end. A name such as demo_eu_production-cluster is
// shorter than a key, has no capitals, and consists of shorter words.
const KEY: SecretPattern = {
  start: /m[oi](?:_|%5F)[A-Za-z0-9]{1,64}(?:_|%5F)/gi,
  piece: /[\w-]+|%5F|%2D/iy,
  isSecret: (run) => run.length >= 40 || /[A-Za-z\d]{16}/.test(run) || (run.length >= 16 && hasBothCases(run)),
};

// A webhook secret: base64, in which slashes may be escaped and all characters encoded.
const WEBHOOK_SECRET: SecretPattern = {
  start: /whsec(?:_|%5F)/gi,
  piece: /[\w+/=-]+|%(?!22|5C)[\dA-F]{2}|\\{1,8}\//iy,
  isSecret: (run) => run.length >= 16,
};

// A text that may contain a JWT.
const DOTTED_WORD = /[\w.-]+/g;
// The shortest header, {"alg":"HS256"}, has 20 characters. Without a minimum, keyJson.a.b would match.
const SHORTEST_HEADER = 16;

/** Removes API keys, webhook secrets and access tokens from a text. It never throws: what can't be searched is hidden. */
export function redactKeys(text: string): string {
  try {
    const withoutKeys = hideRuns(hideRuns(text, KEY), WEBHOOK_SECRET);
    // Most texts have no token, and a search is cheaper than a replacement.
    return withoutKeys.includes("eyJ") ? withoutKeys.replace(DOTTED_WORD, redactToken) : withoutKeys;
  } catch {
    // Too little of the stack is left to compile or run a pattern.
    return HIDDEN;
  }
}

/** Not a single pattern for the whole token: a crafted text could take quadratic time. */
function redactToken(word: string): string {
  const parts = word.split(".");
  let start = 0;
  for (const [index, part] of parts.entries()) {
    const at = part.indexOf("eyJ");
    const isWhole = part.length - at >= SHORTEST_HEADER && index + 2 < parts.length;
    // Includes a token that was truncated within its claims.
    if (at !== -1 && (isWhole || parts[index + 1]?.startsWith("eyJ"))) {
      return `${word.slice(0, start + at)}[redacted token]`;
    }
    start += part.length + 1;
  }
  return word;
}

const hasDigit = (run: string): boolean => /\d/.test(run);
const hasCamelCase = (run: string): boolean => /[a-z][A-Z]/.test(run);

// Compiled when first needed, so that bundles that only redact keys leave them out.
let patterns: readonly SecretPattern[] | undefined;

function compilePatterns(): readonly SecretPattern[] {
  // A percent-encoded character, except those that end a JSON string.
  const ENCODED = String.raw`%(?!22|5C)[\dA-F]{2}`;
  // A slash: plain, escaped as in JSON (also JSON within a string), or encoded as in a form.
  const SLASH = String.raw`(?:\\|%5C){0,8}(?:/|%2F)`;
  const DASH = "(?:-|%2D)";
  const PATH_PIECE = new RegExp(String.raw`[\w.~+=-]+|${ENCODED}|${SLASH}`, "iy");
  // The value of a header, in HTTP, in JSON, or in JSON within a string.
  const LETTER = String.raw`[^\s"'\\,;<>[\]]`;
  const LETTERS = new RegExp(`${LETTER}+`, "y");
  // A secret that is already redacted keeps its visible start.
  const NOT_HIDDEN = String.raw`(?!(?:m[oi]_\w+_|whsec_|xox[a-z][-.]|xapp-)\[redacted)`;

  return [
    {
      // All kinds of Slack tokens. "xapp" alone may be the end of a word.
      start: new RegExp(
        String.raw`(?:xox[a-z]|xapp(?=${DASH}\d+${DASH})|(?<![a-z\d])xapp)(?:${DASH}|\.|%2E)(?=[\w%-])`,
        "gi",
      ),
      piece: new RegExp(String.raw`\.*(?:[\w-]+|${ENCODED})`, "iy"),
      isSecret: hasDigit,
    },
    {
      // A Slack webhook URL, which needs no token. Its first word names its purpose.
      start: new RegExp(String.raw`hooks\.slack(?:-gov)?\.com${SLASH}[\w-]+${SLASH}`, "gi"),
      piece: PATH_PIECE,
    },
    {
      // The same at another Slack host. A file name in a stack trace is not a secret.
      start: new RegExp(String.raw`(?:/|%2F)response${SLASH}(?!\w+\.[cm]?[jt]s\b)`, "gi"),
      piece: PATH_PIECE,
      isSecret: (run) => run.length >= 12 && (hasDigit(run) || hasCamelCase(run)),
    },
    {
      start: new RegExp(
        String.raw`authorization\\{0,8}["']?\s*[:=,]\s*\\{0,8}["']?(?:bearer|basic)\s+${NOT_HIDDEN}`,
        "gi",
      ),
      piece: LETTERS,
    },
    {
      // Without the header's name it may be an ordinary word: those are short, or have neither digits nor capitals.
      start: new RegExp(String.raw`bearer\s+${NOT_HIDDEN}`, "gi"),
      piece: LETTERS,
      isSecret: (run) =>
        (run.length >= 6 && hasDigit(run)) || (run.length >= 12 && hasCamelCase(run)) || run.length >= 24,
    },
  ];
}

// Text in which characters are encoded as in URLs, or escaped as in JSON: a path, or a member of a query. It ends before a
// quote, so that JSON stays JSON.
const ENCODED_TEXT: SecretPattern = {
  start: /(?=[\w.~:/@!$'()*+,;=%-]|(?<!\\)\\+u00[2-7][\dA-F])/gi,
  piece: /[\w.~:/@!$'()*+,;=%-]+|(?<!\\)\\+u00[2-7][\dA-F]/iy,
  isSecret: hidesSecret,
};

/** Whether a text holds a secret once it is decoded, which may take two steps. */
function hidesSecret(run: string): boolean {
  const decode = (text: string): string =>
    text.replace(/(?:%|(?<!\\)\\+u00)([\dA-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  const once = decode(run);
  if (once === run) return false;
  // A form has + for a space.
  const texts = [once, decode(once)].flatMap((text) => [text, text.replaceAll("+", " ")]);
  return texts.some((text) => redactPlain(text) !== text);
}

// The password in a URL. The limits, longer than any name or password, keep the search linear.
const PASSWORD = /(:\/\/[^\s:@/"'\\]{0,100}:)[^\s@/"'\\]{1,250}(?=@)/g;
// Most texts have no secret, and one search is ten times faster than six replacements.
const SUSPECT =
  /xox[a-z]|xapp|hooks\.slack|response|authorization|bearer|(:\/\/[^\s:@/"'\\]{0,100}:)[^\s@/"'\\]{1,250}(?=@)/i;

/**
 * Removes secrets from a text: API keys, access tokens, webhook secrets, Slack tokens, and passwords in URLs. It takes
 * linear time, and never throws: a text that can't be searched, as with an exhausted stack, is hidden completely.
 */
export function redact(text: string): string {
  try {
    const without = redactPlain(text);
    // Most texts have no escape, and a pattern for all of them takes longer than everything else.
    return without.includes("%") || without.includes("\\u00") ? hideRuns(without, ENCODED_TEXT) : without;
  } catch {
    return HIDDEN;
  }
}

function redactPlain(text: string): string {
  const withoutKeys = redactKeys(text);
  if (!SUSPECT.test(withoutKeys)) return withoutKeys;
  patterns ??= compilePatterns();
  return patterns.reduce(hideRuns, withoutKeys).replace(PASSWORD, "$1[redacted]");
}

// The value of a member with one of these names is always a secret.
const SECRET_NAME = /^(?:access_?token|token|secret|password)$/i;
// The same outside of JSON: a string, possibly within a string, or any other value up to its end.
const SECRET_MEMBERS: readonly SecretPattern[] = [
  { start: /"(?:access_?token|token|secret|password)"\s*:\s*"/gi, piece: /[^"\\]+|\\./sy },
  {
    start: /\\{1,8}"(?:access_?token|token|secret|password)\\{1,8}"\s*:\s*\\{1,8}"/gi,
    piece: /[^\\]+|(?!\\{1,8}")\\/y,
  },
  { start: /"(?:access_?token|token|secret|password)"\s*:\s*(?!")/gi, piece: /[^\s,}\]]+/y },
];

/** Removes secrets from a request or response body, including the values of members with the name of a secret. */
export function redactBody(text: string): string {
  try {
    return redact(withoutSecretMembers(text));
  } catch {
    return HIDDEN;
  }
}

function withoutSecretMembers(text: string): string {
  let isHidden = false;
  const hide = (name: string, value: unknown): unknown => {
    if (SECRET_NAME.test(name)) {
      isHidden = true;
      return HIDDEN;
    }
    // JSON within a string is JSON, too.
    if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
    const without = withoutSecretMembers(value);
    isHidden ||= without !== value;
    return without;
  };
  try {
    const without = JSON.stringify(JSON.parse(text), hide);
    // Unchanged if nothing was hidden: JSON.parse may change large numbers.
    return isHidden ? without : text;
  } catch {
    return SECRET_MEMBERS.reduce(hideRuns, text);
  }
}
