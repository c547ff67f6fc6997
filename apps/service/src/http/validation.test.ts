import { describe, expect, test } from "vitest";
import { bodyValidator } from "./json-body.js";

const readEvent = bodyValidator("intake.yaml#/components/schemas/Event");

describe("a text's length is that of its characters, not of its code units:", () => {
  test.each([
    ["one character of two units", "😀", true],
    ["the maximum number", "x".repeat(255), true],
    ["the maximum number, of two units each", "😀".repeat(255), true],
    ["the maximum number, with an unpaired surrogate", `${"😀".repeat(254)}\ud83d`, true],
    ["none", "", false],
    ["one too many", "x".repeat(256), false],
    ["one too many, of two units each", "😀".repeat(256), false],
    ["far too many", "😀".repeat(10_000), false],
  ])("%s", (_, type, isGood) => {
    const read = (): unknown => readEvent({ type, id: "e" });
    if (isGood) expect(read()).toMatchObject({ type });
    else expect(read).toThrow("Must have from 1 to 255 characters.");
  });
});
