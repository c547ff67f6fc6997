import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { clean } from "./width.js";

describe("clean", () => {
  it.each([
    ["a colour", "\u001b[31mred\u001b[0m", "␛[31mred␛[0m"],
    ["a link", "\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007", "␛]8;;https://evil.example␇click␛]8;;␇"],
    ["the clipboard", "\u001b]52;c;cm0=\u001b\\", "␛]52;c;cm0=␛\\"],
    ["an escape sequence as a single character", "\u009b2J\u009d0;x\u009c", "�2J�0;x�"],
    ["a carriage return", "safe\rrm", "safe␍rm"],
    ["a backspace", "a\bb", "a␈b"],
    ["line breaks", "a\nb", "a␊b"],
    ["a change of the writing direction", "\u202egnp", "�gnp"],
    ["half a surrogate pair", "\udc00", "�"],
    ["a private character", "\ue0b0", "�"],
    ["a noncharacter", "\uffff", "�"],
    ["an unassigned character", "\u{e1000}\u0378", "��"],
    ["a leading combining mark", "\u0301a", "◌\u0301a"],
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
