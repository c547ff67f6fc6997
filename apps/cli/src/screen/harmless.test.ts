import { describe, expect, it } from "vitest";
import { harmlessCsv, harmlessJson } from "../output.js";

/** What moves the cursor, changes colours, or turns the direction of writing. */
const HARMFUL = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

const evil = ["\u001b[31mred", "\u009b31m", "\u007f", "\u202egnp.exe", "\u2028", "\u{e0041}"];

describe("what comes from outside and is shown in a terminal", () => {
  it.each(evil)("as JSON means the same and is not obeyed: %j", (text) => {
    const json = harmlessJson(`${JSON.stringify({ text })}\n`);
    expect(json).not.toMatch(HARMFUL);
    expect(JSON.parse(json)).toEqual({ text });
  });

  it("as JSON keeps emoji and scripts that are written with joiners as they are", () => {
    expect(harmlessJson('"👩‍👧 می‌خواهم"')).toBe('"👩‍👧 می‌خواهم"');
  });

  it.each(evil)("as CSV is shown and not obeyed: %j", (text) => {
    const csv = harmlessCsv(`a,b\r\n${text},2\r\n`);
    expect(csv.replaceAll("\r\n", "\n")).not.toMatch(HARMFUL);
    expect(csv.split("\r\n")).toHaveLength(3);
  });
});
