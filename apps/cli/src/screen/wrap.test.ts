import { describe, expect, it } from "vitest";
import { wrap } from "../session.js";

describe("a wrapped text", () => {
  it.each([
    ["fits", "one two", 7, 0, "one two"],
    ["is broken between words", "one two three", 7, 0, "one two\nthree"],
    ["is indented below its first line", "term  meaning of it", 13, 6, "term  meaning\n      of it"],
    [
      "keeps a word whole that is longer than a line",
      "see http://127.0.0.1:8080/a now",
      10,
      2,
      "see\n  http://127.0.0.1:8080/a\n  now",
    ],
    ["stays one line in a pipe", "one two three", Number.POSITIVE_INFINITY, 0, "one two three"],
    ["may be empty", "", 10, 0, ""],
  ])("%s", (_, text, width, indent, lines) => {
    expect(wrap(text, { width, indent })).toBe(lines);
  });
});
