import { once } from "node:events";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { listings } from "./demo/calls.js";
import { incidentBefore } from "./demo/past.js";
import { anyPorts } from "./ports.js";
import { keyOf, list } from "./test/logs.js";
import { act, sceneOf } from "./test/slack-window.js";
import { startTest, temporaryFolder } from "./test/start.js";

describe("the first start", () => {
  it("has entries in all five logs at once, and an hour in which webhooks failed", async () => {
    const playground = await startTest({ folder: await temporaryFolder() });
    for (const path of listings) expect((await list(playground, path)).length).toBeGreaterThan(50);
    const { from, until } = incidentBefore(Date.now());
    const failed = (await list(playground, "/orgs/list-webhook-logs")).filter(({ timestamp, status }) => {
      const at = Date.parse(timestamp);
      return at >= from && at < until && status !== 200;
    });
    expect(failed.length).toBeGreaterThan(15);
  });

  it("soon has something new to see: somebody has come and gone, and was told of", async () => {
    const began = Date.now();
    const playground = await startTest({ folder: await temporaryFolder() });
    const isNew = async (path: (typeof listings)[number]): Promise<boolean> =>
      Date.parse((await list(playground, path))[0]?.timestamp ?? "") >= began;
    for (const path of ["/orgs/list-webhook-logs", "/orgs/list-connection-logs"] as const) {
      await expect.poll(() => isNew(path), { timeout: 8_000 }).toBe(true);
    }
  });

  it("keeps the keys for its owner's eyes alone", async () => {
    const playground = await startTest({ folder: await temporaryFolder() });
    expect((await stat(playground.keyFile)).mode & 0o777).toBe(0o600);
    expect(playground.told).toEqual([]);
  });
});

describe("the next start", () => {
  it("goes on with the same project, logs and conversations", async () => {
    const folder = await temporaryFolder();
    const first = await startTest({ folder });
    const key = await keyOf(first);
    const [oldest] = (await list(first, "/orgs/list-session-logs")).slice(-1);
    const { you, places } = await sceneOf(first.url);
    await act(first.url, { person: you, do: "say", place: places[0]?.id, text: "Has anybody seen the webhooks?" });
    await first.stop();

    const second = await startTest({ folder });
    expect(second.told).toEqual([]);
    expect(await keyOf(second)).toBe(key);
    expect((await list(second, "/orgs/list-session-logs")).at(-1)).toEqual(oldest);
    const scene = await sceneOf(second.url);
    expect(scene.you).toBe(you);
    expect(scene.messages.map(({ text }) => text)).toContain("Has anybody seen the webhooks?");
  });

  it("begins anew where that is asked for, and leaves alone what is not its own", async () => {
    const folder = await temporaryFolder();
    const first = await startTest({ folder });
    const key = await keyOf(first);
    const { you, places } = await sceneOf(first.url);
    await act(first.url, { person: you, do: "say", place: places[0]?.id, text: "Has anybody seen the webhooks?" });
    await first.stop();
    await writeFile(join(folder, "notes.txt"), "mine");

    const second = await startTest({ folder, fresh: true });
    expect(await keyOf(second)).not.toBe(key);
    expect(await readFile(join(folder, "notes.txt"), "utf8")).toBe("mine");
    expect((await sceneOf(second.url)).messages).toEqual([]);
  });

  it.each([
    [
      "slack.json",
      "{ broken",
      "slack.json could not be used, and is slack.json.broken now. Its conversations begin anew.",
    ],
    [
      "slack.json",
      '{"version":0}',
      "slack.json could not be used, and is slack.json.broken now. Its conversations begin anew.",
    ],
    [
      "playground.json",
      "{}",
      "playground.json could not be used, and is playground.json.broken now. The demo project gets new keys.",
    ],
  ])("puts a %s aside that is %j, says so, and works", async (file, text, told) => {
    const folder = await temporaryFolder();
    const first = await startTest({ folder });
    const before = await list(first, "/orgs/list-session-logs");
    await first.stop();
    await writeFile(join(folder, file), text);

    const second = await startTest({ folder });
    expect(second.told).toEqual([told]);
    expect(await readFile(join(folder, `${file}.broken`), "utf8")).toBe(text);
    const after = await list(second, "/orgs/list-session-logs");
    // What has happened since is little: the past is not put in a second time.
    expect(after.length - before.length).toBeLessThan(5);
    expect(after.at(-1)).toEqual(before.at(-1));
    expect((await sceneOf(second.url)).people.map(({ name }) => name)).toEqual(["ann", "bob"]);
  });

  it("makes the project anew where the database is gone", async () => {
    const folder = await temporaryFolder();
    const first = await startTest({ folder });
    await first.stop();
    for (const name of await readdir(folder)) if (name.startsWith("media.db")) await rm(join(folder, name));
    const second = await startTest({ folder });
    for (const path of listings) expect((await list(second, path)).length).toBeGreaterThan(50);
  });
});

