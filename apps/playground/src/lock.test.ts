import { spawnSync } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LOCK_FILE, lock } from "./lock.js";
import { temporaryFolder } from "./test/start.js";

it("a folder has one holder, and others get the holder's URL", async () => {
  const folder = await temporaryFolder();
  const held = await lock(folder);
  onTestFinished(held.release);
  await expect(lock(folder)).rejects.toThrow("It is still starting.");
  held.runsAt("http://127.0.0.1:4000");
  await expect(lock(folder)).rejects.toThrow(
    `with the data in ${folder} (process ${process.pid}). It is at http://127.0.0.1:4000`,
  );
});

it("a lock can be acquired again after its release, and leaves no files behind", async () => {
  const folder = await temporaryFolder();
  (await lock(folder)).release();
  (await lock(folder)).release();
  expect(await readdir(folder)).toEqual([]);
});

it("a lock is acquired by exactly one of many concurrent callers", async () => {
  const folder = await temporaryFolder();
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => lock(folder)));
  const held = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  for (const { release } of held) release();
  expect(held).toHaveLength(1);
});

it.each([
  ["a process that has exited", { pid: spawnSync(process.execPath, ["--eval", ""]).pid, port: 9 }],
  ["a process whose id was reused", { pid: process.pid, port: 9 }],
  ["an unknown process", "broken"],
])("a lock that was left behind by %s can be acquired", async (_, left) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, LOCK_FILE), typeof left === "string" ? left : JSON.stringify(left));
  const held = await lock(folder);
  held.release();
});
