import type { World } from "./session.js";

// The service stores 255 visible ASCII characters.
const LONGEST = 255;

/** The name by which the service stores what this user requests: `cli:ann@laptop`. */
export function requesterOf({ account = "unknown" }: Pick<World, "account">): string {
  const plain = account.normalize("NFKD").replace(/\p{M}/gu, "");
  return `cli:${plain.replace(/[^!-~]/gu, "?")}`.slice(0, LONGEST);
}
