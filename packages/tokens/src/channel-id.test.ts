import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyChannelId } from "../test/claims.js";
import { splitChannelId } from "./index.js";

describe("splitChannelId", () => {
  it.each([
    ["lobby@demo", "lobby", "demo"],
    ["ann@home@demo", "ann@home", "demo"],
    ["@@demo", "@", "demo"],
    ["@demo", "", "demo"],
    ["a room with spaces@demo", "a room with spaces", "demo"],
    ["🎥@demo", "🎥", "demo"],
    ["line\nbreak@demo", "line\nbreak", "demo"],
    ["lobby@ ", "lobby", " "],
    [`${"é".repeat(125)}@demo`, "é".repeat(125), "demo"],
  ])("splits %j at the last @", (channelId, name, projectId) => {
    expect(splitChannelId(channelId)).toEqual({ name, projectId });
  });

  it.each([
    ["a value that is not a text", ""],
    ["no @", "lobby"],
    ["no project", "lobby@"],
    ["no project after a name with @", "ann@home@"],
    ["256 bytes in 256 characters", `${"a".repeat(251)}@demo`],
    ["256 bytes in 130 characters", `a${"é".repeat(125)}@demo`],
    ["the first half of a surrogate pair", "\ud83c@demo"],
    ["the second half of a surrogate pair", "lobby@\udfa5"],
  ])("returns undefined for %s", (_, channelId) => {
    expect(splitChannelId(channelId)).toBeUndefined();
  });

  it("loses nothing of any channel id", () => {
    fc.assert(
      fc.property(anyChannelId, (channelId) => {
        const { name, projectId } = splitChannelId(channelId) ?? {};
        expect(`${name}@${projectId}`).toBe(channelId);
        expect(projectId).not.toContain("@");
      }),
    );
  });
});
