import { expect, it } from "vitest";
import { link, richCell } from "../test/samples.js";
import { visibleLength } from "./check.js";

it("counts the visible characters of rich text", () => {
  const abc = { type: "text" as const, text: "abc" };
  const date = (fallback: string) => ({ type: "date" as const, timestamp: 0, format: "{ago}", fallback });
  expect(visibleLength(richCell())).toBe(0);
  expect(visibleLength(richCell(abc, { type: "text", text: "🎥" }))).toBe(5);
  expect(visibleLength(richCell({ type: "link", url: link(30) }))).toBe(30);
  expect(visibleLength(richCell(date("abcdef"), date("a")))).toBe(11);
  const section = { type: "rich_text_section", elements: [abc] };
  const elements = [{ type: "rich_text_list", elements: [section, section] }, section];
  expect(visibleLength({ type: "rich_text", elements })).toBe(9);
});
