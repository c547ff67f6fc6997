import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { readStages } from "./publish/images.js";
import { publishedFolders, root } from "./publish/packages.js";

interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Workflow {
  permissions: object;
  jobs: Record<
    string,
    { permissions?: object; steps?: Step[]; uses?: string; needs?: string | string[]; env?: object }
  >;
}

const folder = join(root, ".github/workflows");
const files = readdirSync(folder);
const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");
const workflow = (file: string): Workflow => parse(textOf(file));
const scripts = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts);
const pnpmsOwn = ["install", "exec", "store"];

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "media-ops-release-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Runs the commands of a step, as the runner does. */
const runStep = (step: Step | undefined, { cwd = root, env }: { cwd?: string; env: NodeJS.ProcessEnv }) =>
  promisify(execFile)("bash", ["-euo", "pipefail", "-c", step?.run ?? ""], { cwd, env });

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

  it("keeps no credentials in a checkout, and gives no whole job a secret", () => {
    const checkouts = steps.filter(({ uses = "" }) => uses.startsWith("actions/checkout@"));
    expect(checkouts.length).toBeGreaterThan(0);
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ "persist-credentials": false });
    for (const { env = {} } of Object.values(jobs)) expect(JSON.stringify(env)).not.toMatch(/secrets|token/);
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

  it("requires what runs every night to pass", () => {
    expect(jobs.nightly?.uses).toBe("./.github/workflows/nightly.yml");
    expect(textOf("nightly.yml")).toContain("npx -y pnpm@12 test:nightly");
    for (const name of ["publish", "images"]) expect([jobs[name]?.needs].flat()).toContain("nightly");
  });

  it("requires Slack's own validator to pass", () => {
    expect(jobs.slack?.steps?.map(({ run }) => run)).toContain("npx -y pnpm@12 check:slack");
    for (const name of ["publish", "images"]) expect([jobs[name]?.needs].flat()).toContain("slack");
  });

  it("gives the package registry's token to the one step that publishes, and leaves none behind", async () => {
    const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);
    const [publishes, ...others] = steps.filter((step) => JSON.stringify(step).includes("NPM_TOKEN"));
    expect(others).toEqual([]);
    expect(publishes?.run).toContain("changeset publish");

    // Runs the actual step, with a stand-in for npx that shows what the registry would be sent.
    const folder = await temporaryFolder();
    await writeFile(join(folder, "npx"), "#!/bin/sh\nprintf 'published with '; cat npmrc\n", { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, NPM_CONFIG_USERCONFIG: join(folder, "npmrc") };
    for (const NPM_TOKEN of ["", "planted"]) {
      await writeFile(join(folder, "npmrc"), "registry=https://packages.example/\n");
      const { stdout } = await runStep(publishes, { cwd: folder, env: { ...env, NPM_TOKEN } });
      expect(stdout.includes("//packages.example/:_authToken=planted")).toBe(NPM_TOKEN !== "");
      expect(await readFile(join(folder, "npmrc"), "utf8")).toBe("registry=https://packages.example/\n");
    }
  });

  it("builds images on one digest of the tag in the Dockerfile, and none without it", async () => {
    const steps = jobs.images?.steps ?? [];
    const pin = steps.find(({ id }) => id === "base");
    const build = steps.find(({ uses = "" }) => uses.startsWith("docker/build-push-action@"));
    expect(build?.with?.["build-contexts"]).toContain("steps.base.outputs.context");
    const output = join(await temporaryFolder(), "output");
    const runWith = (DIGEST: string) => runStep(pin, { env: { ...process.env, DIGEST, GITHUB_OUTPUT: output } });
    for (const bad of ["", "sha256:1", "latest", `sha256:${"a".repeat(64)} `]) {
      await expect(runWith(bad)).rejects.toMatchObject({ stdout: expect.stringContaining("NODE_IMAGE_DIGEST") });
    }
    const digest = `sha256:${"a".repeat(64)}`;
    await runWith(digest);
    const [tag, ...rest] = new Set(
      readStages(readFileSync(join(root, "Dockerfile"), "utf8"))
        .map(({ from }) => from)
        .filter((from) => from.includes(":")),
    );
    expect(rest).toEqual([]);
    expect(await readFile(output, "utf8")).toBe(`context=${tag}=docker-image://${tag}@${digest}\n`);
  });

  it("has its actions and images updated", () => {
    const { updates } = parse(readFileSync(join(root, ".github/dependabot.yml"), "utf8"));
    const ecosystems = updates.map((update: Record<string, unknown>) => update["package-ecosystem"]);
    expect(ecosystems).toEqual(["github-actions", "docker", "docker-compose"]);
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
    const folder = await temporaryFolder();
    for (const published of publishedFolders) {
      await cp(join(root, published, "package.json"), join(folder, published, "package.json"));
    }
    const env = { ...process.env, GITHUB_SERVER_URL: "https://git.example", GITHUB_REPOSITORY: "someone/media" };
    await runStep(steps[writes], { cwd: folder, env });
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
