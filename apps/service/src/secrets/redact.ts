// A key of ours (its id may be seen), and what looks like a JWT. Not tied to word boundaries: a secret is one wherever
// it stands.
const KEY = /(m[oi]_[A-Za-z0-9]{4,64})_[A-Za-z0-9_-]{16,}/g;
const JWT = /eyJ[\w-]{4,}\.[\w-]+\.[\w-]*/g;

/** Takes secrets out of a text. Every text that leaves the service but for an answer's token goes through here. */
export function redact(text: string): string {
  // Most texts hold none, and a look is cheaper than a replacement.
  if (!text.includes("_") && !text.includes("eyJ")) return text;
  return text.replace(KEY, "$1_[redacted]").replace(JWT, "[redacted token]");
}
