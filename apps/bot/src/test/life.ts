import type { TokenClaims } from "@media-ops/tokens";
import { expect } from "vitest";

// The bot counts from the request; the service signs later, by seconds on a busy machine.
const LATE = 10;

/** Checks a token's lifetime: never longer than expected, and hardly shorter. */
export function expectLife({ iat = 0, exp = 0 }: Pick<TokenClaims, "iat" | "exp">, seconds: number): void {
  expect(exp - iat).toBeLessThanOrEqual(seconds);
  expect(exp - iat).toBeGreaterThan(seconds - LATE);
}
