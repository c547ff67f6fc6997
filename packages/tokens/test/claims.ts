import fc from "fast-check";
import type { TokenClaims, TokenRole } from "../src/index.js";

export const roles: readonly TokenRole[] = ["sendrecv", "sendonly", "recvonly"];

/** Any channel id: names with `@`, spaces, emoji, or nothing at all. */
export const anyChannelId = fc
  .tuple(
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 10 }).filter((text) => !text.includes("@")),
  )
  .map(([name, project]) => `${name}@${project}`)
  .filter((text) => new TextEncoder().encode(text).length <= 255);

/** Any valid claims without minus zero, so that `toEqual` holds after JSON. */
export const anyClaims: fc.Arbitrary<TokenClaims> = fc.record(
  {
    iat: fc.integer({ max: 1_775_000_000 }),
    nbf: fc.integer(),
    exp: fc.integer(),
    jti: fc.string({ unit: "binary" }),
    channel_id: anyChannelId,
    role: fc.constantFrom(...roles),
    max_channel_connections: fc.integer({ min: 0, max: 5000 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
