import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * The packages of this repository that each package may import. "types" allows only type imports. A package with a path
 * may be imported by that path only. Tests may import more.
 */
const mayImport: Record<string, Record<string, "all" | "types"> | "anything"> = {
  openapi: {},
  contract: {},
  // Bundled into the published package.
  sdk: { contract: "all", "secrets/redact": "all", tokens: "all" },
  "sdk-examples": { sdk: "all", reports: "all" },
  tokens: {},
  commands: { contract: "all" },
  database: {},
  secrets: { database: "all" },
  "public-addresses": {},
  settings: { secrets: "all", database: "all" },
  "fake-slack": {},
  "fake-media": { "settings/command-line": "all" },
  testing: {},
  reports: { contract: "all", sdk: "all" },
  formatters: { contract: "all", sdk: "types", reports: "types", "reports/entries": "all" },
  service: {
    contract: "all",
    tokens: "all",
    database: "all",
    secrets: "all",
    settings: "all",
    "public-addresses": "all",
    openapi: "all",
  },
  cli: { sdk: "all", reports: "all", formatters: "all", commands: "all", "secrets/redact": "all" },
  bot: {
    contract: "all",
    sdk: "all",
    reports: "all",
    formatters: "all",
    commands: "all",
    tokens: "all",
    database: "all",
    secrets: "all",
    settings: "all",
    "public-addresses": "all",
  },
  playground: { service: "all", bot: "all", "fake-slack": "all", "fake-media": "all", secrets: "all", settings: "all" },
  bench: "anything",
};

