import { expect, it, onTestFinished, vi } from "vitest";
import { toTextPredicate } from "./predicates.js";

it("a text is brought to lower case once, however many texts it may contain", () => {
  const holds = toTextPredicate({ contains: ["ABC", "İ", "xyz"] });
  const toLowerCase = vi.spyOn(String.prototype, "toLowerCase");
  onTestFinished(() => toLowerCase.mockRestore());
  const answers = [holds("has xYz"), holds("has none"), holds("hİ"), holds(undefined)];
  const calls = toLowerCase.mock.calls.length;
  toLowerCase.mockRestore();
  expect(answers).toEqual([true, false, true, false]);
  expect(calls).toBe(3);
});
