import { createHmac } from "node:crypto";
import type { Stage } from "./stage.js";

/** The headers of a request that is signed with a secret. */
export function signedHeaders(body: string, secret: string, atSeconds = Math.floor(Date.now() / 1000)) {
  const signature = createHmac("sha256", secret).update(`v0:${atSeconds}:${body}`).digest("hex");
  return {
    "content-type": "application/x-www-form-urlencoded",
    "x-slack-request-timestamp": String(atSeconds),
    "x-slack-signature": `v0=${signature}`,
  };
}

/** Sends a signed body to the bot. */
export async function sendSigned({ bot, slack }: Stage, body: string, type?: string): Promise<Response> {
  const headers = { ...signedHeaders(body, slack.app.signingSecret), ...(type && { "content-type": type }) };
  return fetch(`${bot.url}/slack/events`, { method: "POST", headers, body });
}

/** Sends a person's action in Slack's format. */
export const sendPayload = (stage: Stage, payload: unknown): Promise<Response> =>
  sendSigned(stage, new URLSearchParams({ payload: JSON.stringify(payload) }).toString());
