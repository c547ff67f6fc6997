import { expect, it } from "vitest";
import { shownUrl } from "./log.js";

it.each([
  ["unchanged, up to 512 bytes", "x".repeat(512), 512],
  ["up to 512 bytes", "x".repeat(513), 512],
  ["up to 512 bytes and not characters", "é".repeat(300), 512],
  ["up to the last whole character of two bytes", `x${"é".repeat(300)}`, 511],
  ["up to the last whole character of four bytes", `xxx${"🎥".repeat(300)}`, 511],
])("shows a URL %s", (_, url, bytes) => {
  const shown = shownUrl(url);
  expect(url.startsWith(shown)).toBe(true);
  expect(Buffer.byteLength(shown)).toBe(bytes);
});

it("removes secrets from a URL before it is cut, so that no part of one is left", () => {
  const key = `mo_0123456789abcdef_${"Zq9-".repeat(11).slice(0, 43)}`;
  for (let before = 440; before < 512; before++) expect(shownUrl("?".repeat(before) + key)).not.toContain("Z");
});
