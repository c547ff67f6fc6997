import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const shown = execFileSync(
  "git",
  [
    "ls-files",
    "README.md",
    "docs/*.md",
    "*/README.md",
    "docs/images/*.svg",
    "apps/bot/manifest.yaml",
    "apps/cli/picture",
    "apps/playground/page/src",
  ],
  { cwd: root, encoding: "utf8" },
)
  .trim()
  .split("\n");

it("no text that people copy from looks for failed webhooks in a way that misses receivers that never answered", () => {
  const wrong = shown.filter((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return (
      /(?:logs|follow|summary) webhooks[^\n`]*status ?>=? ?[1-5]\d\d/.test(text) ||
      /webhooks\(\)\)\.filter\(\(\{ status \}\) => status >= 400/.test(text)
    );
  });
  expect(shown).toContain("README.md");
  expect(wrong).toEqual([]);
});
