import { checkNow, TokenRequestError, type TokenRequestFault } from "./errors.js";
import {
  channelIdFault,
  type EpochSeconds,
  findFaults,
  isDateTime,
  isJsonObject,
  isUuid,
  mustBe,
  type Rule,
  type Rules,
  toEpochSeconds,
} from "./formats.js";

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
const grantRules = {
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

// The last second that RFC 3339 can write in UTC: 9999-12-31T23:59:59Z.
const LAST_SECOND = 253_402_300_799;

/** The permissions of a token. All members are optional; `{}` requests a token without limits. */
export interface TokenRequest {
  /** The only channel it is valid for: `<channel_name>@<project_id>`. */
  channel_id?: string | undefined;
  /** The only role it is valid for. */
  role?: TokenRole | undefined;
  /** From 0 to 5000: the number of connections in the channel from which on no further connection is allowed. */
  max_channel_connections?: number | undefined;
  /** RFC 3339 date-time from which it is valid; rounded up to the second. */
  not_before?: string | undefined;
  /** RFC 3339 date-time at which it ends; rounded down to the second. Without one the token never expires. */
  expiration_time?: string | undefined;
  /** The `jti` claim, a UUID. Without one, a new UUID is used. */
  jwt_id?: string | undefined;
}

/** Options of {@link toClaims}. */
export interface ToClaimsOptions {
  /** The current time in milliseconds since 1970: `Date.now()`. */
  now: number;
  /** Creates the `jti` claim if the request has none. @default crypto.randomUUID */
  newJwtId?: (() => string) | undefined;
}

/** The claims of a token that is about to be signed. */
export interface NewTokenClaims extends TokenClaims {
  iat: number;
  jti: string;
}

function time(rounding: keyof EpochSeconds): Rule {
  return (value) => {
    if (secondsOf(value, rounding) !== undefined) return undefined;
    return typeof value === "string" && isDateTime(value)
      ? `Must lie in the years 1970 to 9999 in UTC, rounded ${rounding} to the second.`
      : mustBe("an RFC 3339 date-time with Z or an offset, such as 2026-04-01T03:10:00Z", value);
  };
}

const requestRules: Rules<TokenRequest> = {
  ...grantRules,
  not_before: time("up"),
  expiration_time: time("down"),
  jwt_id: (value) =>
    typeof value === "string" && isUuid(value)
      ? undefined
      : mustBe("a UUID, such as 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11", value),
};

// A misspelt expiration_time would otherwise create a token that never expires.
const unknownMember: Rule = () => `Is not known. Known are: ${Object.keys(requestRules).join(", ")}.`;

/**
 * The claims for a request. Throws a {@link TokenRequestError} that lists all faults of the request.
 *
 * @example toClaims({ channel_id: "lobby@demo", role: "recvonly" }, { now: Date.now() })
 */
export function toClaims(
  request: TokenRequest,
  { now, newJwtId = () => crypto.randomUUID() }: ToClaimsOptions,
): NewTokenClaims {
  checkNow(now);
  if (!isJsonObject(request)) {
    const detail = mustBe('a JSON object, such as {"role":"recvonly"}', request);
    throw new TokenRequestError([{ pointer: "", detail }]);
  }
  // A copy: the caller may change the request after it was checked.
  const asked = { ...request };
  const faults = findFaults(asked, requestRules, unknownMember);
  const nbf = secondsOf(asked.not_before, "up");
  const exp = secondsOf(asked.expiration_time, "down");
  if (nbf !== undefined && exp !== undefined && exp <= nbf) {
    const detail = "Must be at least a second after not_before, which is rounded up to the second, and this down.";
    faults.push({ pointer: "/expiration_time", detail });
  }
  if (faults.length > 0) throw new TokenRequestError(faults);

  const { channel_id, role, max_channel_connections, jwt_id } = asked;
  return {
    iat: Math.floor(now / 1000),
    jti: jwt_id ?? newJwtId(),
    ...(nbf !== undefined && { nbf }),
    ...(exp !== undefined && { exp }),
    ...(channel_id !== undefined && { channel_id }),
    ...(role !== undefined && { role }),
    ...(max_channel_connections !== undefined && { max_channel_connections }),
  };
}

function secondsOf(value: unknown, rounding: keyof EpochSeconds): number | undefined {
  const seconds = typeof value === "string" ? toEpochSeconds(value)?.[rounding] : undefined;
  return seconds !== undefined && seconds >= 0 && seconds <= LAST_SECOND ? seconds : undefined;
}
