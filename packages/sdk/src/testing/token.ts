import type { CreateAccessTokenRequest, ProblemError } from "../generated/media.js";
import { parseTimestamp } from "../time.js";

/** The claims that a request asks for, or what is wrong with its times. The request is valid otherwise. */
export function toClaims(
  request: CreateAccessTokenRequest,
  now: number,
): { claims: Record<string, unknown> } | { fault: ProblemError } {
  const { not_before, expiration_time, jwt_id, ...same } = request;
  const nbf = not_before === undefined ? undefined : toSeconds(not_before, "up");
  const exp = expiration_time === undefined ? undefined : toSeconds(expiration_time, "down");
  if (nbf !== undefined && exp !== undefined && exp <= nbf) {
    return { fault: { pointer: "/expiration_time", detail: "Must be at least a second after not_before." } };
  }
  return { claims: { iat: Math.floor(now / 1000), jti: jwt_id ?? crypto.randomUUID(), nbf, exp, ...same } };
}

// A token is never good outside of what was asked: its beginning is rounded up, its end down.
function toSeconds(time: string, rounding: "up" | "down"): number {
  const parsed = parseTimestamp(time);
  if (!parsed) throw new RangeError(`"${time}" was not validated`);
  const whole = Math.floor(parsed.epochMilliseconds / 1000);
  return rounding === "up" && /[1-9]/.test(parsed.fraction) ? whole + 1 : whole;
}

/** An HS256 token, keyed with the API key's text as the service does it, so that any JWT library can check it. */
export async function signToken(claims: object, apiKey: string): Promise<string> {
  const header = { alg: "HS256", typ: "JWT", kid: apiKey.split("_")[1] };
  const signed = `${toBase64Url(JSON.stringify(header))}.${toBase64Url(JSON.stringify(claims))}`;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(apiKey), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(signed));
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}

function toBase64Url(data: string | Uint8Array): string {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
