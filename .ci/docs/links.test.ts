import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeBlocksOf } from "./code-blocks.js";
import { root } from "./document.js";

const below = (folder: string): string[] => readdirSync(join(root, folder)).map((name) => join(folder, name));

/** What people read. */
const documents = [
  ...["README.md", "CONTRIBUTING.md", "packages/sdk/examples/README.md", "packages/formatters/golden/README.md"],
  ...below("docs").filter((path) => path.endsWith(".md")),
  ...[...below("packages"), ...below("apps")].map((folder) => join(folder, "README.md")),
].filter((path) => existsSync(join(root, path)));

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const commands = new Set([...Object.keys(scripts), ...readdirSync(join(root, "node_modules/.bin")), "exec"]);

describe.each(documents)("%s", (path) => {
  const prose = withoutBlocks(readFileSync(join(root, path), "utf8"));

  it("links to what is there", () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !/^https?:/.test(link) && !leadsSomewhere(path, link))).toEqual([]);
  });

  it("names scripts that are there", () => {
    const named = [...prose.matchAll(/`(?:npx -y pnpm@12|pnpm) (?:--\S+ )*([^`\s]+)/g)].map(
      ([, script = ""]) => script,
    );
    expect(named.filter((script) => script !== "<script>" && !commands.has(script))).toEqual([]);
  });
});

it("the links are those of all packages that have a README", () => {
  expect(documents.length).toBeGreaterThan(10);
});

function leadsSomewhere(from: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? from : join(dirname(from), file);
  if (target.startsWith("..") || !existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** As GitHub makes them of headings. */
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
