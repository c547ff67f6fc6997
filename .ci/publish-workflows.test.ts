import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { publishedFolders, root } from "./publish/published.js";

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

describe.each(files)("%s", (file) => {
  const { permissions, jobs } = workflow(file);
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);

  it("may do nothing but read, where a job does not say that it needs more", () => {
    expect(permissions).toEqual({ contents: "read" });
  });

  it("runs what there is", () => {
    const called = steps.flatMap(({ run = "" }) => [...run.matchAll(/pnpm@12 (\S+)/g)]).map(([, name]) => name);
    expect(called.length).toBeGreaterThan(0);
    for (const name of called) expect([...scripts, ...pnpmsOwn]).toContain(name);
  });

  it("names what it uses in a version", () => {
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/@(v\d+|[0-9a-f]{40})$/);
  });
});

describe("a release", () => {
  const { jobs } = workflow("release.yml");

  it("is made only of what passes", () => {
    expect(jobs.ci?.uses).toBe("./.github/workflows/ci.yml");
    for (const name of ["version", "publish", "images"]) expect([jobs[name]?.needs].flat()).toContain("ci");
  });

  it("alone may sign, and only where it publishes", () => {
    const signing = Object.entries(jobs).filter(([, job]) => "id-token" in (job.permissions ?? {}));
    expect(signing.map(([name]) => name)).toEqual(["publish"]);
  });

  it("says of every package where it comes from", () => {
    const [, named = ""] = /for folder in (.+); do/.exec(textOf("release.yml")) ?? [];
    expect(named.split(" ").sort()).toEqual([...publishedFolders].sort());
  });

  it("writes down no host of a registry: a copy of the repository may have others", () => {
    const places = [
      ...files.map(textOf),
      ...["Dockerfile", "compose.yaml"].map((name) => readFileSync(join(root, name), "utf8")),
    ];
    for (const text of places) expect(text).not.toMatch(/\b(registry|npm|docker|ghcr)\.[a-z.]*(org|com|io|dev)\b/);
  });
});
