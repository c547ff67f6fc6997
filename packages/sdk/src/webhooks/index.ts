import type {
  AuthRequest,
  ConnectionCreated,
  ConnectionDestroyed,
  ConnectionFailed,
  ConnectionUpdated,
  Event,
  SessionCreated,
  SessionDestroyed,
  SessionVanished,
} from "@media-ops/contract";
import { MediaUsageError } from "../errors.js";

export type {
  AuthRequest,
  ConnectionCreated,
  ConnectionDestroyed,
  ConnectionFailed,
  ConnectionUpdated,
  SessionCreated,
  SessionDestroyed,
  SessionVanished,
};

/** The event that `media-ops webhooks test` sends. Answer it with 2xx. */
export interface WebhookTest {
  type: "webhook.test";
  id: string;
  timestamp: string;
  project_id: string;
}

/** The request to an auth URL: may this client connect? It has no `type`. */
export interface WebhookAuthRequest extends AuthRequest {
  type?: undefined;
}

/** An event that this version does not know. Answer it with 2xx: new ones will be added. */
export interface UnknownWebhookEvent extends Omit<Event, "type"> {
  /** Any other `<object>.<action>`. Its type is branded, so that `event.type === "session.created"` excludes it. */
  type: `${string}.${string}` & { readonly unknownType: true };
}

/** An event that the service sends to a project's URLs, for `switch` on `type`. */
export type WebhookEvent =
  | SessionCreated
  | SessionDestroyed
  | SessionVanished
  | ConnectionCreated
  | ConnectionUpdated
  | ConnectionDestroyed
  | ConnectionFailed
  | WebhookTest
  | WebhookAuthRequest
  | UnknownWebhookEvent;

// Both as in Standard Webhooks.
const TOLERANCE_MS = 5 * 60_000;
const MIN_SECRET_BYTES = 24;

/** Request headers: a `Headers`, or an object such as Node's `request.headers`. */
export type WebhookHeaders = Pick<Headers, "get"> | { readonly [name: string]: string | readonly string[] | undefined };

/** The input of {@link verifyWebhook}. */
export interface VerifyWebhookInput {
  /** The body as it was received. A body that was parsed and serialized again has another signature. */
  body: string | Uint8Array | ArrayBuffer;
  /** The request's headers; names may be in any case. */
  headers: WebhookHeaders;
  /** The secret of the URL, `whsec_…`. Pass the old and the new one while a secret is being replaced. */
  secret: string | readonly string[] | undefined;
  /**
   * The current time in milliseconds since 1970.
   * @default Date.now()
   */
  now?: number | undefined;
  /**
   * The maximum age of a webhook, and its maximum distance in the future.
   * @default 300_000
   */
  toleranceMs?: number | undefined;
}

/**
 * Verifies that a webhook was just sent by the service and is unchanged, and returns its event. Throws a {@link
 * WebhookVerificationError} with the reason if it must be refused.
 *
 * @example
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret });
 * if (event.type === "session.created") console.log(event.channel_id);
 */
export async function verifyWebhook({
  body,
  headers,
  secret,
  now = Date.now(),
  toleranceMs = TOLERANCE_MS,
}: VerifyWebhookInput): Promise<WebhookEvent> {
  const keys = [secret ?? []].flat().map(keyBytes);
  if (keys.length === 0) throw new MediaUsageError("secret must be given: the whsec_… of the address, or several.");
  if (!(toleranceMs >= 0)) throw new MediaUsageError(`toleranceMs must be 0 or more, not ${toleranceMs}.`);
  if (!Number.isFinite(now)) throw new MediaUsageError(`now must be milliseconds since 1970, not ${now}.`);
  const bytes = bodyBytes(body);

  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature").split(" ");
  checkTime(timestamp, now, toleranceMs);

  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const expected = await Promise.all(keys.map((key) => signatureOf(key, signed)));
  if (!expected.some((right) => signatures.some((given) => isEqual(given, right)))) {
    throw new WebhookVerificationError(
      "NoMatchingSignature",
      "No signature of the webhook matches the secret. Is it the secret of this address, and the body as it was received?",
    );
  }
  return eventOf(bytes);
}

function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const base64 = typeof secret === "string" && /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  // Some runtimes throw for a length that base64 cannot have.
  const bytes = base64 && base64.replace(/=+$/, "").length % 4 !== 1 ? atob(base64) : "";
  if (bytes.length < MIN_SECRET_BYTES) {
    throw new MediaUsageError(
      `secret must be whsec_ and at least ${MIN_SECRET_BYTES} bytes in base64, without blanks or line breaks, as "media-ops webhooks set" shows it.`,
    );
  }
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}

function bodyBytes(body: VerifyWebhookInput["body"]): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new MediaUsageError(
    `body must be the text or the bytes that were received, not parsed; it is of type ${typeof body}.`,
  );
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    "get" in headers && typeof headers.get === "function"
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = [value ?? []].flat().join(" ");
  if (text !== "") return text;
  throw new WebhookVerificationError(
    "MissingHeader",
    `The header ${name} is missing. Was this sent by the service, and does a proxy drop it?`,
  );
}

function checkTime(timestamp: string, now: number, toleranceMs: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError("BadTimestamp", "webhook-timestamp must be in whole seconds since 1970.");
  }
  const ageMs = now - Number(timestamp) * 1000;
  if (Math.abs(ageMs) <= toleranceMs) return;
  const [code, when] = ageMs > 0 ? (["TooOld", "ago"] as const) : (["TooNew", "from now"] as const);
  const seconds = Math.round(Math.abs(ageMs) / 1000);
  const message = `The webhook was sent ${seconds} s ${when}; ${toleranceMs / 1000} s are allowed. Is this clock right?`;
  throw new WebhookVerificationError(code, message);
}

async function signatureOf(key: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, hmac, false, ["sign"]);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", imported, signed));
  return `v1,${btoa(String.fromCharCode(...mac))}`;
}

/** Takes constant time, so that no signature can be guessed character by character. */
function isEqual(given: string, right: string): boolean {
  let difference = given.length ^ right.length;
  for (let index = 0; index < right.length; index++) difference |= given.charCodeAt(index) ^ right.charCodeAt(index);
  return difference === 0;
}

function eventOf(bytes: Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isEvent(event)) return event;
  } catch {
    // Reported below.
  }
  throw new WebhookVerificationError("NotJson", "The webhook's signature is valid, but its body is not a JSON object.");
}

/** A signed body is trusted to match the contract. */
function isEvent(value: unknown): value is WebhookEvent {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Why a webhook was refused. */
export type WebhookVerificationCode =
  /** A header of Standard Webhooks is missing: another program sent it, or a proxy drops the header. */
  | "MissingHeader"
  /** `webhook-timestamp` is not whole seconds since 1970. */
  | "BadTimestamp"
  /** It is older than the tolerance: it may be a replay, or this clock is wrong. */
  | "TooOld"
  /** It is further in the future than the tolerance: one of the clocks is wrong. */
  | "TooNew"
  /** No signature matches a secret: the secret is wrong, or the body was changed. */
  | "NoMatchingSignature"
  /** The signature is valid, but the body is not a JSON object. */
  | "NotJson";

/** A webhook was refused; `code` has the reason. It contains neither a secret nor any part of the body. */
export class WebhookVerificationError extends Error {
  /** The reason, for `switch`. */
  readonly code: WebhookVerificationCode;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.code = code;
  }
}

// On the prototype, like JavaScript's own errors, so that stack traces start with the right name.
WebhookVerificationError.prototype.name = "WebhookVerificationError";
