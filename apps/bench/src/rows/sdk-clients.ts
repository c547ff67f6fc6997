/** A client as a program uses it. */
export interface ClientProgram {
  readonly name: string;
  /** A module whose `createCalls(baseUrl, apiKey)` gives the functions `listing` and `mint`. */
  readonly source: string;
}

/** What a client program exports. */
export type CreateCalls = (baseUrl: string, apiKey: string) => Record<"listing" | "mint", () => Promise<unknown>>;

const LISTING = "/orgs/list-webhook-logs";
const MINT = "/projects/create-access-token";
const HEADERS = `{ authorization: "Bearer " + apiKey, "content-type": "application/json" }`;

/** A program with our SDK. */
export const sdkSource = `
  import { createMediaClient } from "@media-ops/sdk";
  export const createCalls = (baseUrl, apiKey) => {
    const client = createMediaClient({ baseUrl, apiKey });
    return { listing: () => client.logs.webhooks(), mint: () => client.tokens.create() };
  };`;

/** What no client over `fetch` can be faster than, without and with a timeout. */
export const floors: readonly ClientProgram[] = [
  {
    name: "fetch and JSON.parse",
    source: `
      export const createCalls = (baseUrl, apiKey) => {
        const init = { method: "POST", headers: ${HEADERS}, body: "{}" };
        const call = async (path) => JSON.parse(await (await fetch(baseUrl + path, init)).text());
        return { listing: () => call("${LISTING}"), mint: () => call("${MINT}") };
      };`,
  },
  {
    name: "the same with a timeout",
    source: `
      export const createCalls = (baseUrl, apiKey) => {
        const init = { method: "POST", headers: ${HEADERS}, body: "{}" };
        const call = async (path) => {
          const controller = new AbortController();
          const timer = setTimeout(() => controller.abort(), 30000);
          try {
            return JSON.parse(await (await fetch(baseUrl + path, { ...init, signal: controller.signal })).text());
          } finally {
            clearTimeout(timer);
          }
        };
        return { listing: () => call("${LISTING}"), mint: () => call("${MINT}") };
      };`,
  },
];

/** The clients that one might use instead. Of these, ky alone retries and times out by itself. */
export const peers: readonly ClientProgram[] = [
  {
    name: "openapi-fetch",
    source: `
      import createClient from "openapi-fetch";
      export const createCalls = (baseUrl, apiKey) => {
        const client = createClient({ baseUrl, headers: { authorization: \`Bearer \${apiKey}\` } });
        const call = async (path) => {
          const { data, error } = await client.POST(path, { body: {} });
          if (error) throw new Error(error.detail);
          return data;
        };
        return { listing: () => call("${LISTING}"), mint: () => call("${MINT}") };
      };`,
  },
  {
    name: "ky",
    source: `
      import ky from "ky";
      export const createCalls = (prefixUrl, apiKey) => {
        const client = ky.create({ prefixUrl, headers: { authorization: \`Bearer \${apiKey}\` }, retry: { methods: ["post"] } });
        const call = (path) => client.post(path.slice(1), { json: {} }).json();
        return { listing: () => call("${LISTING}"), mint: () => call("${MINT}") };
      };`,
  },
  {
    name: "axios",
    source: `
      import axios from "axios";
      export const createCalls = (baseURL, apiKey) => {
        const client = axios.create({ baseURL, headers: { authorization: \`Bearer \${apiKey}\` }, timeout: 30000 });
        const call = async (path) => (await client.post(path, {})).data;
        return { listing: () => call("${LISTING}"), mint: () => call("${MINT}") };
      };`,
  },
];
