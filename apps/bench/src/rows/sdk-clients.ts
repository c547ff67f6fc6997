/** A client as a program uses it. */
export interface ClientProgram {
  readonly name: string;
  /** A module whose `createCalls(baseUrl, apiKey)` returns the functions `listing` and `mint`. */
  readonly source: string;
}

/** The function that a client program exports. */
export type CreateCalls = (baseUrl: string, apiKey: string) => Record<"listing" | "mint", () => Promise<unknown>>;

/** A program with our SDK. */
export const sdkSource = `
  import { createMediaClient } from "@media-ops/sdk";
  export const createCalls = (baseUrl, apiKey) => {
    const client = createMediaClient({ baseUrl, apiKey });
    return { listing: () => client.logs.webhooks(), mint: () => client.tokens.create() };
  };`;

/**
 * Returns a program that calls each operation by its path. `createCall(baseUrl, headers)` returns the calling function.
 */
const byPath = (createCall: string): string => `
  ${createCall}
  export const createCalls = (baseUrl, apiKey) => {
    const call = createCall(baseUrl, { authorization: "Bearer " + apiKey });
    return { listing: () => call("/orgs/list-webhook-logs"), mint: () => call("/projects/create-access-token") };
  };`;

/** The lower bounds for clients over `fetch`, without and with a timeout. */
export const floors: readonly ClientProgram[] = [
  {
    name: "fetch and JSON.parse",
    source: byPath(`
      const createCall = (baseUrl, headers) => {
        const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: "{}" };
        return async (path) => JSON.parse(await (await fetch(baseUrl + path, init)).text());
      };`),
  },
  {
    name: "the same with a timeout",
    source: byPath(`
      const createCall = (baseUrl, headers) => {
        const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: "{}" };
        return async (path) => {
          const controller = new AbortController();
          const timer = setTimeout(() => controller.abort(), 30000);
          try {
            return JSON.parse(await (await fetch(baseUrl + path, { ...init, signal: controller.signal })).text());
          } finally {
            clearTimeout(timer);
          }
        };
      };`),
  },
];

/** Alternative clients. Only ky retries and times out on its own. */
export const peers: readonly ClientProgram[] = [
  {
    name: "openapi-fetch",
    source: byPath(`
      import createClient from "openapi-fetch";
      const createCall = (baseUrl, headers) => {
        const client = createClient({ baseUrl, headers });
        return async (path) => {
          const { data, error } = await client.POST(path, { body: {} });
          if (error) throw new Error(error.detail);
          return data;
        };
      };`),
  },
  {
    name: "ky",
    source: byPath(`
      import ky from "ky";
      const createCall = (prefixUrl, headers) => {
        const client = ky.create({ prefixUrl, headers, retry: { methods: ["post"] } });
        return (path) => client.post(path.slice(1), { json: {} }).json();
      };`),
  },
  {
    name: "axios",
    source: byPath(`
      import axios from "axios";
      const createCall = (baseURL, headers) => {
        const client = axios.create({ baseURL, headers, timeout: 30000 });
        return async (path) => (await client.post(path, {})).data;
      };`),
  },
];
