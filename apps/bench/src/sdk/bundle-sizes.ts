import { type Result, ratioBelow, tell } from "../report.js";
import { bundledBytes } from "./bundle.js";
import { type Client, type ClientName, ours } from "./clients.js";

const GOAL = ratioBelow(1);

type Peer = Exclude<ClientName, typeof ours>;

interface Care {
  readonly isDependable: boolean;
  readonly note: string;
  readonly inTheWay?: string;
}

/** What each does of itself about a call that fails or takes too long. Ours sends it again, and ends it in time. */
const care: Record<Peer, Care> = {
  "openapi-fetch": { isDependable: false, note: "retries: none, timeout: none; ours is built on it" },
  ky: {
    isDependable: true,
    note: "retries and times out, as ours does",
    inTheWay: "half of ours is openapi-fetch, and it also follows logs and has an error for each status",
  },
  axios: { isDependable: false, note: "times out; retries only with another package" },
  "@hey-api": { isDependable: false, note: "retries: none, timeout: none" },
};

/** The size of a program that lists and mints with each client. The goal is set by those that do of themselves what ours does. */
export async function bundleSizes(clients: Record<ClientName, Client>): Promise<Result[]> {
  const own = await bundledBytes(clients[ours].program);
  const results: Result[] = [];
  for (const [peer, { isDependable, ...told }] of Object.entries(care)) {
    const theirs = await bundledBytes(clients[peer as Peer].program);
    const goal = isDependable ? GOAL : undefined;
    const measure = "program that lists and mints, minified and gzipped, bytes";
    results.push(tell({ name: "sdk", measure, against: peer, goal, ...told }, own, theirs));
  }
  return results;
}
