import type { AccessToken, WebhookLogEntry } from "@media-ops/sdk";
import axios from "axios";
import type { CreateCalls } from "./calls.js";

export const createCalls: CreateCalls = (baseURL, apiKey) => {
  const client = axios.create({ baseURL, headers: { Authorization: `Bearer ${apiKey}` }, timeout: 30_000 });
  return {
    listing: async () => (await client.post<WebhookLogEntry[]>("/orgs/list-webhook-logs", {})).data,
    mint: async () => (await client.post<AccessToken>("/projects/create-access-token", {})).data,
  };
};
