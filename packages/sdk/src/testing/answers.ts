import type { CreateAccessTokenRequest, ProblemError } from "@media-ops/contract";
import type { LogEntryOf, LogKind } from "../operations.js";
import { parseTimestamp } from "../time.js";

const CHANNEL = "lobby";
const SESSION = "7N3DS2KQ4H1WZ9M5XG8TCVB6RY";
const CONNECTION = "0J9V6TQ2M4EXK7C3R8ZB5HW1NA";
const TEN_MINUTES_MS = 600_000;

const lastedTenMinutes = (end: number) => ({
  created_timestamp: new Date(end - TEN_MINUTES_MS).toISOString(),
  destroyed_timestamp: new Date(end).toISOString(),
  duration_min: 10,
});

/** A typical entry of each kind at a given time; tests override single fields. */
export const defaults: { readonly [K in LogKind]: (at: number, projectId: string) => LogEntryOf<K> } = {
  sessions: (at, projectId) => ({
    timestamp: new Date(at).toISOString(),
    channel_id: `${CHANNEL}@${projectId}`,
    session_id: SESSION,
    total_connections: 2,
    max_connections: 2,
    ...lastedTenMinutes(at),
  }),
  connections: (at, projectId) => ({
    timestamp: new Date(at).toISOString(),
    channel_id: `${CHANNEL}@${projectId}`,
    session_id: SESSION,
    client_id: CONNECTION,
    bundle_id: CONNECTION,
    connection_id: CONNECTION,
    total_received_bytes: 48_211_904,
    total_sent_bytes: 1_930_444,
    ...lastedTenMinutes(at),
  }),
  api: (at) => ({
    timestamp: new Date(at).toISOString(),
    url: "http://media.test/projects/create-access-token",
    status: 200,
    elapsed_time_ms: 3,
  }),
  "media-api": (at, projectId) => ({
    timestamp: new Date(at).toISOString(),
    media_target: "Media_20151104.DisconnectChannel",
    channel_id: `${CHANNEL}@${projectId}`,
    status: 200,
    elapsed_time_ms: 21,
  }),
  webhooks: (at) => ({
    timestamp: new Date(at).toISOString(),
    type: "connection.created",
    url: "https://hooks.example/media",
    status: 200,
    elapsed_time_ms: 87,
  }),
  events: (at, projectId) => ({
    timestamp: new Date(at).toISOString(),
    type: "connection.created",
    channel_id: `${CHANNEL}@${projectId}`,
    session_id: SESSION,
    connection_id: CONNECTION,
    role: "sendrecv",
    node_name: "node-1",
    outcome: "ok",
  }),
};

/** The claims of a token of the fake. */
export interface FakeClaims extends Pick<CreateAccessTokenRequest, "channel_id" | "role" | "max_channel_connections"> {
  iat: number;
  jti: string;
  nbf?: number | undefined;
  exp?: number | undefined;
}

/** The claims for a request, or the fault of its times. The request is valid otherwise. */
export function toClaims(
  request: CreateAccessTokenRequest,
  now: number,
): { claims: FakeClaims } | { fault: ProblemError } {
  const { not_before, expiration_time, jwt_id, ...same } = request;
  const nbf = not_before === undefined ? undefined : toSeconds(not_before, "up");
  const exp = expiration_time === undefined ? undefined : toSeconds(expiration_time, "down");
  if (nbf !== undefined && exp !== undefined && exp <= nbf) {
    return { fault: { pointer: "/expiration_time", detail: "Must be at least a second after not_before." } };
  }
  const times = { ...(nbf !== undefined && { nbf }), ...(exp !== undefined && { exp }) };
  return { claims: { iat: Math.floor(now / 1000), jti: jwt_id ?? crypto.randomUUID(), ...times, ...same } };
}

// A token must not be valid outside the requested period: its start is rounded up, its end down.
function toSeconds(time: string, rounding: "up" | "down"): number {
  const parsed = parseTimestamp(time);
  if (!parsed) throw new RangeError(`"${time}" was not validated`);
  const whole = Math.floor(parsed.epochMilliseconds / 1000);
  return rounding === "up" && /[1-9]/.test(parsed.fraction) ? whole + 1 : whole;
}

/** The id of an API key. */
export const keyIdOf = (apiKey: string): string => apiKey.split("_")[1] ?? "";

/** An HS256 token, keyed with the API key's text like the service's, so that any JWT library can verify it. */
export async function signToken(claims: object, apiKey: string): Promise<string> {
  const header = { alg: "HS256", typ: "JWT", kid: keyIdOf(apiKey) };
  return sign(`${toBase64Url(JSON.stringify(header))}.${toBase64Url(JSON.stringify(claims))}`, apiKey);
}

async function sign(text: string, apiKey: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(apiKey), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return `${text}.${toBase64Url(new Uint8Array(signature))}`;
}

/** The claims of a token that was signed with the API key; otherwise why there are none. */
export async function readToken(
  token: string,
  apiKey: string,
): Promise<{ claims: FakeClaims } | { reason: "malformed" | "bad-signature" }> {
  const [header = "", payload = "", ...rest] = token.split(".");
  try {
    const claims: FakeClaims = JSON.parse(fromBase64Url(payload));
    if (rest.length !== 1 || typeof claims !== "object" || claims === null) return { reason: "malformed" };
    return (await sign(`${header}.${payload}`, apiKey)) === token ? { claims } : { reason: "bad-signature" };
  } catch {
    return { reason: "malformed" };
  }
}

function fromBase64Url(text: string): string {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}

/** Encodes without padding, for URLs. */
export function toBase64Url(data: string | Uint8Array): string {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
