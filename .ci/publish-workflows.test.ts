import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { publishedFolders, root } from "./publish/packages.js";

interface Step {
  uses?: string;
  run?: string;
}

interface Workflow {
  permissions: object;
  jobs: Record<string, { permissions?: object; steps?: Step[]; uses?: string; needs?: string | string[] }>;
}

const folder = join(root, ".github/workflows");
const files = readdirSync(folder);
const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");
const workflow = (file: string): Workflow => parse(textOf(file));
const scripts = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts);
const pnpmsOwn = ["install", "exec", "store"];

/**
 * Returns the lines of a workflow that use third-party code that can change later. Paths in this repository don't
 * count.
 */
function unpinnedActions(text: string): string[] {
  const uses = text.split("\n").filter((line) => /^[^#]*\buses["']?\s*:/.test(line));
  return uses.filter(
    (line) => !/^\s*(- )?uses: (\.\/\S+|[\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/.test(line),
  );
}

it.each([
  "- uses: actions/checkout@v6",
  "- uses: actions/checkout@v6.1.0",
  "- uses: actions/checkout@main",
  "- uses: actions/checkout",
  "- uses: actions/checkout@d23441a # v6.1.0",
  "- uses: actions/checkout@d23441a48e516b6c34aea4fa41551a30e30af803",
  '- "uses": actions/checkout@v6',
  "- { uses: actions/checkout@v6 }",
  "- uses: docker://alpine:3",
])("an unpinned action is found: %s", (line) => {
  expect(unpinnedActions(`steps:\n  ${line}\n`)).toHaveLength(1);
});

describe.each(files)("%s", (file) => {
  const { permissions, jobs } = workflow(file);
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);

  it("has read-only permissions, unless a job requests more", () => {
    expect(permissions).toEqual({ contents: "read" });
  });

  it("runs only scripts that exist", () => {
    const called = steps.flatMap(({ run = "" }) => [...run.matchAll(/pnpm@12 (\S+)/g)]).map(([, name]) => name);
    expect(called.length).toBeGreaterThan(0);
    for (const name of called) expect([...scripts, ...pnpmsOwn]).toContain(name);
  });

  it("pins every action by its full commit, with the version in a comment", () => {
    expect(unpinnedActions(textOf(file))).toEqual([]);
  });
});

describe("a release", () => {
  const { jobs } = workflow("release.yml");

  it("requires the checks to pass", () => {
    expect(jobs.ci?.uses).toBe("./.github/workflows/ci.yml");
    for (const name of ["version", "publish", "images"]) expect([jobs[name]?.needs].flat()).toContain("ci");
  });

  it("requires Slack's own validator to pass", () => {
    expect(jobs.slack?.steps?.map(({ run }) => run)).toContain("npx -y pnpm@12 check:slack");
    for (const name of ["publish", "images"]) expect([jobs[name]?.needs].flat()).toContain("slack");
  });

  it("may sign only in the job that publishes", () => {
    const signing = Object.entries(jobs).filter(([, job]) => "id-token" in (job.permissions ?? {}));
    expect(signing.map(([name]) => name)).toEqual(["publish"]);
  });

  it("records the source repository of every package before it is published", async () => {
    const steps = jobs.publish?.steps ?? [];
    const writes = steps.findIndex(({ run = "" }) => run.includes("repository.url"));
    const publishes = steps.findIndex(({ run = "" }) => run.includes("changeset publish"));
    expect(writes).toBeGreaterThan(-1);
    expect(writes).toBeLessThan(publishes);

    // Runs the actual step on copies of the packages' manifests.
    const folder = await mkdtemp(join(tmpdir(), "media-ops-release-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const published of publishedFolders) {
      await cp(join(root, published, "package.json"), join(folder, published, "package.json"));
    }
    const env = { ...process.env, GITHUB_SERVER_URL: "https://git.example", GITHUB_REPOSITORY: "someone/media" };
    await promisify(execFile)("bash", ["-euo", "pipefail", "-c", steps[writes]?.run ?? ""], { cwd: folder, env });
    for (const published of publishedFolders) {
      expect(JSON.parse(await readFile(join(folder, published, "package.json"), "utf8")), published).toMatchObject({
        repository: { type: "git", url: "git+https://git.example/someone/media.git", directory: published },
        homepage: `https://git.example/someone/media/tree/main/${published}#readme`,
        bugs: { url: "https://git.example/someone/media/issues" },
      });
    }
  });

  it("contains no registry host, because a copy of the repository may use another registry", () => {
    const places = [
      ...files.map(textOf),
      ...["Dockerfile", "compose.yaml"].map((name) => readFileSync(join(root, name), "utf8")),
    ];
    for (const text of places) expect(text).not.toMatch(/\b(registry|npm|docker|ghcr)\.[a-z.]*(org|com|io|dev)\b/);
  });
});