describe("what there is already", () => {
  it("of another service and bot is not touched, though the environment names it", async () => {
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

  it("is told without a word of code where it is spoilt, or is no folder", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "media.db");
    await writeFile(file, "no database at all, and long enough to be looked at");
    await expect(startTest({ folder })).rejects.toMatchObject({
      name: "DemoError",
      message: expect.stringMatching(/media\.db could not be opened(.|\n)*start --fresh begins anew\.$/),
    });
    expect(await readFile(file, "utf8")).toContain("no database");
    await expect(startTest({ folder: file })).rejects.toMatchObject({ name: "FolderError" });
    const playground = await startTest({ folder, fresh: true });
    expect((await sceneOf(playground.url)).messages).toEqual([]);
  });
});

describe("where it listens", () => {
  it("is another port where one is taken, and that is told", async () => {
    const other = createServer();
    await once(other.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void other.close());
    const { port: service } = other.address() as AddressInfo;
    const playground = await startTest({ folder: await temporaryFolder(), ports: { ...anyPorts, service } });
    expect(new URL(playground.serviceUrl).port).not.toBe(String(service));
    expect(playground.told).toEqual([`${service} is taken; the service is at ${new URL(playground.serviceUrl).port}.`]);
    expect((await list(playground, "/orgs/list-api-logs")).length).toBeGreaterThan(0);
  });

  it("is yet another one where somebody is quicker", async () => {
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
      tell: (text) => {
        told.push(text);
        const chosen = /; the page is at (\d+)\.$/.exec(text)?.[1];
        if (told.length === 1) others.push(take(Number(chosen)));
      },
    });
    expect(told).toHaveLength(2);
    expect(told[1]).toContain(`is at ${new URL(playground.url ?? "").port}.`);
    expect(told[1]).not.toBe(told[0]);
    expect((await sceneOf(playground.url)).messages).toEqual([]);
  });

  it("is told to whoever starts a second one with the same data", async () => {
    const folder = await temporaryFolder();
    const { url } = await startTest({ folder });
    await expect(startTest({ folder })).rejects.toThrow(`It is at ${url}`);
    await expect(startTest({ folder, fresh: true })).rejects.toThrow(`It is at ${url}`);
  });
});

describe("the bot in its Slack", () => {
  it("answers a command with what is in the logs", async () => {
    const { url } = await startTest({ folder: await temporaryFolder() });
    const { you, places } = await sceneOf(url);
    await act(url, {
      person: you,
      do: "command",
      place: places[0]?.id,
      line: "/media logs webhooks status>=400 since:3h",
    });
    await expect.poll(async () => JSON.stringify((await sceneOf(url)).messages)).toContain("/events");
  });
});

describe("the end", () => {
  it("comes within seconds though somebody looks on, and leaves nothing running", async () => {
    const folder = await temporaryFolder();
    const before = servers();
    const playground = await startTest({ folder });
    const stream = await fetch(`${playground.url}/api/window`);
    expect(stream.status).toBe(200);
    const began = performance.now();
    await playground.stop();
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(playground.told).toEqual([]);
    await stream.body?.cancel().catch(() => {});
    for (const url of [
      playground.url,
      playground.serviceUrl,
      playground.insideUrl,
      playground.botUrl,
      playground.mediaApiUrl,
    ]) {
      await expect(fetch(String(url))).rejects.toThrow();
    }
    await expect.poll(servers).toEqual(before);
    expect((await readdir(folder)).filter((name) => /lock|new|wal/.test(name))).toEqual([]);
  });
});

/** What listens. That nothing else keeps the process alive either is seen where a process ends by itself. */
function servers(): string[] {
  return process.getActiveResourcesInfo().filter((name) => /Server/.test(name));
}
