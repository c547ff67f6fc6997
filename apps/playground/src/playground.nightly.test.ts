import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { listings } from "./demo/visitors.js";
import { anyPorts } from "./ports.js";
import { list, startTest, temporaryFolder } from "./test/start.js";
import { sceneOf } from "./test/window.js";

describe("the next start", () => {
  it.each([
    [
      "slack.json",
      "{ broken",
      "slack.json could not be read, and was renamed to slack.json.broken. All conversations are gone.",
    ],
    [
      "slack.json",
      '{"version":0}',
      "slack.json could not be read, and was renamed to slack.json.broken. All conversations are gone.",
    ],
    [
      "playground.json",
      "{}",
      "playground.json could not be read, and was renamed to playground.json.broken. The demo project gets new keys.",
    ],
  ])("renames a %s that is %j, reports it, and works", async (file, text, told) => {
    const folder = await temporaryFolder();
    const first = await startTest({ folder });
    const before = await list(first, "/orgs/list-session-logs");
    await first.stop();
    await writeFile(join(folder, file), text);

    const second = await startTest({ folder });
    expect(second.told).toEqual([told]);
    expect(await readFile(join(folder, `${file}.broken`), "utf8")).toBe(text);
    const after = await list(second, "/orgs/list-session-logs");
    // Only recent activity is new. The past is not added a second time.
    expect(after.length - before.length).toBeLessThan(5);
    expect(after.at(-1)).toEqual(before.at(-1));
    expect((await sceneOf(second.url)).people.map(({ name }) => name)).toEqual(["ann", "bob"]);
  });

  it("creates a new project if the database is gone", async () => {
    const folder = await temporaryFolder();
    const first = await startTest({ folder });
    await first.stop();
    for (const name of await readdir(folder)) if (name.startsWith("media.db")) await rm(join(folder, name));
    const second = await startTest({ folder });
    for (const path of listings) expect((await list(second, path)).length).toBeGreaterThan(50);
  });
});

describe("existing data", () => {
  it("of another service and bot is not touched, even if the environment refers to it", async () => {
    const elsewhere = await temporaryFolder();
    const databases = {
      MEDIA_DATABASE_URL: `sqlite:${join(elsewhere, "media.db")}`,
      BOT_DATABASE_URL: `sqlite:${join(elsewhere, "bot.db")}`,
    };
    const ports = {
      MEDIA_PORT: "9",
      MEDIA_INTAKE_PORT: "9",
      BOT_PORT: "9",
      MEDIA_UPSTREAM_URL: "https://media.example",
    };
    const playground = await startTest({ folder: await temporaryFolder(), env: { ...databases, ...ports } });
    expect(playground.mediaApiUrl).toContain("http://127.0.0.1:");
    expect(await readdir(elsewhere)).toEqual([]);
    expect(await readdir(playground.folder)).toEqual(expect.arrayContaining(["media.db", "bot.db"]));
  });

  it("is reported without a stack if it is damaged or not a folder", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "media.db");
    await writeFile(file, "no database at all, and long enough to be looked at");
    await expect(startTest({ folder })).rejects.toMatchObject({
      name: "DemoError",
      message: expect.stringMatching(/media\.db could not be opened(.|\n)*start --fresh$/),
    });
    expect(await readFile(file, "utf8")).toContain("no database");
    await expect(startTest({ folder: file })).rejects.toMatchObject({ name: "FolderError" });
    const playground = await startTest({ folder, fresh: true });
    expect((await sceneOf(playground.url)).people.map(({ name }) => name)).toEqual(["ann", "bob"]);
  });
});

it("a listener chooses again if another process takes the chosen port first", async () => {
  const others: Server[] = [];
  onTestFinished(() => {
    for (const other of others) other.close();
  });
  const take = (port: number): Server => createServer().listen(port, "127.0.0.1");
  const first = take(0);
  others.push(first);
  await once(first, "listening");
  const { port: page } = first.address() as AddressInfo;
  const told: string[] = [];
  const playground = await startTest({
    folder: await temporaryFolder(),
    ports: { ...anyPorts, page },
    report: (text) => {
      told.push(text);
      const chosen = /; the page is at (\d+)\.$/.exec(text)?.[1];
      if (told.length === 1) others.push(take(Number(chosen)));
    },
  });
  expect(told).toHaveLength(2);
  expect(told[1]).toContain(`is at ${new URL(playground.url ?? "").port}.`);
  expect(told[1]).not.toBe(told[0]);
  expect((await sceneOf(playground.url)).people.map(({ name }) => name)).toEqual(["ann", "bob"]);
});
