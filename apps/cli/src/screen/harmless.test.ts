import { describe, expect, it } from "vitest";
import { harmlessCsv, harmlessJson } from "../output.js";

/** Characters that move the cursor, change colours, or change the writing direction. */
const HARMFUL = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

const evil = ["\u001b[31mred", "\u009b31m", "\u007f", "\u202egnp.exe", "\u2028", "\u{e0041}"];

describe("foreign text in a terminal", () => {
  it.each(evil)("as JSON is equivalent and harmless: %j", (text) => {
    const json = harmlessJson(`${JSON.stringify({ text })}\n`);
    expect(json).not.toMatch(HARMFUL);
    expect(JSON.parse(json)).toEqual({ text });
  });

  it("as JSON keeps emoji and scripts with joiners unchanged", () => {
    expect(harmlessJson('"👩‍👧 می‌خواهم"')).toBe('"👩‍👧 می‌خواهم"');
  });

  it.each(evil)("as CSV is visible and harmless: %j", (text) => {
    const csv = harmlessCsv(`a,b\r\n${text},2\r\n`);
    expect(csv.replaceAll("\r\n", "\n")).not.toMatch(HARMFUL);
    expect(csv.split("\r\n")).toHaveLength(3);
  });
});
