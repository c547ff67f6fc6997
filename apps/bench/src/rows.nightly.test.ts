import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import type { Result } from "./measure.js";

const LONGEST_MS = 300_000;
// Two parts that take about as long.
const parts = [
  ["list", "intake", "bot", "format"],
  ["mint", "admit", "sdk", "search"],
];
const program = new URL("../dist/main.js", import.meta.url).pathname;

it(
  "every row runs, verifies the answers, and reports figures",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "bench-test-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await Promise.all(parts.map((rows) => expectToRun(rows, join(folder, `${rows[0]}.json`))));
  },
  LONGEST_MS,
);

async function expectToRun(rows: readonly string[], file: string): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...rows, "--quick", "--results", file]);
  const results: (Result & { readonly row: string })[] = JSON.parse(await readFile(file, "utf8"));
  expect([...new Set(results.map(({ row }) => row))]).toEqual(rows);
  for (const { measure, ours } of results) expect(ours, measure).toBeGreaterThan(0);
  expect(stdout).toMatch(/^Goals met: \d+ of \d+\.$/m);
}

it("refuses an unknown row, and lists the known ones", async () => {
  const refused = promisify(execFile)(process.execPath, [program, "lists"]);
  await expect(refused).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('Unknown row "lists"') });
});
