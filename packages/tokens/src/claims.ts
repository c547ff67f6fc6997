import { channelIdFault } from "./channel-id.js";
import type { TokenRequestFault } from "./errors.js";
import { findFaults, isJsonObject, mustBe, type Rule, type Rules } from "./rules.js";

const roles = ["sendrecv", "sendonly", "recvonly"] as const;

/** What a connection does: it sends and receives, only sends, or only receives. */
export type TokenRole = (typeof roles)[number];

/** What a token says. Times are seconds since 1970. Claims that are not named here may be there too. */
export interface TokenClaims {
  /** When the token was made. */
  iat?: number | undefined;
  /** When it begins to be good. */
  nbf?: number | undefined;
  /** When it is no longer good. */
  exp?: number | undefined;
  /** The token's own id. */
  jti?: string | undefined;
  /** The only channel it is good for. */
  channel_id?: string | undefined;
  /** The only role it is good for. */
  role?: TokenRole | undefined;
  /** A connection cannot be made when the channel already has this many. */
  max_channel_connections?: number | undefined;
}

/** The rules of what a request and the claims have in common. */
export const grantRules = {
  channel_id: channelIdFault,
  role: (value) => (roles.some((role) => role === value) ? undefined : mustBe(`one of ${roles.join(", ")}`, value)),
  max_channel_connections: (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 5000
      ? undefined
      : mustBe("a whole number from 0 to 5000", value),
} satisfies Partial<Rules<TokenClaims>>;

const seconds: Rule = (value) => (Number.isFinite(value) ? undefined : mustBe("a number of seconds since 1970", value));

const claimRules: Rules<TokenClaims> = {
  iat: seconds,
  nbf: seconds,
  exp: seconds,
  jti: (value) => (typeof value === "string" ? undefined : mustBe("a string", value)),
  ...grantRules,
};

/** Whether these are claims that a token may bear. */
export function isClaims(value: unknown): value is TokenClaims {
  return claimFaults(value).length === 0;
}

/** What is wrong with claims. Those that are not known are right. */
export function claimFaults(value: unknown): TokenRequestFault[] {
  if (!isJsonObject(value)) return [{ pointer: "", detail: mustBe("a JSON object", value) }];
  return findFaults(value, claimRules, () => undefined);
}
