import { describe, expect, it } from "vitest";
import { openFileLimit, openFilesFault, openFilesIn } from "./process.js";

describe("the limit of open files", () => {
  it.each([
    ["Max open files            1024                 524288               files     ", 1024],
    ["Max cpu time   unlimited   unlimited   seconds\nMax open files   unlimited   unlimited   files", Infinity],
    ["", 4096],
  ])("is read from %j", (limits, expected) => {
    expect(openFilesIn(limits)).toBe(expected);
  });

  it("matches that of this process", () => {
    expect(openFileLimit()).toBeGreaterThan(0);
  });

  it.each([
    [511, "This process may have only 511 files and sockets open, and needs at least 512."],
    [512, undefined],
    [Infinity, undefined],
  ])("of %d is too low only below 512", (limit, words) => {
    expect(openFilesFault(limit)?.slice(0, words?.length)).toBe(words);
  });
});
