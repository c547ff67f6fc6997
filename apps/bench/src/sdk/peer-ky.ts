import type { AccessToken, WebhookLogEntry } from "@media-ops/sdk";
import ky from "ky";
import type { CreateCalls } from "./calls.js";

export const createCalls: CreateCalls = (prefixUrl, apiKey) => {
  // Of itself it sends no POST again.
  const client = ky.create({ prefixUrl, headers: { authorization: `Bearer ${apiKey}` }, retry: { methods: ["post"] } });
  return {
    listing: () => client.post("orgs/list-webhook-logs", { json: {} }).json<WebhookLogEntry[]>(),
    mint: () => client.post("projects/create-access-token", { json: {} }).json<AccessToken>(),
  };
};
