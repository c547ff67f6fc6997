import { execFile } from "node:child_process";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPacked } from "./publish/install-packed.mjs";
import { type Manifest, publishedFolders, readManifest, root } from "./publish/packages.js";

// Packing downloads pnpm unless pnpm runs the tests.
const PACK_MS = 300_000;

const run = promisify(execFile);
let outside: string;
let tarballs: string[];

beforeAll(async () => {
  // Outside the workspace, where no undeclared dependency resolves by chance.
  outside = await realpath(await mkdtemp(join(tmpdir(), "media-ops-packages-")));
  tarballs = await installPacked(publishedFolders, outside);
}, PACK_MS);

afterAll(() => rm(outside, { recursive: true, force: true }));

const installedFolder = (folder: string): string =>
  join(outside, "node_modules", readManifest(join(root, folder)).name);
const installed = (folder: string): Manifest => readManifest(installedFolder(folder));

async function filesIn(folder: string): Promise<string[]> {
  const tarball = tarballs[publishedFolders.indexOf(folder)] ?? "";
  const { stdout } = await run("tar", ["-tzf", tarball]);
  return stdout
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
}

async function textsIn(folder: string, kind: RegExp): Promise<string[]> {
  const files = (await filesIn(folder)).filter((file) => kind.test(file));
  return Promise.all(files.map((file) => readFile(join(installedFolder(folder), file), "utf8")));
}

/** Runs a module in a folder that contains only the packages, and returns its parsed output. */
async function runModule(text: string, name = "check.mjs"): Promise<unknown> {
  const file = join(outside, name);
  await writeFile(file, text);
  const { stdout } = await run(process.execPath, [file], { cwd: outside });
  return JSON.parse(stdout);
}

const belongs =
  /^(LICENSE|README\.md|CHANGELOG\.md|package\.json|dist\/.+\.(js|d\.ts)(\.map)?|dist\/cjs\/package\.json|src\/.+\.ts|completion\/media\.(bash|fish|zsh))$/;

describe.each(publishedFolders)("the published package of %s", (folder) => {
  it("contains its licence, its README and the runtime files, and nothing else", async () => {
    const files = await filesIn(folder);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
    expect(files.filter((file) => !belongs.test(file) || /\.test\.|\/test\//.test(file))).toEqual([]);
  });

  it("references only source maps that it contains, and sources that can be read", async () => {
    const files = await filesIn(folder);
    for (const file of files.filter((file) => /\.(js|d\.ts)$/.test(file))) {
      const text = await readFile(join(installedFolder(folder), file), "utf8");
      const [, map] = /^\/\/# sourceMappingURL=(.+)$/m.exec(text) ?? [];
      if (map === undefined) continue;
      const path = join(dirname(file), map);
      expect(files, file).toContain(path);
      const { sources, sourcesContent } = JSON.parse(await readFile(join(installedFolder(folder), path), "utf8"));
      const shipped = sources.map((source: string) => join(dirname(path), source));
      if (file.endsWith(".js")) expect(sourcesContent, file).toHaveLength(sources.length);
      else expect(files, file).toEqual(expect.arrayContaining(shipped));
    }
  });

  it("depends on published versions, and on our own packages in the matching version", () => {
    const own = new Map(publishedFolders.map(installed).map(({ name, version }) => [name, version]));
    for (const [name, range] of Object.entries(installed(folder).dependencies ?? {})) {
      expect(range, name).toMatch(/^[\^~]?\d/);
      if (name.startsWith("@media-ops/")) expect(range, name).toBe(`^${own.get(name)}`);
    }
  });

  it("imports only its declared dependencies", async () => {
    const { name: itself, dependencies = {} } = installed(folder);
    const imported = (await textsIn(folder, /\.(js|d\.ts)$/))
      .flatMap((text) => [...text.matchAll(/\b(?:from|import|require)\s*\(?\s*["']([^"'.\s][^"'\s]*)["']/g)])
      .map(([, from = ""]) => /^(@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? "");
    const known = new Set([itself, ...Object.keys(dependencies)]);
    expect(imported.filter((name) => !name.startsWith("node:") && !known.has(name))).toEqual([]);
  });

  it("is public, with provenance", () => {
    expect(installed(folder).publishConfig).toEqual({ access: "public", provenance: true });
  });
});

describe("installed together in an empty folder,", () => {
  const paths = publishedFolders
    .map((folder) => readManifest(join(root, folder)))
    .flatMap(({ name, exports = {} }) => Object.keys(exports).map((path) => join(name, path)))
    .filter((path) => !path.endsWith(".json"));

  it.each(paths)("%s can be imported", async (path) => {
    const names = await runModule(`console.log(JSON.stringify(Object.keys(await import("${path}"))));`);
    expect(names).not.toEqual([]);
  });

  it.each(paths)("%s can be required, and is the same module as the imported one", async (path) => {
    const isSame = await runModule(
      `import(${JSON.stringify(path)}).then((imported) => {
        const required = require(${JSON.stringify(path)});
        const names = Object.keys(imported);
        console.log(JSON.stringify(names.length > 0 && names.every((name) => required[name] === imported[name])));
      });`,
      "check.cjs",
    );
    expect(isSame).toBe(true);
  });

  it("an error's stack points to the source if the program enables source maps", async () => {
    const text = `import { expiresIn } from "@media-ops/sdk"; try { expiresIn("soon"); } catch (error) { console.log(JSON.stringify(error.stack)); }`;
    await writeFile(join(outside, "stack.mjs"), text);
    const { stdout } = await run(process.execPath, ["--enable-source-maps", "stack.mjs"], { cwd: outside });
    expect(JSON.parse(stdout)).toMatch(/sdk\/src\/time\.ts:\d+/);
  });

  it("every import in the READMEs resolves", async () => {
    const readmes = ["README.md", "docs/api.md", ...publishedFolders.map((folder) => join(folder, "README.md"))];
    const texts = await Promise.all(readmes.map((file) => readFile(join(root, file), "utf8")));
    const imports = texts.flatMap((text) => [
      ...text.matchAll(/^import (?!type)\{([^}]+)\} from "(@media-ops\/[^"]+)";/gm),
    ]);
    expect(imports.length).toBeGreaterThan(5);
    const checks = imports.map(
      ([, names = "", path]) => `missing("${path}", await import("${path}"), ${JSON.stringify(valuesOf(names))})`,
    );
    const missing = await runModule(`
      const missing = (path, module, names) => names.filter((name) => !(name in module)).map((name) => path + ": " + name);
      console.log(JSON.stringify([${checks.join(",")}].flat()));`);
    expect(missing).toEqual([]);
  });

  it("media runs as the system would start it", async () => {
    const cli = publishedFolders.find((folder) => installed(folder).bin) ?? "";
    const { bin, version } = installed(cli);
    const file = join(installedFolder(cli), bin?.media ?? "");
    expect(await readFile(file, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: outside };
    const { stdout } = await run(file, ["--version"], { cwd: outside, env });
    expect(stdout).toContain(version);
    expect((await run(file, ["help"], { cwd: outside, env })).stdout).toContain("media logs");
  });
});

/** Returns the names of values between the braces of an import. */
function valuesOf(names: string): string[] {
  return names
    .split(",")
    .map((name) => name.trim().replace(/ as .*/, ""))
    .filter((name) => name !== "" && !name.startsWith("type "));
}
