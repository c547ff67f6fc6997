import { execFile } from "node:child_process";
import { readdir, stat, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { callWithin, pathOf } from "../test/harness.js";
import { commandLine, main, serve } from "./test/command-line.js";

describe("a backup", () => {
  it("is consistent though the service goes on, and opens by itself", async () => {
    const { folder, json, run, options } = await commandLine();
    const { api_key: key } = await json("projects", "create", "demo");
    const { url } = await serve(options);
    for (let i = 0; i < 20; i++) await callWithin(url, pathOf.createAccessToken, { key });
    const calls = Promise.all(Array.from({ length: 20 }, () => callWithin(url, pathOf.createAccessToken, { key })));
    expect(await json("backup", "copy.db")).toMatchObject({ bytes: expect.any(Number) });
    await calls;
    const storage = await openStorage(`sqlite:${folder}/copy.db`);
    const entries = await storage.query.selectFrom("log_entry").selectAll().execute();
    expect(entries.length).toBeGreaterThanOrEqual(19);
    await storage.close();
    expect(await run("backup", "copy.db")).toMatchObject({ code: 1, stderr: expect.stringMatching(/exists already/) });
    expect(await readdir(folder)).toEqual(["copy.db", "data"]);
  });
});

describe("the doctor", () => {
  it("finds nothing wrong with a fresh installation", async () => {
    const { json } = await commandLine();
    const findings = await json("doctor");
    expect(findings.map(({ check }: { check: string }) => check)).toEqual([
      "settings",
      "database",
      "disk",
      "clock",
      "media server",
      "service",
    ]);
    for (const finding of findings) expect(finding).toMatchObject({ ok: true });
  });

  it.each([
    ["settings", { MEDIA_PORT: "http" }, /MEDIA_PORT is a number/],
    ["database", { MEDIA_DATABASE_URL: "sqlite:/dev/null/media.db" }, /could not be opened/],
    ["media server", { MEDIA_UPSTREAM_URL: "http://127.0.0.1:9" }, /does not answer/],
  ])("says what is wrong with the %s", async (check, env, detail) => {
    const { run } = await commandLine(env as Record<string, string>);
    const { code, stdout } = await run("doctor", "--json");
    expect(code).toBe(1);
    const wrong = (JSON.parse(stdout) as { check: string; ok: boolean; detail: string }[]).filter(({ ok }) => !ok);
    expect(wrong[0]).toMatchObject({ check, detail: expect.stringMatching(detail) });
  });

  it("notices a clock that is behind what has been logged", async () => {
    const { folder, json, run } = await commandLine();
    await json("projects", "create", "demo");
    const storage = await openStorage(`sqlite:${folder}/data/media.db`);
    const at = new Date(Date.now() + 3_600_000).toISOString().slice(0, -1);
    await storage.query.insertInto("log_head").values({ project_id: "demo", kind: 1, seq: 1 }).execute();
    await storage.query
      .insertInto("log_entry")
      .values({ project_id: "demo", kind: 1, at, seq: 1, entry: "{}" })
      .execute();
    await storage.close();
    const { code, stdout } = await run("doctor");
    expect(code).toBe(1);
    expect(stdout).toMatch(/WRONG {2}clock .*there is a log entry of/);
  });

  it("sees the service run", async () => {
    const { options, run } = await commandLine();
    const { insideUrl } = await serve(options);
    const { port } = new URL(insideUrl);
    const { stdout } = await run("doctor");
    expect(stdout).toMatch(/ok +service .*nothing runs/);
    const env = { ...options.env, MEDIA_INTAKE_PORT: port };
    const seen = await new Promise<string>((resolve) => {
      execFile(process.execPath, [main, "doctor"], { ...options, env }, (_, output) => resolve(output));
    });
    expect(seen).toMatch(/ok +service .*runs, and is ready/);
  });
});

it("settings are read from a file .env, and the environment comes before it", async () => {
  const { folder, run } = await commandLine({ MEDIA_LOG_LEVEL: "info" });
  await writeFile(`${folder}/.env`, "MEDIA_DATABASE_URL=sqlite:./elsewhere/my.db\nMEDIA_LOG_LEVEL=loud\n");
  expect((await run("projects", "create", "demo")).code).toBe(0);
  expect((await readdir(`${folder}/elsewhere`)).sort()).toEqual(["my.db", "my.db.key"]);
  expect((await stat(`${folder}/elsewhere/my.db.key`)).mode & 0o777).toBe(0o600);
});
