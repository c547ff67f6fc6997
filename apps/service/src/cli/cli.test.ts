import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Quarantine } from "../intake/quarantine.js";
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
  const { run, json, folder } = await commandLine();
  const stdout = `@media-ops/service ${manifest.version}\n`;
  expect(await run("--version")).toEqual({ code: 0, stdout, stderr: "" });
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

describe("a project", () => {
  it("admits clients without a token after --allow-anonymous, and no longer after --require-token", async () => {
    const { json, run } = await withProjects([]);
    await json("projects", "create", "demo");
    await json("projects", "create", "other");
    expect(await json("projects", "list")).toMatchObject([{ allow_anonymous: false }, { allow_anonymous: false }]);

    expect(await json("projects", "update", "demo", "--allow-anonymous")).toEqual({
      project_id: "demo",
      allow_anonymous: true,
    });
    expect(await json("projects", "list")).toEqual([
      { project_id: "demo", created_at: expect.any(String), allow_anonymous: true },
      { project_id: "other", created_at: expect.any(String), allow_anonymous: false },
    ]);
    expect((await run("projects", "list")).stdout).toMatch(/^demo .* admitted\nother .* refused$/m);

    await json("projects", "update", "--require-token", "demo");
    expect(await json("projects", "list")).toMatchObject([{ allow_anonymous: false }, { allow_anonymous: false }]);
  });

  it("is not changed without an option that says what to change", async () => {
    const { run } = await withProjects(["demo"]);
    for (const [args, code, stderr] of [
      [["demo"], 2, "Give --allow-anonymous, --require-token or --signing, to say what to change."],
      [
        ["demo", "--allow-anonymous", "--require-token"],
        2,
        "Give either --allow-anonymous or --require-token, not both.",
      ],
      [["nobody", "--require-token"], 1, "There is no project nobody. To list the projects: media-ops projects list"],
    ] as const) {
      expect(await run("projects", "update", ...args)).toEqual({ code, stdout: "", stderr: `${stderr}\n` });
    }
  });
});

it("audit lists what operators have changed, the newest first, without secrets, and exports it as lines of JSON", async () => {
  const { json, run } = await withProjects(["demo", "other"]);
  const { api_key: key, key_id } = await json("keys", "create", "demo");
  await run("keys", "revoke", key);
  await run("webhooks", "set", "demo", "event", "https://hooks.example/media?token=hidden");
  await run("projects", "update", "other", "--signing", "eddsa");
  await run("keys", "revoke", "0000");
  const entries = await json("audit", "demo");
  expect(entries).toMatchObject([
    { action: "operator.webhooks set", outcome: "done", requested_by: expect.stringMatching(/^operator:./) },
    { action: "operator.keys revoke", outcome: "done", subject: expect.stringContaining(key_id) },
    { action: "operator.keys create", outcome: "done", subject: "demo" },
  ]);
  const all = (await run("audit", "--lines")).stdout;
  expect(all).not.toContain(key);
  expect(all).not.toContain("hidden");
  const lines = all
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ action: "operator.keys revoke", outcome: "failed", project_id: null });
  expect(lines[1]).toMatchObject({ action: "operator.projects update", project_id: "other" });
  expect((await run("audit", "demo", "--action", "operator.keys create")).stdout).toMatch(
    /\n.*operator\.keys create.*\n$/,
  );
  expect((await run("audit", "demo", "--by", "nobody")).stdout).toBe("Nothing was changed.\n");
});

it("tokens of a project are signed with a key pair, which is listed and revoked like other keys", async () => {
  const { json } = await withProjects(["demo"]);
  const { api_key } = await json("keys", "create", "demo");
  const { key_id } = await json("projects", "update", "demo", "--signing", "eddsa");
  expect(await json("keys", "list", "demo")).toMatchObject([
    { kind: "api", revoked_at: null },
    { kind: "signing", key_id, retired_at: null },
  ]);
  expect(JSON.stringify(await json("keys", "list", "demo"))).not.toContain(api_key.split("_").at(-1));
  await json("projects", "update", "demo", "--signing", "hs256");
  expect((await json("keys", "list", "demo"))[1]).toMatchObject({
    key_id,
    retired_at: expect.any(String),
    revoked_at: null,
  });
  expect(await json("keys", "revoke", key_id)).toEqual({ key_id, project_id: "demo", revoked: true });
});

it("intake quarantine shows rejected events newest first, without tokens and control characters", async () => {
  const { run, json, inDatabase } = await withProjects([]);
  expect((await run("intake", "quarantine")).stdout).toBe("No event of the media server was rejected.\n");
  const rejected = { at: "2026-04-01T09:30:15.000Z", path: "/intake/event", keyId: "0123456789abcdef" };
  const long = `{"type": 5, "access_token": "planted-token", "x": "\u001b[2J${"x".repeat(600)}"}`;
  await inDatabase(async ({ query }) => {
    const quarantine = new Quarantine(query);
    await quarantine.add({ ...rejected, reason: "/type must be text.", body: long });
    await quarantine.add({ ...rejected, at: "2026-04-01T09:31:15.000Z", reason: "It isn't JSON.", body: "{" });
  });

  const from = { path: "/intake/event", intake_key_id: "0123456789abcdef" };
  const all = await json("intake", "quarantine");
  expect(all).toEqual([
    { id: 2, at: "2026-04-01T09:31:15.000Z", ...from, reason: "It isn't JSON.", body: "{" },
    expect.objectContaining({ id: 1, body: expect.stringMatching(/x{600}"}$/) }),
  ]);
  expect(await json("intake", "quarantine", "--limit", "1")).toEqual([all[0]]);

  const { stdout } = await run("intake", "quarantine");
  const headOf = (at: string): string => `2026-04-01T09:${at}:15.000Z  /intake/event  intake key 0123456789abcdef`;
  expect(stdout.split("\n").slice(0, 5)).toEqual([headOf("31"), "  It isn't JSON.", "  {", "", headOf("30")]);
  expect(stdout).toContain("more characters)");
  expect(stdout).toContain("\\u{1b}[2J");
  expect(stdout).not.toContain("\u001b");
  expect(stdout + JSON.stringify(all)).not.toContain("planted");
  const stderr = expect.stringMatching(/from 1 to 1000/);
  expect(await run("intake", "quarantine", "--limit", "0")).toMatchObject({ code: 2, stderr });
});
