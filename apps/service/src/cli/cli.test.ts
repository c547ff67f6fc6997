import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { helpOf, overview } from "./command.js";
import { commands } from "./run.js";
import { commandLine, withProjects } from "./test/command-line.js";

it("keys of media servers are created, listed and revoked", async () => {
  const { json, run } = await withProjects([]);
  const { intake_key, key_id } = await json("intake-keys", "create", "tokyo-1");
  expect(intake_key).toMatch(/^mi_[0-9a-f]{16}_/);
  expect(await json("intake-keys", "list")).toMatchObject([{ key_id, label: "tokyo-1", revoked_at: null }]);
  await json("intake-keys", "revoke", key_id);
  const stderr = expect.stringMatching(/no valid intake key /);
  expect(await run("intake-keys", "revoke", key_id)).toMatchObject({ code: 1, stderr });
});

it("prints the name and version of the package", async () => {
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, "../../package.json"), "utf8"));
  const { runProgram, json, folder } = await commandLine();
  const stdout = `@media-ops/service ${manifest.version}\n`;
  expect(await runProgram("--version")).toEqual({ code: 0, stdout, stderr: "" });
  expect(await json("--version")).toEqual({ name: "@media-ops/service", version: manifest.version });
  expect(await readdir(folder)).toEqual([]);
});

it("shows the help of a command, and creates nothing", async () => {
  const { run, folder } = await commandLine();
  expect(await run("projects", "create", "--help")).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^media-ops projects create <name>.*--json.*--help/s),
    stderr: "",
  });
  expect(await readdir(folder)).toEqual([]);
});

it("every help text fits 80 columns, and contains all that its command declares", () => {
  const squeezed = (text: string): string => text.replace(/\s+/g, " ");
  const all = overview(commands);
  for (const text of [all, ...commands.map(helpOf)]) {
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(text).not.toMatch(/ \n/);
  }
  for (const command of commands) {
    expect(squeezed(all)).toContain(squeezed(command.summary));
    const { summary, help = "", options = [] } = command;
    const parts = [`media-ops ${command.name}`, summary, help, ...options.map((option) => option.summary)];
    for (const part of [...parts, "--json", "--help", ...options.map(({ name }) => `--${name}`)]) {
      expect(squeezed(helpOf(command))).toContain(squeezed(part));
    }
  }
});

describe("an invalid command line", () => {
  it.each([
    [["project", "create", "demo"], 2, /Unknown command "project create". Did you mean "projects create"\?/],
    [["projects", "create"], 2, /Missing <name>. Usage: media-ops projects create <name>/],
    [["projects", "create", "a@b"], 1, /Invalid project name "a@b"/],
    [["--jsno"], 2, /has no option --jsno. Did you mean --json\? Options: --version, --json, --help\./],
    [[], 2, /media-ops serve/],
  ])("%j is refused with the reason", async (args, code, message) => {
    const { run } = await commandLine();
    expect(await run(...args)).toEqual({ code, stdout: "", stderr: expect.stringMatching(message) });
  });

  it.each([
    [["keys", "create", "nobody"], /no project nobody/],
    [["keys", "revoke", "0000"], /no valid key 0000/],
  ])("%j fails because the named item does not exist", async (args, message) => {
    const { run } = await withProjects(["demo"]);
    expect(await run(...args)).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(message) });
  });

  it("refuses to create a project that exists", async () => {
    const { run } = await withProjects([]);
    expect((await run("projects", "create", "demo")).code).toBe(0);
    const stderr = expect.stringMatching(/There is a project demo already/);
    expect(await run("projects", "create", "demo")).toMatchObject({ code: 1, stderr });
    const stdout = expect.stringMatching(/^project .*\ndemo /);
    expect(await run("projects", "list")).toMatchObject({ code: 0, stdout });
  });

  it("reports invalid settings without a stack", async () => {
    const { run } = await commandLine({ MEDIA_PORT: "http", MEDIA_LOG_LEVEL: "loud" });
    const { code, stderr } = await run("serve");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The settings are wrong:\n {2}MEDIA_PORT .*\n {2}MEDIA_LOG_LEVEL .*\n$/);
  });
});

it("options of the same name accept a value in every command, or in none", () => {
  const kinds = new Map<string, Set<boolean>>();
  for (const { name, value } of commands.flatMap(({ options = [] }) => options)) {
    kinds.set(name, (kinds.get(name) ?? new Set()).add(value !== undefined));
  }
  expect([...kinds].filter(([, { size }]) => size > 1)).toEqual([]);
});
