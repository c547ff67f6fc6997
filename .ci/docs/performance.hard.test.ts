import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root, takeDocument } from "./document.js";

const program = join(root, "apps/bench/dist/main.js");
const usage = execFileSync(process.execPath, [program, "--help"], { encoding: "utf8" });
const [, short = "", long = ""] = /it runs (.+)\.\nBy name only, .+: (.+)\./.exec(usage) ?? [];
const names = [...short.split(", "), ...long.split(", ")];
const document = await readFile(join(root, "docs/performance.md"), "utf8");

// The rows take minutes and have their own test. This one only checks that the commands name existing rows.
takeDocument("docs/performance.md", async () => ({
  sh({ text }) {
    for (const line of text.split("\n")) {
      const [, typed = "?"] = /^npx -y pnpm@12 bench((?: \w+)*)(?: --against \S+)?(?: +#.*)?$/.exec(line) ?? [];
      for (const name of typed.split(" ").filter(Boolean)) expect(names).toContain(name);
    }
  },
}));

describe.each(names)("the section on %s", (name) => {
  const section = document.split(/^## /m).find((text) => text.startsWith(`${name}\n`)) ?? "";

  it("describes the measurement and contains a table", () => {
    const lines = section.split("\n");
    expect(lines.filter((line) => !line.startsWith("|")).join(" ").length).toBeGreaterThan(100);
    expect(lines.filter((line) => line.startsWith("| ")).length).toBeGreaterThan(3);
  });
});
