import type { TokenRequest } from "@media-ops/commands";
import type { TokenClaims } from "@media-ops/tokens";

/** What a token allows beyond what was asked for: `its role`, `its end`; nothing where all is as it was asked. */
export function excessOf(asked: TokenRequest, claims: TokenClaims): string[] {
  const { channel_id, role, max_channel_connections, not_before, expiration_time } = asked;
  // A claim that is missing sets no limit, and no comparison with it holds.
  const {
    exp = Number.POSITIVE_INFINITY,
    nbf = Number.NEGATIVE_INFINITY,
    max_channel_connections: limit = Number.POSITIVE_INFINITY,
  } = claims;
  const faults: [string, boolean][] = [
    ["its channel", channel_id !== undefined && claims.channel_id !== channel_id],
    ["its role", role !== undefined && claims.role !== role],
    ["its start", not_before !== undefined && nbf * 1000 < Date.parse(not_before)],
    ["its end", exp * 1000 > Date.parse(expiration_time)],
    ["its limit", max_channel_connections !== undefined && limit > max_channel_connections],
  ];
  return faults.filter(([, isMore]) => isMore).map(([what]) => what);
}
