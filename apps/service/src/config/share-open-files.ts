import { ConfigError } from "@media-ops/settings";
import type { Config } from "./config.js";

// An idle service has about 40 files open. The rest is for connections to PostgreSQL and files that are open briefly.
const RESERVED = 128;
// More connections are not served faster, and each needs about 20 kB of memory.
const MAX_PUBLIC = 10_000;
const MAX_INTERNAL = 4000;
const MAX_DELIVERIES = 500;

/** Shares the files that the process may have open: no part uses up the others' share. @throws {ConfigError} */
export function shareOpenFiles(
  limit: number,
  { maxConnections, maxConnectionsPerAddress }: Pick<Config, "maxConnections" | "maxConnectionsPerAddress">,
) {
  const shared = limit - RESERVED;
  const half = Math.floor(shared / 2);
  const eighth = Math.floor(shared / 8);
  if (maxConnections !== undefined && maxConnections > half) {
    const needed = RESERVED + 2 * maxConnections;
    throw new ConfigError([
      `MEDIA_MAX_CONNECTIONS must be at most ${half}, half of the files that this process may have open (${limit}), but is ${maxConnections}. Lower it, or raise the limit to ${needed} (ulimit -n, LimitNOFILE of systemd, --ulimit nofile of Docker).`,
    ]);
  }
  const publicConnections = maxConnections ?? Math.min(MAX_PUBLIC, half);
  return {
    publicConnections,
    /** Public connections of one address; 0 sets no limit. */
    publicPerAddress: maxConnectionsPerAddress ?? Math.ceil(publicConnections / 2),
    /** Each may need one more socket, to a project's own webhook. */
    internalConnections: Math.min(MAX_INTERNAL, eighth),
    /** To the projects' event addresses. */
    deliveries: Math.min(MAX_DELIVERIES, eighth),
  };
}
