import type { paths } from "@media-ops/sdk";
import createClient from "openapi-fetch";
import type { CreateCalls } from "./calls.js";

export const createCalls: CreateCalls = (baseUrl, apiKey) => {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${apiKey}` } });
  return {
    async listing() {
      const { data, error } = await client.POST("/orgs/list-webhook-logs", { body: {} });
      if (error) throw new Error(error.detail);
      return data;
    },
    async mint() {
      const { data, error } = await client.POST("/projects/create-access-token", { body: {} });
      if (error) throw new Error(error.detail);
      return data;
    },
  };
};
