import type { TokenClaims } from "@media-ops/tokens";
import { expect } from "vitest";

// The bot counts from when it is asked; the service signs later, on a busy machine by seconds.
const LATE = 10;

/** How long a token is good: never longer than that, and hardly shorter. */
export function expectLife({ iat = 0, exp = 0 }: Pick<TokenClaims, "iat" | "exp">, seconds: number): void {
  expect(exp - iat).toBeLessThanOrEqual(seconds);
  expect(exp - iat).toBeGreaterThan(seconds - LATE);
}
