// A key of ours, also as it stands in an address; its id may be seen. Not tied to word boundaries: a secret is one
// wherever it stands.
const KEY = /(m[oi](?:_|%5F)[A-Za-z0-9]{1,64})(?:_|%5F)(?:[\w-]|%5F|%2D){16,}/gi;
// What a JWT may stand in.
const DOTTED_WORD = /[\w.-]+/g;

// A key in the path of the intake, however it is written.
const INTAKE_PATH = /\/intake\/(?!(?:auth|session|event|m[oi]_\w+_\[redacted\])(?![\w%.~-]))[^/?#"\s]+/gi;
const HIDDEN = "[redacted]";
// What bears one of these names is a secret, though it looks like none.
const SECRET_NAME = /^(?:access_?token|token|secret|password)$/i;
// The same in what is no JSON: a text, also one that stands within another, or anything else up to where it may end.
const NAME = "(?:access_?token|token|secret|password)";
const SECRET_MEMBERS: readonly RegExp[] = [
  new RegExp(`("${NAME}"\\s*:\\s*)"(?:[^"\\\\]|\\\\[^])*"?`, "gi"),
  new RegExp(`(\\\\{1,8}"${NAME}\\\\{1,8}"\\s*:\\s*)\\\\{1,8}"(?:(?!\\\\{1,8}")[^])*`, "gi"),
  new RegExp(`("${NAME}"\\s*:\\s*)(?!")[^\\s,}\\]]+`, "gi"),
];

/** Takes secrets out of a text. Every text that leaves the service but for an answer's token goes through here. */
export function redact(text: string): string {
  return redactKeys(text).replace(INTAKE_PATH, "/intake/[redacted]");
}

/** Takes keys and tokens of ours out of an address of others, where `/intake/` may mean something else. */
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

/** Takes secrets out of a body that others have sent: also what stands under the name of one. */
export function redactBody(text: string): string {
  return redact(withoutSecretMembers(text));
}

function withoutSecretMembers(text: string): string {
  let isHidden = false;
  const hide = (name: string, value: unknown): unknown => {
    if (SECRET_NAME.test(name)) {
      isHidden = true;
      return HIDDEN;
    }
    // JSON within a text is JSON too.
    if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
    const without = withoutSecretMembers(value);
    isHidden ||= without !== value;
    return without;
  };
  try {
    const without = JSON.stringify(JSON.parse(text), hide);
    // As it came, where nothing had to be hidden: numbers may be larger than can be read.
    return isHidden ? without : text;
  } catch {
    return SECRET_MEMBERS.reduce((rest, member) => rest.replace(member, `$1"${HIDDEN}"`), text);
  }
}
