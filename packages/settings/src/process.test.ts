import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileLimit, openFilesFault, openFilesIn } from "./process.js";

const built = JSON.stringify(import.meta.resolve("@media-ops/settings/process"));

/** Runs a program; once it has printed "now", sends it a signal. */
async function runProgram(program: string): Promise<{ code: number | null; signal: string | null; said: string }> {
  const source = `import { endWith, StopSignal } from ${built}; ${program}`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (bytes: Buffer) => {
    said += bytes.toString();
    if (said === "now ") child.kill("SIGTERM");
  });
  const [code, signal] = await once(child, "exit");
  return { code, signal, said };
}

/** A file that blocks a thread when it is opened, like a hanging disk or name lookup. */
async function hangingFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "media-settings-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "pipe");
  await promisify(execFile)("mkfifo", [file]);
  return file;
}

const log = '{ info: ({ signal }) => process.stdout.write("early " + signal), fatal: () => {} }';
const stop = `const stop = new StopSignal(${log});`;
const hang = (file: string): string => `import("node:fs").then((fs) => fs.open(${JSON.stringify(file)}, () => {}));`;

it("a signal ends a starting program at once, even if one of its threads hangs", async () => {
  const program = `${stop} ${hang(await hangingFile())} setTimeout(() => process.stdout.write("now "), 100);`;
  expect(await runProgram(program)).toEqual({ code: null, signal: "SIGTERM", said: "now early SIGTERM" });
});

it("a started program handles a signal itself", async () => {
  const program = `${stop} stop.started(); setTimeout(() => {}, 60_000); process.stdout.write("now ");
    process.stdout.write("stopped by " + (await stop.received).reason); process.exit(0);`;
  expect(await runProgram(program)).toEqual({ code: 0, signal: null, said: "now stopped by SIGTERM" });
});

it("a failed program ends with its exit code, even if a part of it is still running", async () => {
  expect(await runProgram("setInterval(() => {}, 1000); endWith(3);")).toMatchObject({ code: 3 });
});

it("a failed program ends even if one of its threads hangs", async () => {
  expect(await runProgram(`${hang(await hangingFile())} endWith(3);`)).toMatchObject({ signal: "SIGKILL" });
});

it("a successful program ends when all of its work is done", async () => {
  expect(await runProgram('setTimeout(() => process.stdout.write("done"), 200); endWith(0);')).toEqual({
    code: 0,
    signal: null,
    said: "done",
  });
});

describe("the limit of open files", () => {
  it.each([
    ["Max open files            1024                 524288               files     ", 1024],
    ["Max cpu time   unlimited   unlimited   seconds\nMax open files   unlimited   unlimited   files", Infinity],
    ["", 4096],
  ])("is read from %j", (limits, expected) => {
    expect(openFilesIn(limits)).toBe(expected);
  });

  it("matches that of this process", () => {
    expect(openFileLimit()).toBeGreaterThan(0);
  });

  it.each([
    [511, "This process may have only 511 files and sockets open, and needs at least 512."],
    [512, undefined],
    [Infinity, undefined],
  ])("of %d is too low only below 512", (limit, words) => {
    expect(openFilesFault(limit)?.slice(0, words?.length)).toBe(words);
  });
});
