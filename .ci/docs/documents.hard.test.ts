import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeBlocksOf, root } from "./document.js";

const below = (folder: string): string[] => readdirSync(join(root, folder)).map((name) => join(folder, name));
const isMarkdown = (path: string): boolean => path.endsWith(".md");
const documents = ["README.md", ...below("docs").filter(isMarkdown)];

const tests = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));

// ASCII diagrams are the only blocks that cannot be run or compiled.
const withCode = documents.filter((path) =>
  codeBlocksOf(readFileSync(join(root, path), "utf8")).some(({ language }) => !["", "text"].includes(language)),
);

// `takeDocument` runs or compiles each block, and fails on a block of an unknown language.
it.each(withCode)("the code blocks of %s are run by a test", (path) => {
  expect(tests.filter((text) => text.includes(`\ntakeDocument("${path}", `))).toHaveLength(1);
});

/** All documents, including the packages' READMEs. */
const withReadmes = [
  ...documents,
  ...below("docs/decisions").filter(isMarkdown),
  ...["AGENTS.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...["packages/sdk/examples/README.md", "packages/formatters/golden/README.md"],
  ...[...below("packages"), ...below("apps")].map((folder) => join(folder, "README.md")),
].filter((path) => existsSync(join(root, path)));

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const commands = new Set([...Object.keys(scripts), ...readdirSync(join(root, "node_modules/.bin")), "exec"]);

describe.each(withReadmes)("%s", (path) => {
  const prose = withoutBlocks(readFileSync(join(root, path), "utf8"));

  it("has no broken links", () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !/^https?:/.test(link) && !leadsSomewhere(path, link))).toEqual([]);
  });

  it("names only scripts that exist", () => {
    const named = [...prose.matchAll(/`(?:npx -y pnpm@12|pnpm) (?:--\S+ )*([^`\s]+)/g)].map(
      ([, script = ""]) => script,
    );
    expect(named.filter((script) => script !== "<script>" && !commands.has(script))).toEqual([]);
  });
});

it("the links of every package README are checked", () => {
  expect(withReadmes.length).toBeGreaterThan(10);
});

function leadsSomewhere(from: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? from : join(dirname(from), file);
  if (target.startsWith("..") || !existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** Heading anchors as GitHub generates them. */
function anchorsOf(path: string): string[] {
  const headings = withoutBlocks(readFileSync(join(root, path), "utf8")).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function withoutBlocks(markdown: string): string {
  const lines = markdown.split("\n");
  for (const { line, text } of codeBlocksOf(markdown)) lines.fill("", line - 1, line + text.split("\n").length);
  return lines.join("\n");
}

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

it("no sample command or snippet filters failed webhooks in a way that misses receivers that never answered", () => {
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

it("every block is found with its language, text, line and section", () => {
  const markdown = [
    "# Title",
    "```sh",
    "one",
    "",
    "two # ## no heading",
    "```",
    "## First",
    "1. In a list:",
    "   ```json",
    "   {",
    "     }",
    "   ```",
    "````",
    "```js",
    "## no heading",
    "```",
    "````",
  ].join("\n");
  expect(codeBlocksOf(markdown)).toEqual([
    { language: "sh", text: "one\n\ntwo # ## no heading", line: 2, section: "" },
    { language: "json", text: "{\n  }", line: 9, section: "First" },
    { language: "", text: "```js\n## no heading\n```", line: 13, section: "First" },
  ]);
});

it("reports an unclosed block", () => {
  expect(() => codeBlocksOf("text\n```sh\nls")).toThrow("The block that begins at line 2 does not end.");
});
