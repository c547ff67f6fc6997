import { describe, expect, it } from "vitest";
import { parseRetryAfter, retryDelayMs } from "./retry.js";

describe("the delay before the next attempt", () => {
  it.each([
    { failures: 1, longest: 500 },
    { failures: 2, longest: 1000 },
    { failures: 3, longest: 2000 },
    { failures: 5, longest: 8000 },
    { failures: 50, longest: 8000 },
  ])("is between 0 and $longest ms after $failures failures", ({ failures, longest }) => {
    const delay = (random: number) => retryDelayMs(failures, { retryAfterMs: undefined }, () => random);
    expect(delay(0)).toBe(0);
    expect(delay(0.5)).toBe(longest / 2);
    expect(delay(1)).toBe(longest);
  });

  it.each([
    { asked: 0, waits: 0 },
    { asked: 1_500, waits: 1_500 },
    { asked: 60_000, waits: 60_000 },
    { asked: 3_600_000, waits: 60_000 },
  ])("is $waits ms if the service requests $asked", ({ asked, waits }) => {
    expect(retryDelayMs(1, { retryAfterMs: asked }, () => 1)).toBe(waits);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-04-01T09:30:15Z");

  it.each([
    ["0", 0],
    ["3", 3_000],
    ["Wed, 01 Apr 2026 09:30:20 GMT", 5_000],
    ["Wed, 01 Apr 2026 09:30:00 GMT", undefined],
    ["Wed, 99 Apr 2026 09:30:00 GMT", undefined],
    ["soon", undefined],
    ["-3", undefined],
    ["", undefined],
    [null, undefined],
  ])("of %j means %j ms", (value, ms) => {
    expect(parseRetryAfter(value, now)).toBe(ms);
  });
});
