import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isUuid } from "./index.js";

describe("isUuid", () => {
  it.each([
    ["version 4", "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11"],
    ["version 7", "0199a3c2-6f0e-7c61-b9a6-0c2f6f0a9d11"],
    ["a version and a variant that do not exist", "5f0c8a52-3f5e-ff0b-fd9a-3a4b8f7f2c11"],
    ["capitals", "5F0C8A52-3F5E-4F0B-9D9A-3A4B8F7F2C11"],
    ["both cases", "5f0C8a52-3F5e-4f0B-9d9A-3a4B8f7F2c11"],
    ["the nil UUID", "00000000-0000-0000-0000-000000000000"],
    ["the max UUID", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
  ])("accepts %s", (_, text) => {
    expect(isUuid(text)).toBe(true);
  });

  it.each([
    ["a value that is not a text", ""],
    ["no hyphens", "5f0c8a523f5e4f0b9d9a3a4b8f7f2c11"],
    ["misplaced hyphens", "5f0c8a523-f5e-4f0b-9d9a-3a4b8f7f2c11"],
    ["braces", "{5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11}"],
    ["a URN", "urn:uuid:5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11"],
    ["a letter after f", "5g0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11"],
    ["a digit too few", "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c1"],
    ["a digit too many", "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c111"],
    ["a line break after", "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11\n"],
    ["a space before", " 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11"],
  ])("refuses %s", (_, text) => {
    expect(isUuid(text)).toBe(false);
  });

  it("accepts every UUID, and any text without throwing", () => {
    fc.assert(fc.property(fc.uuid(), isUuid));
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !isUuid(text)));
  });
});
