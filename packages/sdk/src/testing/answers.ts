import type { CreateAccessTokenRequest, ProblemError } from "../generated/media.js";
import { type ListLogsRequest, type LogEntryOf, type LogKind, MAX_ENTRIES } from "../operations.js";
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
};

const WINDOW_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * The response of a listing: the last 30 days, newest first at full precision, at most 1000 entries. Of entries with
 * the same timestamp, the one added last is the newest.
 */
export function listEntries<E extends { timestamp: string }>(entries: readonly E[], now: number): E[] {
  return entries
    .map((entry) => ({ entry, time: parseTimestamp(entry.timestamp) }))
    .filter(({ time }) => !time || time.epochMilliseconds >= now - WINDOW_MS)
    .reverse()
    .sort((a, b) => compare(b.time, a.time))
    .slice(0, MAX_ENTRIES)
    .map(({ entry }) => entry);
}

type Time = ReturnType<typeof parseTimestamp>;

/** An entry without a valid timestamp is the oldest. */
function compare(a: Time, b: Time): number {
  const milliseconds = (a?.epochMilliseconds ?? 0) - (b?.epochMilliseconds ?? 0);
  if (milliseconds !== 0) return milliseconds;
  const [left = "", right = ""] = [a, b].map((time) => time?.fraction.replace(/0+$/, ""));
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The claims for a request, or the fault of its times. The request is valid otherwise. */
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

// A token must not be valid outside the requested period: its start is rounded up, its end down.
function toSeconds(time: string, rounding: "up" | "down"): number {
  const parsed = parseTimestamp(time);
  if (!parsed) throw new RangeError(`"${time}" was not validated`);
  const whole = Math.floor(parsed.epochMilliseconds / 1000);
  return rounding === "up" && /[1-9]/.test(parsed.fraction) ? whole + 1 : whole;
}

/** An HS256 token, keyed with the API key's text like the service's, so that any JWT library can verify it. */
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

type Rule = (value: unknown) => string | undefined;
type Rules<Request> = { readonly [Field in keyof Required<Request>]: Rule };

const text =
  (min: number, max: number, rule: (value: string) => string | undefined = () => undefined): Rule =>
  (value) => {
    if (typeof value !== "string") return "Must be a string.";
    // Code points, as in JSON Schema.
    const length = [...value].length;
    if (length < min || length > max) return `Must have from ${min} to ${max} characters, but has ${length}.`;
    return rule(value);
  };

const time = text(20, 64, (value) =>
  parseTimestamp(value) ? undefined : "Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z.",
);

export const listLogsRules: Rules<Pick<ListLogsRequest, "project_id">> = {
  project_id: text(1, 255),
};

export const createAccessTokenRules: Rules<CreateAccessTokenRequest> = {
  channel_id: text(0, 255, (value) => {
    if (!/@[^@]+$/.test(value)) return "Must be <channel_name>@<project_id>.";
    if (new TextEncoder().encode(value).length > 255) return "Must have at most 255 bytes.";
    return undefined;
  }),
  role: (value) =>
    value === "sendrecv" || value === "sendonly" || value === "recvonly"
      ? undefined
      : "Must be sendrecv, sendonly or recvonly.",
  max_channel_connections: (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 5000
      ? undefined
      : "Must be a whole number from 0 to 5000.",
  not_before: time,
  expiration_time: time,
  jwt_id: text(36, 36, (value) =>
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) ? undefined : "Must be a UUID.",
  ),
};

/** The faults of a request body. */
export function validate(body: unknown, rules: Readonly<Record<string, Rule>>): ProblemError[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return [{ pointer: "", detail: "Must be a JSON object." }];
  }
  return Object.entries(body).flatMap(([field, value]) => {
    const rule = Object.hasOwn(rules, field) ? rules[field] : unknownField(rules);
    const detail = rule?.(value);
    return detail ? [{ pointer: `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`, detail }] : [];
  });
}

const unknownField =
  (rules: object): Rule =>
  () =>
    `Is not a known field. Known: ${Object.keys(rules).join(", ")}.`;
