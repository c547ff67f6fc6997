import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { root, takeDocument } from "./document.js";

const program = join(root, "apps/bench/dist/main.js");
const usage = execFileSync(process.execPath, [program, "--help"], { encoding: "utf8" });
const [, whole = "", long = ""] = /it runs (.+)\.\nBy name only, .+: (.+)\./.exec(usage) ?? [];
const names = [...whole.split(", "), ...long.split(", ")];
// scaling.md has the figures of the other one.
const withTables = names.filter((name) => name !== "scale");
const document = await readFile(join(root, "docs/performance.md"), "utf8");

takeDocument("docs/performance.md", async (trial) => {
  const folder = await mkdtemp(join(tmpdir(), "bench-test-"));
  trial.atEnd(() => rm(folder, { recursive: true }));

  return {
    /** The whole takes minutes: what is named must be there, and the shortest is run. */
    async sh({ text }) {
      for (const line of text.split("\n")) {
        const [, asked] = /^npx -y pnpm@12 bench((?: \w+)?)(?: --document)?(?: +#.*)?$/.exec(line) ?? [];
        expect(["", ...names]).toContain(asked?.trim());
        if (asked === " filter") await expectRun("filter", join(folder, "results.json"));
      }
    },
  };
});

async function expectRun(name: string, file: string): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, name, "--results", file]);
  const results: unknown = JSON.parse(await readFile(file, "utf8"));
  expect(results).toEqual([
    {
      name,
      measure: expect.any(String),
      against: expect.any(String),
      ours: expect.any(Number),
      theirs: expect.any(Number),
      ratio: expect.any(Number),
      goal: expect.any(String),
      met: expect.any(Boolean),
      note: expect.any(String),
    },
  ]);
  expect(stdout).toMatch(/^\| 1000 entries .+ \|$/m);
}

describe.each(withTables)("the section on %s", (name) => {
  const section = document.split(/^## /m).find((text) => text.startsWith(`${name}\n`)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| "));

  it("says what is measured", () => {
    const prose = section.split("\n").filter((line) => !line.startsWith("|"));
    expect(prose.join(" ").length).toBeGreaterThan(100);
  });

  it("holds the table of a run", () => {
    const [heads, ...others] = rows.map((row) => row.split("|").map((cell) => cell.trim()));
    expect(heads).toEqual(["", "measure", "against", "ours", "theirs", "ratio", "goal", "met", "note", ""]);
    expect(others.length).toBeGreaterThan(1);
  });

  it("says of each goal that was missed what is in the way", () => {
    expect(rows.filter((row) => /\| no +\|/.test(row) && !row.includes("in the way: "))).toEqual([]);
  });
});
