import type { Result } from "../report.js";
import { benchRequests } from "./requests.js";
import { benchSignings } from "./signings.js";

/** How fast access tokens are made: over HTTP, and by the package alone. */
export async function benchMint(): Promise<Result[]> {
  return [...(await benchRequests()), ...(await benchSignings())];
}
