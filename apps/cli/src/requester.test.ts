import { describe, expect, it } from "vitest";
import { requesterOf } from "./session.js";

describe("the name by which a user requests things", () => {
  it.each([
    ["ann@laptop", "cli:ann@laptop"],
    [undefined, "cli:unknown"],
    ["José@büro", "cli:Jose@buro"],
    ["ann lee@laptop", "cli:ann?lee@laptop"],
    ["花子@laptop\n", "cli:??@laptop?"],
  ])("of %j is visible ASCII: %s", (account, name) => {
    expect(requesterOf({ account })).toBe(name);
  });

  it("has at most 255 characters", () => {
    expect(requesterOf({ account: "a".repeat(300) })).toHaveLength(255);
  });
});
