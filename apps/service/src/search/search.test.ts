import fc from "fast-check";
import { expect, it } from "vitest";
import { fingerprintOf, formatCursor, parseCursor } from "./search.js";

it("a cursor is read as it was made", () => {
  for (const cursor of [{ written: 0 }, { written: 12 }, { position: { at: "2026-04-01T09:30:15.5 ", seq: 7 } }]) {
    expect(parseCursor(formatCursor(cursor, "abc"), "abc")).toEqual(cursor);
  }
});

it("the order of a question's members does not matter", () => {
  expect(fingerprintOf({ a: 1, b: { c: [1, 2], d: 3 } })).toBe(fingerprintOf({ b: { d: 3, c: [1, 2] }, a: 1 }));
  expect(fingerprintOf({ a: [1, 2] })).not.toBe(fingerprintOf({ a: [2, 1] }));
  expect(fingerprintOf(["", "a"])).not.toBe(fingerprintOf(["a", ""]));
});

it("any other text is refused, and names the member", () => {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const odd = [fc.string({ minLength: 1 }), fc.json().map((text) => Buffer.from(text).toString("base64url"))];
  const almost = [
    "",
    ["abc"],
    ["abc", -1],
    ["abc", 1, 1],
    ["abc", "\u0000", 1],
    ["abc", "2026", 0.5],
    ["abc", 1, 2, 3],
  ];
  fc.assert(
    fc.property(fc.oneof(...odd, fc.constantFrom(...almost.map(encode))), (text) => {
      expect(() => parseCursor(text, "abc")).toThrow(/^\/cursor: Must be an x-next/);
    }),
  );
  expect(() => parseCursor(formatCursor({ written: 1 }, "abc"), "abd")).toThrow(
    /^\/cursor: Belongs to a listing with other members/,
  );
});
