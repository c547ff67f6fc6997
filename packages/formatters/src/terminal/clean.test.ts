import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { clean } from "./width.js";

describe("clean", () => {
  it.each([
    ["a colour", "\u001b[31mred\u001b[0m", "␛[31mred␛[0m"],
    ["a link", "\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007", "␛]8;;https://evil.example␇click␛]8;;␇"],
    ["the clipboard", "\u001b]52;c;cm0=\u001b\\", "␛]52;c;cm0=␛\\"],
    ["a sequence begun by one character", "\u009b2J\u009d0;x\u009c", "�2J�0;x�"],
    ["a way back to the line's beginning", "safe\rrm", "safe␍rm"],
    ["a way back by one", "a\bb", "a␈b"],
    ["line breaks", "a\nb", "a␊b"],
    ["a turn of the writing", "\u202egnp", "�gnp"],
    ["half a character", "\udc00", "�"],
    ["what a font has for itself", "\ue0b0", "�"],
    ["what is no character", "\uffff", "�"],
    ["what no standard knows yet", "\u{e1000}\u0378", "��"],
    ["a mark with nothing to stand on", "\u0301a", "◌\u0301a"],
  ])("shows %s as visible symbols", (_, text, shown) => {
    expect(clean(text)).toBe(shown);
  });

  it.each(["plain text, 100% of it", "会議室", "👩‍👩‍👧‍👦 1️⃣ 🏳️‍🌈", "می\u200cخواهم", "e\u0301"])(
    "leaves %s unchanged",
    (text) => {
      expect(clean(text)).toBe(text);
    },
  );

  it("removes everything that a terminal interprets or that is misleading, from any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(clean(text)).not.toMatch(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect(clean(clean(text))).toBe(clean(text));
      }),
    );
  });
});
