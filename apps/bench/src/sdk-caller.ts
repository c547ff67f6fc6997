// Calls a service with the SDK, or with `fetch` alone, each time the row `sdk` requests a turn. Runs in its own process, so
// that each client pays for its own garbage collection. Sends the answers first, then the duration of each turn.
import { createMediaClient } from "@media-ops/sdk";
import { listings, tokenPath } from "./entries.js";
import { timed } from "./measure.js";

/** A turn of the row: a number of calls, after some that are not timed. */
interface Turn {
  readonly operation: "listing" | "mint";
  readonly warmUp: number;
  readonly calls: number;
}

const [means = "", baseUrl = ""] = process.argv.slice(2);
const apiKey = "mo_bench_key";
const client = means === "sdk" ? withSdk() : withFetch();

function withSdk() {
  const { logs, tokens } = createMediaClient({ baseUrl, apiKey });
  return { listing: () => logs.webhooks(), mint: () => tokens.create() };
}

function withFetch() {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const call = async (path: string): Promise<unknown> =>
    JSON.parse(await (await fetch(baseUrl + path, { method: "POST", headers, body: "{}" })).text());
  return { listing: () => call(listings.webhooks), mint: () => call(tokenPath) };
}

process.on("message", async ({ operation, warmUp, calls }: Turn) => {
  await timed(client[operation], warmUp)();
  process.send?.(await timed(client[operation], calls)());
});
process.send?.([await client.listing(), await client.mint()]);
