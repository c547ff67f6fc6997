// A key of ours, also as it stands in an address; its id may be seen. Not tied to word boundaries: a secret is one
// wherever it stands.
const KEY = /(m[oi](?:_|%5F)[A-Za-z0-9]{1,64})(?:_|%5F)(?:[\w-]|%5F|%2D){16,}/gi;
// What a JWT may stand in.
const DOTTED_WORD = /[\w.-]+/g;

/** Takes secrets out of a text. Every text that leaves the service but for an answer's token goes through here. */
export function redact(text: string): string {
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
