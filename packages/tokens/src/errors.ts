/** Why a token is refused. */
export type TokenInvalidCode = "malformed" | "unknown-key" | "bad-signature" | "not-yet-valid" | "expired" | "revoked";

/** All error codes of this package. */
export type TokenErrorCode = "bad-request" | "usage" | TokenInvalidCode;

/** A fault of a token request, as in problem+json. */
export interface TokenRequestFault {
  /** JSON pointer (RFC 6901) to the invalid member; empty for the whole request. */
  pointer: string;
  /** A sentence with the fault and the expected value. */
  detail: string;
}

/** The base of all errors of this package. None contains a key or a token. */
export abstract class TokenError extends Error {
  /** Identifies the error, for `switch`. */
  abstract readonly code: TokenErrorCode;
}

/** A token request is invalid; `faults` lists all faults. */
export class TokenRequestError extends TokenError {
  readonly code = "bad-request";
  readonly faults: readonly TokenRequestFault[];

  constructor(faults: readonly TokenRequestFault[]) {
    super(faultsMessage("the token request", faults));
    this.faults = faults;
  }
}

/** A token is refused; `code` has the reason. */
export class TokenInvalidError extends TokenError {
  readonly code: TokenInvalidCode;

  constructor(code: TokenInvalidCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The package is used incorrectly: an invalid key, claims that a token cannot have, or an invalid time. */
export class TokenUsageError extends TokenError {
  readonly code = "usage";
}

// On the prototypes, like JavaScript's own errors, so that stack traces start with the right name.
for (const [name, { prototype }] of Object.entries({ TokenRequestError, TokenInvalidError, TokenUsageError })) {
  prototype.name = name;
}

/** The message if a token was revoked. */
export const REVOKED = "The token was revoked. Make a new one.";

/** Describes faults in one line. */
export function faultsMessage(where: string, faults: readonly TokenRequestFault[]): string {
  const count = faults.length === 1 ? "There is 1 fault" : `There are ${faults.length} faults`;
  return [
    `${count} in ${where}.`,
    ...faults.map(({ pointer, detail }) => (pointer ? `${pointer}: ${detail}` : detail)),
  ].join(" ");
}

/** Refuses an invalid time: every comparison with NaN is false, so a token would never expire. */
export function checkNow(now: number): void {
  if (!Number.isFinite(now)) throw new TokenUsageError("now must be milliseconds since 1970, such as Date.now().");
}
