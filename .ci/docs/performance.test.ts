import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { root, takeDocument } from "./document.js";

const program = join(root, "apps/bench/dist/main.js");
const document = await readFile(join(root, "docs/performance.md"), "utf8");
const [, whole = "", long = ""] =
  /it runs (.+)\.\nBy name only, .+: (.+)\./.exec(execFileSync(process.execPath, [program, "--help"], { encoding: "utf8" })) ?? [];
const names = [...whole.split(", "), ...long.split(", ")];

takeDocument("docs/performance.md", async (trial) => {
  const folder = await mkdtemp(join(tmpdir(), "bench-test-"));
  trial.atEnd(() => rm(folder, { recursive: true }));

  return {
    /** The whole takes minutes: what is named must be there, and the shortest is run. */
    async sh({ text }) {
      for (const line of text.split("\n")) {
        const [, asked = ""] = /^npx -y pnpm@12 bench(.*?)(?: +#.*)?$/.exec(line) ?? [];
        const named = asked.split(" ").filter((word) => word !== "" && word !== "--document");
        expect(names).toEqual(expect.arrayContaining(named));
        if (named.join() !== "filter") continue;
        const file = join(folder, "results.json");
        const { stdout } = await promisify(execFile)(process.execPath, [program, "filter", "--results", file]);
        const results: object[] = JSON.parse(await readFile(file, "utf8"));
        expect(results.length).toBeGreaterThan(0);
        for (const result of results) {
          expect(result).toEqual({
            name: "filter",
            measure: expect.any(String),
            against: expect.any(String),
            ours: expect.any(Number),
            theirs: expect.any(Number),
            ratio: expect.any(Number),
            goal: expect.any(String),
            met: expect.any(Boolean),
            note: expect.any(String),
          });
          expect(stdout).toContain(`| ${Object.values(result)[1]}`);
        }
      }
    },
  };
});

describe.each(names)("the section on %s", (name) => {
  const section = document.split(/^## /m).find((text) => text.startsWith(`${name}\n`)) ?? "";

  it("says what is measured, and holds a table", () => {
    const [prose = "", table = ""] = section.split(/^(?=\|)/m, 2);
    expect(prose.length).toBeGreaterThan(200);
    expect(section).toMatch(/^\| measure +\| against +\| ours +\| theirs +\| ratio +\| goal +\| met +\| note +\|$/m);
    expect(table).not.toBe("");
  });

  it("says of each goal that was missed what stands in the way", () => {
    const missed = section.split("\n").filter((line) => line.startsWith("|") && line.split("|").at(-3)?.trim() === "no");
    if (missed.length > 0) expect(section).toContain("stands in the way");
  });
});
