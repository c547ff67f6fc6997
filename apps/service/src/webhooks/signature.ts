import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** The content to sign. */
export interface Signed {
  /** The same each time the webhook is sent, so that the receiver can recognise a repeat. */
  id: string;
  timestamp: number;
  body: string | Buffer;
  /** The newest first; during a rotation the receiver may still have an older one. */
  secrets: readonly string[];
}

/** The headers that prove the sender and the time of a webhook (https://www.standardwebhooks.com). */
export type SignatureHeaders = Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>;

/** Generates a signing secret, in the format of the Standard Webhooks libraries. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Signs a webhook with each secret. */
export function signatureHeaders({ id, timestamp, body, secrets }: Signed): SignatureHeaders {
  const seconds = String(Math.floor(timestamp / 1000));
  if (secrets.length === 0) throw new Error("A webhook cannot be signed without a secret. Pass at least one.");
  const signatures = secrets.map((secret) => {
    const hmac = createHmac("sha256", keyOf(secret)).update(`${id}.${seconds}.`).update(body);
    return `v1,${hmac.digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": signatures.join(" ") };
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : "", "base64");
  // Anyone could sign with an empty key.
  if (key.length === 0)
    throw new Error(`A webhook secret must be ${PREFIX} followed by base64. Create one with newWebhookSecret().`);
  return key;
}
