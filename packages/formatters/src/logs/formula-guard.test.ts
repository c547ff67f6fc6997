import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { guardFormula, undoFormulaGuard } from "./csv.js";

/** Texts that may or may not start like a formula. */
const anyBeginning = fc
  .tuple(fc.string({ unit: fc.constantFrom(..."= +-@';\t\r\n＝＋－＠\u00a0a1"), maxLength: 8 }), anyText)
  .map((parts) => parts.join(""));

describe("a text that a spreadsheet would run as a formula", () => {
  it.each([
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t",
    "\rb",
    "＝1",
    "＋1",
    "－1",
    "＠SUM(A1)",
    " =1",
    "\u00a0=1",
    "'=1",
    "''=1",
    " ' =1",
    "-",
    "=cmd|' /C calc'!A0",
  ])("%j gets an apostrophe before it", (text) => {
    expect(guardFormula(text)).toBe(`'${text}`);
    expect(undoFormulaGuard(`'${text}`)).toBe(text);
  });

  it.each(["", "a=1", "1-1", "'", "''", "'a", " a", "connection.created", "https://a.example/?a=1", "会議室", '"=1"'])(
    "does not include %j, which is unchanged",
    (text) => {
      expect(guardFormula(text)).toBe(text);
      expect(undoFormulaGuard(text)).toBe(text);
    },
  );

  it.each([
    ["\t=1", "'\t'=1"],
    ["\r=1", "'\r'=1"],
    ["\n=1", "'\n'=1"],
    ["a;=1", "a;'=1"],
    ["a; =1;+2", "a;' =1;'+2"],
    ["a\n- b", "a\n'- b"],
    ["a\r\n=1", "a\r\n'=1"],
    ["a\t@b", "a\t'@b"],
    ["=1;＝2", "'=1;'＝2"],
    ["a;b", "a;b"],
    ["a; b=1", "a; b=1"],
    ["a;'b", "a;'b"],
  ])("%j is also guarded if a semicolon, a tab or a line end ends the cell: %j", (text, guarded) => {
    expect(guardFormula(text)).toBe(guarded);
    expect(undoFormulaGuard(guarded)).toBe(text);
  });

  it.each([";", "\t", "\n", "; '", "' "])("is found in linear time among many repetitions of %j", (text) => {
    expect(undoFormulaGuard(guardFormula(text.repeat(200_000)))).toBe(text.repeat(200_000));
  });

  it("is restored when the guard is undone, for any text, and guarded text never runs as a formula", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, anyBeginning), (text) => {
        expect(undoFormulaGuard(guardFormula(text))).toBe(text);
        expect(guardFormula(text)).not.toMatch(/^\s*[=+\-@＝＋－＠]|[;\t\r\n][^\S\r\n\t]*[=+\-@＝＋－＠]/);
      }),
    );
  });
});
