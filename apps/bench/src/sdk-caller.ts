// Calls a service with the client whose module it is given, whenever the row `sdk` asks for a turn. In a process of its
// own, so that each client pays for its own garbage. It first sends the answers, then what each turn took.
import { timed } from "./harness/turns.js";
import type { CreateCalls } from "./rows/sdk-clients.js";

/** A request of the row: to make so many calls, after some that are not timed. */
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
