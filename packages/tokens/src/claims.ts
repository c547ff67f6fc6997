import type { TokenRequestFault } from "./errors.js";
import { channelIdFault, findFaults, isJsonObject, mustBe, type Rule, type Rules } from "./formats.js";

const roles = ["sendrecv", "sendonly", "recvonly"] as const;

/** Whether a connection sends and receives, only sends, or only receives. */
export type TokenRole = (typeof roles)[number];

/** The claims of a token. Times are seconds since 1970. Other claims may be present, too. */
export interface TokenClaims {
  /** When the token was issued. */
  iat?: number | undefined;
  /** When it becomes valid. */
  nbf?: number | undefined;
  /** When it expires. */
  exp?: number | undefined;
  /** The token's own id. */
  jti?: string | undefined;
  /** The only channel it is valid for. */
  channel_id?: string | undefined;
  /** The only role it is valid for. */
  role?: TokenRole | undefined;
  /** The number of connections in the channel from which on no further connection is allowed. */
  max_channel_connections?: number | undefined;
}

/** The rules that a request and the claims share. */
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

/** Whether a value is valid as the claims of a token. */
export function isClaims(value: unknown): value is TokenClaims {
  return claimFaults(value).length === 0;
}

/** The faults of claims. Unknown claims are allowed. */
export function claimFaults(value: unknown): TokenRequestFault[] {
  if (!isJsonObject(value)) return [{ pointer: "", detail: mustBe("a JSON object", value) }];
  return findFaults(value, claimRules, () => undefined);
}
