import { copyFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { callWithin, pathOf } from "../test/harness.js";
import { commands } from "./run.js";
import { commandLine } from "./test/command-line.js";

describe("a backup", () => {
  it("is consistent even while the service runs, and can be opened", async () => {
    const { folder, json, run, serveHere } = await commandLine();
    const { api_key: key } = await json("projects", "create", "demo");
    const { url } = await serveHere();
    for (let i = 0; i < 20; i++) await callWithin(url, pathOf.createAccessToken, { key });
    const calls = Promise.all(Array.from({ length: 20 }, () => callWithin(url, pathOf.createAccessToken, { key })));
    expect(await json("backup", join(folder, "copy.db"))).toMatchObject({ bytes: expect.any(Number) });
    await calls;
    const storage = await openStorage(`sqlite:${folder}/copy.db`);
    const entries = await storage.query.selectFrom("log_entry").selectAll().execute();
    expect(entries.length).toBeGreaterThanOrEqual(19);
    await storage.close();
    const stderr = expect.stringMatching(/exists already/);
    expect(await run("backup", join(folder, "copy.db"))).toMatchObject({ code: 1, stderr });
    expect(await readdir(folder)).toEqual(["copy.db", "data"]);
  });
});

describe("a restore", () => {
  it("into an empty folder needs the master key, and then works", async () => {
    const { json, folder: old } = await commandLine();
    await json("projects", "create", "demo");
    await json("backup", join(old, "backup.db"));
    const { run, folder, json: newJson } = await commandLine();
    const backup = join(folder, "backup.db");
    await copyFile(join(old, "backup.db"), backup);
    const missing = /master key of \S*\/data\/media\.db could not be read from \S*\/data\/media\.db\.key/;
    expect(await run("restore", backup)).toMatchObject({ code: 1, stderr: expect.stringMatching(missing) });
    expect((await readdir(join(folder, "data"))).filter((name) => name !== "media.db.key")).toEqual([]);
    await copyFile(join(old, "data/media.db.key"), join(folder, "data/media.db.key"));
    expect(await newJson("restore", backup)).toMatchObject({ kept: [] });
    expect(await newJson("projects", "list")).toMatchObject([{ project_id: "demo" }]);
  });

  it("with another master key is refused, and changes nothing", async () => {
    const { json, folder, run } = await commandLine();
    await json("projects", "create", "demo");
    const backup = join(folder, "backup.db");
    await json("backup", backup);
    await rm(join(folder, "data"), { recursive: true });
    await json("projects", "create", "other");
    const stderr = expect.stringMatching(/not the master key that the database was made with/);
    expect(await run("restore", backup)).toMatchObject({ code: 1, stderr });
    expect(await json("projects", "list")).toMatchObject([{ project_id: "other" }]);
  });

  it("of PostgreSQL names the tool to use instead", async () => {
    const { run } = await commandLine({ MEDIA_DATABASE_URL: "postgres://127.0.0.1:1/media" });
    expect(await run("restore", "backup.db")).toMatchObject({ code: 1, stderr: expect.stringMatching(/pg_restore/) });
  });
});

describe("in an empty folder", () => {
  const others = ["serve", "projects create", "intake-keys create", "migrate-store", "distribute", "restore", "doctor"];
  const options: Readonly<Record<string, string[]>> = {
    "projects update": ["--allow-anonymous"],
    "deliveries retry": ["--project", "demo"],
    "deliveries purge": ["--project", "demo", "--all"],
  };
  const reading = commands.filter(({ name }) => !others.includes(name));

  it.each(reading.map(({ name, parameters }) => [name, parameters] as const))(
    "%s reports that the database does not exist, and creates nothing",
    async (name, parameters) => {
      const { run, folder } = await commandLine();
      const given = parameters.filter((one) => one.startsWith("<")).map(valueFor);
      const stderr = expect.stringMatching(
        /^There is no database at .*media\.db\. To create one: media-ops projects create/,
      );
      const ran = await run(...name.split(" "), ...given, ...(options[name] ?? []));
      expect(ran).toEqual({ code: 1, stdout: "", stderr });
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it("a refused project name leaves nothing behind", async () => {
    const { run, folder } = await commandLine();
    expect((await run("projects", "create", "a@b")).code).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });
});

const valueFor = (parameter: string): string => {
  if (parameter.includes("|")) return "event";
  return parameter === "<address>" ? "https://demo.example/hooks" : "demo";
};

it("settings are read from a .env file, and the environment overrides it", async () => {
  const { folder, runProgram } = await commandLine({ MEDIA_LOG_LEVEL: "info" });
  await writeFile(`${folder}/.env`, "MEDIA_DATABASE_URL=sqlite:./elsewhere/my.db\nMEDIA_LOG_LEVEL=loud\n");
  expect((await runProgram("projects", "create", "demo")).code).toBe(0);
  expect((await readdir(`${folder}/elsewhere`)).sort()).toEqual(["my.db", "my.db.key"]);
  for (const name of ["my.db", "my.db.key"]) {
    expect((await stat(`${folder}/elsewhere/${name}`)).mode & 0o777).toBe(0o600);
  }
});
