import { createMediaClient } from "@media-ops/sdk";
import type { CreateCalls } from "./calls.js";

export const createCalls: CreateCalls = (baseUrl, apiKey) => {
  const client = createMediaClient({ baseUrl, apiKey });
  return { listing: () => client.logs.webhooks(), mint: () => client.tokens.create() };
};
