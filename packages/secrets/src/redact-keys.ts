import { hideRuns, type SecretPattern } from "./hide-runs.js";

const hasBothCases = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run);

// A key of ours, also as it stands in an address; its id stays visible. Not tied to word boundaries, because a key may
// stand right behind other text, such as the letter of an escaped line end. A name such as demo_eu_production-cluster is
// shorter than a key, has no capitals, and is made of shorter words.
const KEY: SecretPattern = {
  start: /m[oi](?:_|%5F)[A-Za-z0-9]{1,64}(?:_|%5F)/gi,
  piece: /[\w-]+|%5F|%2D/iy,
  isSecret: (run) => run.length >= 40 || /[A-Za-z\d]{16}/.test(run) || (run.length >= 16 && hasBothCases(run)),
};

// A secret that signs webhooks: base64, in which slashes may be escaped and all signs encoded.
const WEBHOOK_SECRET: SecretPattern = {
  start: /whsec(?:_|%5F)/gi,
  piece: /[\w+/=-]+|%(?!22|5C)[\dA-F]{2}|\\{1,8}\//iy,
  isSecret: (run) => run.length >= 16,
};

// What a JWT may stand in.
const DOTTED_WORD = /[\w.-]+/g;
// The shortest header, {"alg":"HS256"}, has 20 characters. Without a bound, keyJson.a.b would be one.
const SHORTEST_HEADER = 16;

/** Takes keys, webhook secrets and tokens of ours out of an address of others, all else of which stays visible. */
export function redactKeys(text: string): string {
  const withoutKeys = hideRuns(hideRuns(text, KEY), WEBHOOK_SECRET);
  // Most texts hold no token, and a look is cheaper than a replacement.
  return withoutKeys.includes("eyJ") ? withoutKeys.replace(DOTTED_WORD, redactToken) : withoutKeys;
}

/** A pattern for the token itself would take a time that grows with the square of a text made for it. */
function redactToken(word: string): string {
  const parts = word.split(".");
  let start = 0;
  for (const [index, part] of parts.entries()) {
    const at = part.indexOf("eyJ");
    const isWhole = part.length - at >= SHORTEST_HEADER && index + 2 < parts.length;
    // Also one that was cut off within its claims.
    if (at !== -1 && (isWhole || parts[index + 1]?.startsWith("eyJ"))) {
      return `${word.slice(0, start + at)}[redacted token]`;
    }
    start += part.length + 1;
  }
  return word;
}
