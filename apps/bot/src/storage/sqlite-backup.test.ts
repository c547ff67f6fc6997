import { execFile } from "node:child_process";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Connections } from "../connections/connections.js";
import { temporaryFolder } from "../test/storage.js";
import { backUpBotStore, restoreBotStore } from "./copies.js";
import { openStorage } from "./open-storage.js";

/** A bot's database in a folder; a bot uses it while the callback runs. */
async function bot() {
  const folder = await temporaryFolder();
  const file = join(folder, "data/bot.db");
  const config = { databaseUrl: `sqlite:${file}`, masterKey: undefined, masterKeyFile: undefined };
  const connect = async (projectId: string): Promise<void> => {
    const storage = await openStorage(config);
    const connection = {
      teamId: "T01",
      projectId,
      baseUrl: "https://media.example",
      apiKey: "mo_k1_planted",
      userId: "U1",
    };
    await new Connections(storage, undefined, Date.now).add(connection);
    await storage.close();
  };
  const projects = async (): Promise<string[]> => {
    const storage = await openStorage(config);
    const found = await new Connections(storage, undefined, Date.now).all("T01");
    await storage.close();
    return found.map(({ projectId }) => projectId);
  };
  return { folder, file, config, env: { BOT_DATABASE_URL: config.databaseUrl }, connect, projects };
}

const now = Date.parse("2026-07-28T14:03:22Z");

it("a backup of the bot's database works while it is used, and a restore only while it is not", async () => {
  const { folder, file, config, env, connect, projects } = await bot();
  await connect("demo");
  const backup = join(folder, "backup.db");
  const running = await openStorage(config);
  expect(await backUpBotStore(backup, env)).toMatch(/The copy is in .*backup\.db\. It does not contain the master key/);
  await expect(restoreBotStore(backup, env, now)).rejects.toThrow(/bot\.db is in use/);
  await running.close();

  await connect("later");
  expect(await projects()).toEqual(["demo", "later"]);
  const said = await restoreBotStore(backup, env, now);
  expect(said).toMatch(/bot\.db now holds what .*backup\.db holds[\s\S]*bot\.db\.before-restore-2026-07-28T14-03-22Z/);
  expect(await projects()).toEqual(["demo"]);
  for (const one of [file, `${file}.key`, backup]) expect((await stat(one)).mode & 0o777).toBe(0o600);
});

it("a backup of the bot's database fails without its master key", async () => {
  const { folder, file, env, connect, projects } = await bot();
  await connect("demo");
  await backUpBotStore(join(folder, "backup.db"), env);
  const other = { ...env, BOT_MASTER_KEY: "6".repeat(64) };
  await expect(restoreBotStore(join(folder, "backup.db"), other, now)).rejects.toThrow(/not the master key/);
  await rm(`${file}.key`);
  await expect(restoreBotStore(join(folder, "backup.db"), env, now)).rejects.toThrow(/could not be read from .*key/);
  expect(await readdir(join(folder, "data"))).toEqual(["bot.db"]);
  await expect(projects()).rejects.toThrow(/could not be read/);
});

it("a bot without a database has nothing to back up, and none is created", async () => {
  const { folder, env } = await bot();
  await expect(backUpBotStore(join(folder, "backup.db"), env)).rejects.toThrow(/There is no database at/);
  expect(await readdir(folder)).toEqual([]);
});

it("media-bot --version prints the package's name and version", async () => {
  const root = join(import.meta.dirname, "../..");
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const printed = await new Promise((resolve) => {
    execFile(process.execPath, [join(root, "dist/main.js"), "--version"], (_, stdout) => resolve(stdout));
  });
  expect(printed).toBe(`@media-ops/bot ${manifest.version}\n`);
});
