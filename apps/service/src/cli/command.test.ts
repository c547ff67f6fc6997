import { expect, it } from "vitest";
import { printable } from "./command.js";

it.each([
  ["plain text, ä, 日本, 🎉", "plain text, ä, 日本, 🎉"],
  ["two\nlines\r\n\t", "two\\nlines\\r\\n\\t"],
  ["\u001b[2Jgone", "\\u{1b}[2Jgone"],
  ["\u009b2Jgone", "\\u{9b}2Jgone"],
  ["evil\u202etxt.exe", "evil\\u{202e}txt.exe"],
  ["a\u2028b", "a\\u{2028}b"],
])("%j is escaped, so that a terminal shows it and does not execute it", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

it("a long text is cut, with the number of omitted characters", () => {
  expect(printable("abcdef", 6)).toBe("abcdef");
  expect(printable("abcdef", 4)).toBe("abcd… (and 2 more characters)");
  // A character is never split.
  expect(printable("🎉🎉", 3)).toBe("🎉\ufffd… (and 1 more characters)");
});
