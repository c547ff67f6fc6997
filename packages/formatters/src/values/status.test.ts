import { isFailure } from "@media-ops/reports/entries";
import { describe, expect, it } from "vitest";
import { formatStatus } from "./show.js";

describe("a status", () => {
  it.each([
    [0, "✗ no answer", "bad", true],
    [100, "100", "plain", false],
    [199, "199", "plain", false],
    [200, "✓ 200", "good", false],
    [299, "✓ 299", "good", false],
    [302, "→ 302", "notice", false],
    [400, "▲ 400", "bad", true],
    [499, "▲ 499", "bad", true],
    [500, "✗ 500", "bad", true],
    [799, "✗ 799", "bad", true],
    [-1, "-1", "plain", false],
  ])("of %d is shown as %s, with a mark for its outcome", (status, text, tone, failed) => {
    expect(formatStatus(status)).toEqual({ text, tone });
    expect(isFailure(status)).toBe(failed);
  });
});
