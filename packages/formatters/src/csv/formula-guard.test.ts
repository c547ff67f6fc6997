import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { guardFormula, undoFormulaGuard } from "./formula-guard.js";

/** Texts that begin as formulas do, more or less. */
const anyBeginning = fc
  .tuple(fc.string({ unit: fc.constantFrom(..."= +-@'\t\r\n＝＋－＠\u00a0a1"), maxLength: 6 }), anyText)
  .map((parts) => parts.join(""));

describe("a text that a spreadsheet would run as a formula", () => {
  it.each([
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "＝1",
    "＋1",
    "－1",
    "＠SUM(A1)",
    " =1",
    "\u00a0=1",
    "\n=1",
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
    "is not %j, which stays as it is",
    (text) => {
      expect(guardFormula(text)).toBe(text);
      expect(undoFormulaGuard(text)).toBe(text);
    },
  );

  it("is there again when the guard is undone, whatever it is, and the guard leaves none", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, anyBeginning), (text) => {
        expect(undoFormulaGuard(guardFormula(text))).toBe(text);
        expect(guardFormula(text)).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
      }),
    );
  });
});
