/** Why a token was not taken. */
export type TokenInvalidCode = "malformed" | "unknown-key" | "bad-signature" | "not-yet-valid" | "expired";

/** Every `code` that an error of this package can have. */
export type TokenErrorCode = "bad-request" | "usage" | TokenInvalidCode;

/** One fault of a token request, as problem+json names it. */
export interface TokenRequestFault {
  /** JSON pointer (RFC 6901) to the faulty member; empty for the whole. */
  pointer: string;
  /** A sentence that says what is wrong there, and what would be right. */
  detail: string;
}

/** What all errors of this package have in common. None holds a key or a token. */
export abstract class TokenError extends Error {
  /** Says which error it is; made for `switch`. */
  abstract readonly code: TokenErrorCode;
}

/** A token request asks for what cannot be minted; `faults` says all that is wrong, and where. */
export class TokenRequestError extends TokenError {
  readonly code = "bad-request";
  readonly faults: readonly TokenRequestFault[];

  constructor(faults: readonly TokenRequestFault[]) {
    super(faultsMessage("the token request", faults));
    this.faults = faults;
  }
}

/** A token is not to be taken; `code` says why. */
export class TokenInvalidError extends TokenError {
  readonly code: TokenInvalidCode;

  constructor(code: TokenInvalidCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** This package was used in a way that cannot work: a bad key, claims that no token may bear, a clock that is none. */
export class TokenUsageError extends TokenError {
  readonly code = "usage";
}

// On the prototypes, as JavaScript's own errors have it, so that stack traces begin with the right name.
for (const [name, { prototype }] of Object.entries({ TokenRequestError, TokenInvalidError, TokenUsageError })) {
  prototype.name = name;
}

/** Tells faults in one line. */
export function faultsMessage(where: string, faults: readonly TokenRequestFault[]): string {
  const count = faults.length === 1 ? "There is 1 fault" : `There are ${faults.length} faults`;
  return [
    `${count} in ${where}.`,
    ...faults.map(({ pointer, detail }) => (pointer ? `${pointer}: ${detail}` : detail)),
  ].join(" ");
}

/** Refuses a time in milliseconds that is none: no comparison with NaN holds, and a token would never expire. */
export function checkNow(now: number): void {
  if (!Number.isFinite(now)) throw new TokenUsageError("now must be milliseconds since 1970, such as Date.now().");
}