interface Manifest {
  name: string;
  private?: boolean;
  description?: string;
  license?: string;
  exports?: object;
  files?: string[];
  engines?: { node?: string };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const notOurs = new Set(["node_modules", "dist", ".git", ".turbo", ".data", "data", "coverage"]);
const files = filesBelow("");

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (notOurs.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const packages = files
  .filter((path) => path.endsWith("package.json") && path !== "package.json")
  .map((path) => ({ folder: dirname(path), manifest: JSON.parse(read(path)) as Manifest }));

/** Returns the innermost package that contains a file. */
function packageOf(path: string): (typeof packages)[number] | undefined {
  return packages
    .filter(({ folder }) => path.startsWith(`${folder}/`))
    .sort((a, b) => b.folder.length - a.folder.length)[0];
}

const isSource = (path: string): boolean => /\.(ts|tsx|mts|mjs|js)$/.test(path);
const isTest = (path: string): boolean => /\.test\.tsx?$|\/test\//.test(path);

interface Import {
  path: string;
  from: string;
  isType: boolean;
}

function importsOf(path: string): Import[] {
  const statements = read(path).matchAll(
    /\b(import|export)\s+(type\s)?[^"';]*?\bfrom\s*"([^"]+)"|\bimport\s*\(?\s*"([^"]+)"/g,
  );
  return [...statements].map(([, , type, from, bare]) => ({
    path,
    from: from ?? bare ?? "",
    isType: type !== undefined,
  }));
}

const sources = files.filter((path) => isSource(path) && packageOf(path));
const shortName = (name: string): string => name.replace("@media-ops/", "");

describe("import rules", () => {
  it("cover every package", () => {
    for (const { manifest } of packages) expect(Object.keys(mayImport)).toContain(shortName(manifest.name));
  });

  it("are followed", () => {
    const broken = sources
      .filter((path) => !isTest(path))
      .flatMap(importsOf)
      .filter(({ path, from, isType }) => {
        const own = packageOf(path)?.manifest.name ?? "";
        const name = from.match(/^(@media-ops\/[^/]+)/)?.[1];
        const allowed = mayImport[shortName(own)] ?? {};
        if (!name || name === own || allowed === "anything") return false;
        const how = allowed[shortName(from)] ?? allowed[shortName(name)];
        return how === undefined || (how === "types" && !isType);
      });
    expect(broken).toEqual([]);
  });

  it("cannot be bypassed with a relative path into another package", () => {
    const broken = sources.flatMap(importsOf).filter(({ path, from }) => {
      if (!from.startsWith(".")) return false;
      const target = relative(root, join(root, dirname(path), from));
      return packageOf(target)?.folder !== packageOf(path)?.folder;
    });
    expect(broken).toEqual([]);
  });
});

/** Returns the files that a file imports by a relative path, types included. */
function neighboursOf(path: string): string[] {
  return importsOf(path)
    .filter(({ from }) => from.startsWith("."))
    .map(({ from }) => join(dirname(path), from).replace(/\.js$/, ".ts"))
    .flatMap((target) => [target, `${target}x`].filter((one) => sources.includes(one)));
}

/** Returns the first import cycle through each file, as "a.ts → b.ts → a.ts". */
function circlesIn(paths: readonly string[]): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at !== -1) circles.push([...trail.slice(at), path].join(" → "));
    if (at !== -1 || done.has(path)) return;
    for (const next of neighboursOf(path)) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of paths) visit(path, []);
  return circles;
}

it("no file imports itself through others, not even for types", () => {
  const circles = circlesIn(sources.filter((path) => /\/src\//.test(path) && !isTest(path)));
  expect(circles).toEqual([]);
});

/**
 * The most lines of source of each package, tests and generated files excepted. Who needs more changes the number in the
 * same commit, and says why in its message.
 */
const budgets: Record<string, number> = {
  openapi: 276,
  "packages/commands": 5115,
  "packages/contract": 444,
  "packages/database": 4183,
  "packages/fake-media": 2418,
  "packages/fake-slack": 4756,
  "packages/formatters": 6946,
  "packages/public-addresses": 159,
  "packages/reports": 2451,
  "packages/sdk": 3368,
  "packages/sdk/examples": 111,
  "packages/secrets": 505,
  "packages/settings": 465,
  "packages/testing": 596,
  "packages/tokens": 1142,
  "apps/bench": 2217,
  "apps/bot": 15658,
  "apps/cli": 2676,
  "apps/playground": 5608,
  "apps/service": 20148,
  "the rest": 2081,
};

const linesOf = (path: string): number => read(path).split("\n").length - 1;
const isCounted = (path: string): boolean =>
  /\.(ts|tsx|mjs)$/.test(path) && !path.includes("/generated/") && !/\.test\.tsx?$/.test(path);

describe("the size of the house", () => {
  it.each(["the rest", ...packages.map(({ folder }) => folder)])("%s is within its budget", (folder) => {
    const own = files.filter((path) => (packageOf(path)?.folder ?? "the rest") === folder && isCounted(path));
    expect(own.reduce((sum, path) => sum + linesOf(path), 0)).toBeLessThanOrEqual(budgets[folder] ?? 0);
  });

  it("no file has more than 800 lines, and no folder lies more than three deep below src", () => {
    const counted = files.filter(isCounted);
    const tooLong = counted.filter((path) => linesOf(path) > 800);
    const tooDeep = counted.filter((path) => (path.split("/src/")[1]?.split("/").length ?? 0) > 4);
    expect([...tooLong, ...tooDeep]).toEqual([]);
  });
});

describe("versions", () => {
  it("are specified only in the catalog", () => {
    const own = [{ folder: ".", manifest: JSON.parse(read("package.json")) as Manifest }, ...packages];
    const elsewhere = own.flatMap(({ folder, manifest }) =>
      Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.peerDependencies })
        .filter(([, version]) => !/^(catalog:|workspace:)/.test(version))
        .map(([name, version]) => `${folder}: ${name}@${version}`),
    );
    expect(elsewhere).toEqual([]);
  });

  it("are locked without the URL that they were downloaded from", () => {
    expect(read("pnpm-lock.yaml").match(/(tarball|registry).*https?:.*/g) ?? []).toEqual([]);
  });
});

describe("every published package", () => {
  it.each(
    packages.filter(({ manifest }) => !manifest.private).map(({ folder, manifest }) => ({ ...manifest, folder })),
  )("$name has a description, a licence, a Node version and a README", (manifest) => {
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/\S/),
      license: "MIT",
      engines: { node: ">=20.19" },
      exports: expect.any(Object),
      files: expect.arrayContaining(["dist"]),
    });
    expect(files).toContain(`${manifest.folder}/README.md`);
  });

  it("has entry points for ES modules and CommonJS, each with matching types", () => {
    const entries = packages
      .filter(({ manifest }) => !manifest.private)
      .flatMap(({ manifest }) => Object.entries(manifest.exports ?? {}).filter(([path]) => path !== "./package.json"));
    expect(entries.length).toBeGreaterThan(8);
    for (const [path, entry] of entries) {
      const file = path === "." ? "index" : `${path.slice(2)}/index`;
      expect(entry).toEqual({
        import: { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
        require: { types: `./dist/cjs/${file}.d.ts`, default: `./dist/cjs/${file}.js` },
      });
    }
  });
});

/** Returns the number of a file's exported declarations, and how many of them have a doc comment. */
function documented(path: string): [all: number, documented: number] {
  const declaration =
    /^export (?:default )?(?:declare |abstract |async )*(?:function|class|interface|type|const) ?\*?\s*\w/;
  const lines = read(path).split("\n");
  const at = lines.flatMap((line, index) => (declaration.test(line) ? [index] : []));
  return [at.length, at.filter((index) => lines[index - 1]?.trimEnd().endsWith("*/")).length];
}

it.each(packages.map(({ folder }) => folder))("at least 85 % of the exports of %s have a doc comment", (folder) => {
  const own = sources.filter((path) => packageOf(path)?.folder === folder && /\.tsx?$/.test(path) && !isTest(path));
  const counts = own.filter((path) => !path.includes("/generated/")).map(documented);
  const [all, withComment] = [0, 1].map((column) => counts.reduce((sum, count) => sum + (count[column] ?? 0), 0));
  expect(withComment).toBeGreaterThanOrEqual(0.85 * (all ?? 0));
});
