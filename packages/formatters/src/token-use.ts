import { oneLine } from "./values/text.js";

/** What is said about the use of a token, beside what it allows. */
export interface TokenUseOptions {
  /** Whether to show how a client passes the token. @default true; false without the token */
  usage?: boolean | undefined;
  /** A link by which a person joins with this token; it must start with http:// or https://. @default none */
  joinUrl?: string | undefined;
  /**
   * Whether the service can revoke the token, or how: a command such as "/media revoke 5f0c8a52-…".
   * @default nothing is said about it
   */
  revocable?: boolean | string | undefined;
}

/** How a token is used and ended, in words. Its texts are not escaped. */
export interface TokenUse {
  /** "A client passes it in its metadata:", and what it passes. Absent if it is not to be shown. */
  usage: { words: string; code: string } | undefined;
  joinUrl: string | undefined;
  /** Who can use it, and until when. */
  warning: string;
  /** How it is revoked, and the command for it. Absent if the caller has not said whether it can be. */
  revocation: { words: string; command?: string } | undefined;
}

// A placeholder: the token itself is shown once.
const SNIPPET = '{ "access_token": "<token>" }';

/**
 * How a token is used.
 *
 * @throws {TypeError} if `joinUrl` has another scheme. The message has no part of the URL, which may hold the token.
 */
export function tokenUse(isEndless: boolean, { usage = true, joinUrl, revocable }: TokenUseOptions): TokenUse {
  if (joinUrl !== undefined && !/^https?:\/\//.test(joinUrl)) {
    throw new TypeError("Invalid joinUrl: must start with http:// or https://.");
  }
  const revoked = revocable === undefined || revocable === false ? "" : " or is revoked";
  return {
    usage: usage ? { words: "A client passes it in its metadata:", code: SNIPPET } : undefined,
    joinUrl,
    warning: isEndless
      ? `Anyone with this token can use it, and it never expires${revoked && ": it ends only if it is revoked"}.`
      : `Anyone with this token can use it until it expires${revoked}.`,
    revocation: revocationOf(revocable),
  };
}

function revocationOf(revocable: boolean | string | undefined): TokenUse["revocation"] {
  if (revocable === undefined || revocable === "") return undefined;
  if (typeof revocable === "string") return { words: "To revoke it:", command: oneLine(revocable) };
  return {
    words: revocable
      ? "It can be revoked by its token id."
      : "It can't be revoked alone, only together with the API key that it was made with.",
  };
}
