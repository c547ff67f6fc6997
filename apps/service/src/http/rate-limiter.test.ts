import { describe, expect, it } from "vitest";
import { RateLimiter } from "./api-gate.js";

const start = Date.parse("2026-04-01T09:30:15.250Z");

describe("a caller", () => {
  it("has its calls in the minute that begins with the first, and each says how many are left", () => {
    const limiter = new RateLimiter(2);
    const taken = [0, 10_000, 20_500, 59_999, 60_000].map((ms) => limiter.take("a", start + ms));
    expect(taken).toEqual([
      { allowed: true, limit: 2, remaining: 1, resetSeconds: 60 },
      { allowed: true, limit: 2, remaining: 0, resetSeconds: 50 },
      { allowed: false, limit: 2, remaining: 0, resetSeconds: 40 },
      { allowed: false, limit: 2, remaining: 0, resetSeconds: 1 },
      { allowed: true, limit: 2, remaining: 1, resetSeconds: 60 },
    ]);
  });

  it("may call again after the seconds that the refusal stated, and not one earlier", () => {
    const limiter = new RateLimiter(1);
    limiter.take("a", start);
    for (const ms of [1, 999, 1000, 30_500, 59_999]) {
      const now = start + ms;
      const { allowed, resetSeconds } = limiter.take("a", now);
      expect(allowed).toBe(false);
      expect(now + resetSeconds * 1000).toBeGreaterThanOrEqual(start + 60_000);
      expect(now + resetSeconds * 1000).toBeLessThan(start + 61_000);
    }
    expect(limiter.take("a", start + 60_000).allowed).toBe(true);
  });

  it("does not use up another caller's calls", () => {
    const limiter = new RateLimiter(1);
    expect(limiter.take("a", start).allowed).toBe(true);
    expect(limiter.take("b", start).allowed).toBe(true);
    expect(limiter.take("a", start).allowed).toBe(false);
  });

  it("never has to wait for longer than a minute, even if the clock is set back", () => {
    const limiter = new RateLimiter(1);
    limiter.take("a", start);
    const anHourAgo = start - 3_600_000;
    expect(limiter.take("a", anHourAgo)).toEqual({ allowed: true, limit: 1, remaining: 0, resetSeconds: 60 });
    expect(limiter.take("a", anHourAgo + 1).allowed).toBe(false);
    expect(limiter.take("a", anHourAgo + 60_000).allowed).toBe(true);
  });
});

it("a caller that has not called for a minute starts over, regardless of other callers", () => {
  const limiter = new RateLimiter(2);
  for (let i = 0; i < 1000; i++) limiter.take(`caller ${i}`, start + i);
  expect(limiter.take("caller 999", start + 60_998)).toMatchObject({ remaining: 0, resetSeconds: 1 });
  expect(limiter.take("caller 0", start + 60_998)).toMatchObject({ remaining: 1, resetSeconds: 60 });
});
