import { describe, expect, it } from "vitest";
import { channelWords, splitChannel } from "./show.js";

describe("splitChannel", () => {
  it.each([
    ["lobby@demo", { name: "lobby", project: "demo" }],
    ["a@b@demo", { name: "a@b", project: "demo" }],
    ["会議室@demo", { name: "会議室", project: "demo" }],
    ["@demo", { name: "", project: "demo" }],
    ["lobby@", { name: "lobby", project: "" }],
    ["lobby", { name: "lobby" }],
    ["", { name: "" }],
  ])("splits %j at its last @", (id, parts) => {
    expect(splitChannel(id)).toEqual(parts);
  });
});

describe("a channel in words", () => {
  it.each([
    ["lobby@demo", "lobby (project demo)"],
    ["lobby", "lobby"],
    ["lobby@", "lobby"],
    ["@demo", "– (project demo)"],
    ["a\n@b\tc", "a␊ (project b␉c)"],
  ])("of %j names its project: %s", (id, words) => {
    expect(channelWords(id)).toBe(words);
  });
});
