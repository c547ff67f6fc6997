// Calls a service with the given client module each time the row `sdk` requests a turn. Runs in its own process, so
// that each client pays for its own garbage collection. Sends the answers first, then the duration of each turn.
import { timed } from "./measure.js";
import type { CreateCalls } from "./rows/sdk.js";

/** A turn of the row: a number of calls, after some that are not timed. */
interface Turn {
  readonly operation: "listing" | "mint";
  readonly warmUp: number;
  readonly calls: number;
}

const [module = "", baseUrl = ""] = process.argv.slice(2);
const { createCalls }: { createCalls: CreateCalls } = await import(module);
const client = createCalls(baseUrl, "mo_bench_key");

process.on("message", async ({ operation, warmUp, calls }: Turn) => {
  await timed(client[operation], warmUp)();
  process.send?.(await timed(client[operation], calls)());
});
process.send?.([await client.listing(), await client.mint()]);
