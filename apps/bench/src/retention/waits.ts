import assert from "node:assert/strict";
import type { Connections } from "../service/connection.js";
import { listings, measured, tokenPath } from "../service/entries.js";

/** What is called, by turns. The API log grows with every call, and its listing waits until that is written. */
const calls = {
  "listing, webhooks": listings[measured.kind],
  "listing, API log": listings.api,
  token: tokenPath,
} as const;

export type CallName = keyof typeof calls;
export const callNames = Object.keys(calls) as CallName[];

/** The longest that each call took, in milliseconds. */
export type Longest = Record<CallName, number>;

// By then the service's code has been compiled; its first calls take longer whatever goes on.
const WARM_UP = 100;

/** Calls one after another for the service to get warm, and sees that it answers as it should. */
export async function warmUp(connection: Connections, apiKey: string): Promise<void> {
  for (let i = 0; i < WARM_UP; i++) {
    for (const name of callNames) await connection.call({ path: calls[name], apiKey });
  }
  const listing: unknown = JSON.parse((await connection.call({ path: listings[measured.kind], apiKey })).toString());
  assert(Array.isArray(listing) && listing.length === 1000, "1000 entries are listed");
}

/** Calls one after another until it is over. */
export async function longestWaits(
  connection: Connections,
  apiKey: string,
  isOver: () => Promise<boolean>,
): Promise<Longest> {
  const longest = Object.fromEntries(callNames.map((name) => [name, 0])) as Longest;
  while (!(await isOver())) {
    for (const name of callNames) {
      const started = performance.now();
      await connection.call({ path: calls[name], apiKey });
      longest[name] = Math.max(longest[name], performance.now() - started);
    }
  }
  return longest;
}
