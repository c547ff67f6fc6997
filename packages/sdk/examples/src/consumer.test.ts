// The package as other programs see it: what is built, by its name, with nothing of the compiler's checks left out.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const here = join(import.meta.dirname, "..");
const house = join(here, "../../..");

/** Compiles files in a folder of this package, so that they find what this package finds. */
async function compile(options: object, files: Record<string, string>): Promise<string> {
  await mkdir(join(here, "dist"), { recursive: true });
  const folder = await mkdtemp(join(here, "dist/compiled-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const compilerOptions = { strict: true, skipLibCheck: false, noEmit: true, target: "ES2022", ...options };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const tsc = join(here, "node_modules/.bin/tsc");
  return run(tsc, ["-p", folder]).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
}

async function codeBlocks(path: string): Promise<string[]> {
  const text = await readFile(join(house, path), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code ?? "");
}

const examples = ["failing-webhooks.ts", "long-sessions.ts", "viewer-token.ts", "watch.ts"];

describe("the examples compile", () => {
  it.each([
    ["in a Node program", { module: "NodeNext", types: ["node"], lib: ["ES2022"], exactOptionalPropertyTypes: true }],
    [
      "in a bundled page",
      { module: "ESNext", moduleResolution: "Bundler", types: [], lib: ["ES2022", "DOM", "DOM.Iterable"] },
    ],
  ])("%s", async (_, options) => {
    const files = await Promise.all(
      examples.map(async (name) => [name, await readFile(join(here, "src", name), "utf8")]),
    );
    expect(await compile(options, Object.fromEntries(files))).toBe("");
  });

  it("only as long as they are right", async () => {
    const wrong = `import type { WebhookLogEntry } from "@media-ops/sdk";\nexport const at = (entry: WebhookLogEntry): Date => entry.timestamp;\n`;
    expect(await compile({ module: "NodeNext", types: ["node"] }, { "wrong.ts": wrong })).toContain(
      "is not assignable to type 'Date'",
    );
  });
});

describe("the documentation", () => {
  it.each(["packages/sdk/README.md", "packages/tokens/README.md", "packages/formatters/README.md"])(
    "of %s compiles",
    async (path) => {
      const blocks = await codeBlocks(path);
      expect(blocks.length).toBeGreaterThan(0);
      const files = blocks.map((code, index) => [`block-${index + 1}.ts`, `${code}\nexport {};\n`]);
      const options = { module: "NodeNext", types: ["node"], lib: ["ES2022"] };
      expect(await compile(options, Object.fromEntries(files))).toBe("");
    },
  );
});
