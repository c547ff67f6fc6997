import { totalmem } from "node:os";
import type { Config } from "../config/config.js";

const MIB = 2 ** 20;

// Small machines have 2 GB for each core: with a process on each core, all of them together use at most a quarter of the
// machine's memory for listings. A database on the same machine needs the rest.
const SHARE = 1 / 16;
// Some 60 full logs: little enough for the smallest container.
const MIN_BYTES = 32 * MIB;
// Some 1000 full logs. Beyond that, the operator knows best how much memory faster listings are worth.
const MAX_BYTES = 512 * MIB;

/** How much memory listings may take, in bytes, unless it is set. */
export function defaultCacheBytes(memory: number = usableMemory()): number {
  return Math.min(Math.max(Math.floor(memory * SHARE), MIN_BYTES), MAX_BYTES);
}

/** What this process may use: the limit of its container if there is one, otherwise the memory of the machine. */
function usableMemory(): number {
  const limit = process.constrainedMemory();
  // Without a limit it is 0 on some systems, and more than any machine has on others.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** How much memory the configuration gives to listings, in bytes; undefined if it sets nothing. */
export const listingCacheBytes = ({ listingCacheMb }: Pick<Config, "listingCacheMb">): number | undefined =>
  listingCacheMb === undefined ? undefined : listingCacheMb * MIB;
