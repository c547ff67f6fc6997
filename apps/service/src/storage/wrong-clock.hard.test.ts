import { execFile } from "node:child_process";
import { once } from "node:events";
import { postgresUrl } from "@media-ops/testing";
import { expect, it } from "vitest";
import { main, serve } from "../cli/test/command-line.js";
import { createIntakeKey } from "../keys/intake-keys.js";
import { createProject } from "../projects/projects.js";
import { openVault } from "../secrets/open-vault.js";
import { openStores } from "../stores.js";
import { temporaryFolder, testConfig } from "../test/harness.js";
import { connectionCreated, connectionOf } from "../test/media-events.js";
import { shiftClock } from "../test/shift-clock.js";
import { openStorage, type Storage } from "./open-storage.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const ENTRIES = 200;

const places = [
  ["SQLite", async () => `sqlite:${await temporaryFolder()}/media.db`],
  ["PostgreSQL", () => postgresUrl()],
] as const;

/** A database with a month's entries, failed deliveries and what has ended, and programs with any clock on it. */
async function month(newUrl: () => Promise<string>) {
  const url = await newUrl();
  const cwd = await temporaryFolder();
  const base = {
    PATH: process.env.PATH,
    MEDIA_DATABASE_URL: url,
    MEDIA_MASTER_KEY: "5".repeat(64),
    MEDIA_PORT: "0",
    MEDIA_INTAKE_PORT: "0",
  };
  const within = async <T>(work: (storage: Storage) => Promise<T>): Promise<T> => {
    const storage = await openStorage(url);
    try {
      return await work(storage);
    } finally {
      await storage.close();
    }
  };
  const intakeKey = await within(async (storage) => {
    const now = Date.now();
    const { query } = storage;
    await openVault(testConfig({ MEDIA_MASTER_KEY: base.MEDIA_MASTER_KEY }), query);
    await createProject(query, "demo", now);
    const { logs } = await openStores(storage, { now: () => now, owner: "test" });
    await logs.append(
      Array.from({ length: ENTRIES }, (_, at) => {
        const timestamp = new Date(now - (at * 29 * DAY_MS) / ENTRIES).toISOString();
        return { projectId: "demo", kind: "sessions" as const, timestamp, text: JSON.stringify({ timestamp }) };
      }),
    );
    const rows = [1, 10, 20].map((days) => ({ until: now + days * DAY_MS, ended_at: now - days * DAY_MS }));
    for (const [at, { until, ended_at }] of rows.entries()) {
      const names = { project_id: "demo", event_id: `e${at}` };
      await query
        .insertInto("ended")
        .values({ ...names, id: `c ${at}`, until })
        .execute();
      const delivery = {
        ...names,
        delivery_id: `d${at}`,
        type: "a.b",
        lane: "",
        body: "{}",
        state: "failed",
        tries: 10,
      };
      await query
        .insertInto("delivery")
        .values({ ...delivery, created_at: ended_at, ended_at })
        .execute();
    }
    return (await createIntakeKey(query, "test", now)).text;
  });
  const env = (days: number) => ({
    ...base,
    ...shiftClock(days * DAY_MS),
  });
  return {
    /** How many rows of each kind there are. */
    kept: () =>
      within(async ({ query }) => {
        const count = async (table: "log_entry" | "delivery" | "ended"): Promise<number> =>
          (await query.selectFrom(table).select("project_id").execute()).length;
        return [await count("log_entry"), await count("delivery"), await count("ended")];
      }),
    /** A service whose clock is ahead by so many days. */
    async serve(days: number) {
      const running = await serve({ cwd, env: env(days) });
      const ask = async (path: string) => (await fetch(running.insideUrl + path)).text();
      return {
        ...running,
        ask,
        /** What it says of itself, asked until it is as expected. */
        ready: () => expect.poll(async () => JSON.parse(await ask("/readyz"))),
        tell: (body: object) =>
          fetch(`${running.insideUrl}/intake/event`, {
            method: "POST",
            headers: { authorization: `Bearer ${intakeKey}`, "content-type": "application/json" },
            body: JSON.stringify(body),
          }),
        async kill(signal: "SIGKILL" | "SIGTERM") {
          const exited = once(running.child, "exit");
          running.child.kill(signal);
          await exited;
        },
      };
    },
    /** A command on a machine whose clock is ahead by so many days. */
    run: (days: number, ...args: string[]) =>
      new Promise<{ code: number; stdout: string }>((resolve) => {
        execFile(process.execPath, [main, ...args], { cwd, env: env(days) }, (error, stdout) => {
          resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout });
        });
      }),
  };
}

const all = [ENTRIES, 3, 3];

it.each(places)(
  "on %s, a service with a wrong clock deletes nothing until an operator confirms it, and the right clock finds everything",
  async (_, newUrl) => {
    const { kept, serve: start, run } = await month(newUrl);
    const first = await start(0);
    await first.kill("SIGTERM");

    const ahead = await start(31);
    await ahead.ready().toMatchObject({ status: "ready", retention_paused: expect.stringMatching(/last ran 31 days/) });
    expect(await ahead.ask("/metrics")).toMatch(/^media_retention_paused 1$/m);
    expect((await ahead.tell(connectionCreated(connectionOf()))).status).toBe(200);
    expect((await run(31, "doctor")).stdout).toMatch(/WRONG +clock +Nothing is deleted.*media-ops retention confirm/);
    expect(await kept()).toEqual(all);
    await ahead.kill("SIGKILL");
    expect(ahead.lines.filter((line) => /Nothing is deleted/.test(line))).toHaveLength(1);

    const right = await start(0);
    expect(await right.ask("/metrics")).toMatch(/^media_retention_paused 0$/m);
    await right.kill("SIGTERM");
    expect(right.lines.join("\n")).not.toMatch(/Nothing is deleted|failed/);
    expect(await kept()).toEqual(all);

    const back = await start(-365);
    await expect.poll(() => back.lines.join("\n")).toMatch(/last ran at|before this version was written/);
    expect((await back.tell(connectionCreated(connectionOf()))).status).toBe(200);
    await back.kill("SIGTERM");
    const rightAgain = await start(0);
    expect((await rightAgain.tell(connectionCreated(connectionOf()))).status).toBe(200);
    await rightAgain.kill("SIGTERM");
    expect([...back.lines, ...rightAgain.lines].join("\n")).not.toMatch(/failed/);
    expect(await kept()).toEqual(all);

    const shown = JSON.parse((await run(45, "retention", "confirm", "--json")).stdout);
    expect(shown).toMatchObject({ confirmed: false, expired: { entries: expect.any(Number) } });
    const { entries } = shown.expired;
    expect(entries).toBeGreaterThan(ENTRIES / 4);
    await (await start(45)).kill("SIGTERM");
    expect(await kept()).toEqual(all);
    await run(45, "retention", "confirm", "--yes");
    await start(45);
    await expect.poll(async () => (await kept())[0]).toBe(ENTRIES - entries);
  },
);
