import { createHmac } from "node:crypto";

/** What goes into `x-slack-signature`. */
export function signatureOf(signingSecret: string, timestamp: number, body: string): string {
  return `v0=${createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
}
