import { databaseUrl } from "@media-ops/testing";
import { expect, it, onTestFinished } from "vitest";
import { runCli } from "../cli/run.js";
import { createIntakeKey } from "../keys/intake-keys.js";
import { createLog } from "../log.js";
import { openParts } from "../parts.js";
import { createProject } from "../projects/projects.js";
import { openStores } from "../stores.js";
import { callWithin, openTestStorage, startTestService, testConfig } from "../test/harness.js";
import { connectionCreated, connectionOf, present, sessionDestroyed } from "../test/media-events.js";
import { logKinds } from "./log-store.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The service's parts, with its clock some days ahead of the media server's. */
async function partsAhead(days: number) {
  const config = testConfig({
    MEDIA_DATABASE_URL: await databaseUrl({ memory: true }),
    MEDIA_MASTER_KEY: "5".repeat(64),
  });
  const log = createLog({ level: "info", to: { write() {} } });
  const parts = await openParts({ config, log, now: () => present + days * DAY_MS, elapsed: () => performance.now() });
  onTestFinished(() => parts.close());
  // As in every new service, the first check precedes the first entry.
  await parts.clock.check();
  await createProject(parts.storage.query, "demo", present);
  const value = sessionDestroyed(connectionOf());
  await parts.intake.session({ text: JSON.stringify(value), value });
  return parts;
}

it("a new service whose clock is 40 days ahead of the media server's keeps what that sends", async () => {
  const { clock, store, storage } = await partsAhead(40);
  const time = await clock.check();
  expect(time).toBeLessThanOrEqual(present - DAY_MS);
  expect(clock.pause).toMatch(/the media server's timestamps are more than a day behind it/);
  await store.runRetention(time, new AbortController().signal);
  expect(await storage.query.selectFrom("log_entry").select("kind").orderBy("kind").execute()).toEqual([
    { kind: logKinds.sessions.number },
    { kind: logKinds.events.number },
  ]);
});

it("a new service whose clock agrees with the media server's deletes entries that have expired by a day", async () => {
  const { clock } = await partsAhead(0);
  expect(await clock.check()).toBe(present - DAY_MS);
  expect(clock.pause).toBeUndefined();
});

const ENTRIES = 200;

/** A database with a month of entries, failed deliveries and ends, and programs that run with any clock on it. */
async function month() {
  const env = {
    MEDIA_DATABASE_URL: await databaseUrl(),
    MEDIA_MASTER_KEY: "5".repeat(64),
    MEDIA_PORT: "0",
    MEDIA_INTAKE_PORT: "0",
  };
  const storage = await openTestStorage(env.MEDIA_DATABASE_URL);
  const { query } = storage;
  const now = Date.now();
  await createProject(query, "demo", now);
  const { logs } = await openStores(storage, { now: () => now, owner: "test" });
  await logs.append(
    Array.from({ length: ENTRIES }, (_, at) => {
      const timestamp = new Date(now - (at * 29 * DAY_MS) / ENTRIES).toISOString();
      return { projectId: "demo", kind: "sessions" as const, timestamp, text: JSON.stringify({ timestamp }) };
    }),
  );
  for (const [at, days] of [1, 10, 20].entries()) {
    const names = { project_id: "demo", event_id: `e${at}` };
    const end = { ...names, id: `c ${at}`, until: now + days * DAY_MS };
    await query.insertInto("ended").values(end).execute();
    const endedAt = now - days * DAY_MS;
    const delivery = { ...names, delivery_id: `d${at}`, type: "a.b", lane: "", body: "{}", tries: 10 };
    await query
      .insertInto("delivery")
      .values({ ...delivery, state: "failed", created_at: endedAt, ended_at: endedAt })
      .execute();
  }
  const { text: intakeKey } = await createIntakeKey(query, "test", now);
  const clockAhead = (days: number) => () => Date.now() + days * DAY_MS;
  return {
    /** The number of entries, those of events included. */
    async allEntries(): Promise<number> {
      return (await query.selectFrom("log_entry").select("seq").execute()).length;
    },
    /** The number of ended sessions, deliveries and ends. */
    async kept(): Promise<number[]> {
      const rows = [
        query.selectFrom("log_entry").select("project_id").where("kind", "=", logKinds.sessions.number),
        query.selectFrom("delivery").select("project_id"),
        query.selectFrom("ended").select("project_id"),
      ];
      return (await Promise.all(rows.map((table) => table.execute()))).map(({ length }) => length);
    },
    /** Starts a service whose clock is some days ahead. */
    async start(days: number) {
      const { service, logged } = await startTestService({ env, now: clockAhead(days) });
      const ask = async (path: string) => (await fetch(service.internalUrl + path)).text();
      const sendEvent = async () => {
        const body = connectionCreated(connectionOf());
        return (await callWithin(service.internalUrl, "/intake/event", { key: intakeKey, body })).status;
      };
      return { logged, ask, sendEvent, stop: () => service.stop() };
    },
    /** Runs a command with a clock that is some days ahead. */
    async run(days: number, ...args: string[]): Promise<string> {
      let written = "";
      const write = (text: string): void => {
        written += text;
      };
      await runCli(args, { env, now: clockAhead(days), write, complain: write });
      return written;
    },
  };
}

it("a service with a wrong clock deletes nothing until an operator confirms it, and the right clock finds everything", async () => {
  const { allEntries, kept, start, run } = await month();
  const all = [ENTRIES, 3, 3];
  await (await start(0)).stop();

  const ahead = await start(31);
  await expect
    .poll(async () => JSON.parse(await ahead.ask("/readyz")))
    .toMatchObject({ status: "ready", retention_paused: expect.stringMatching(/31 days after the last trusted time/) });
  expect(await ahead.ask("/metrics")).toMatch(/^media_retention_paused 1$/m);
  expect(await run(31, "doctor")).toMatch(
    /WRONG +clock +Old data is deleted at most one day in an hour.*media-ops retention confirm/,
  );
  expect(await ahead.sendEvent()).toBe(200);
  expect(await kept()).toEqual(all);
  await ahead.stop();
  expect(ahead.logged().match(/Old data is deleted/g)).toHaveLength(1);

  const right = await start(0);
  expect(await right.ask("/metrics")).toMatch(/^media_retention_paused 0$/m);
  await right.stop();
  expect(right.logged()).not.toMatch(/Old data is deleted|Nothing is deleted|failed/);
  expect(await kept()).toEqual(all);

  const back = await start(-365);
  await expect.poll(back.logged).toMatch(/the last trusted time is|before this version was written/);
  expect(await back.sendEvent()).toBe(200);
  await back.stop();
  const rightAgain = await start(0);
  expect(await rightAgain.sendEvent()).toBe(200);
  await rightAgain.stop();
  expect(back.logged() + rightAgain.logged()).not.toMatch(/ failed/);
  expect(await kept()).toEqual(all);

  // Counted while no service runs: one that starts deletes what has expired by the trusted time.
  const expired = async (): Promise<number> => {
    const shown = JSON.parse(await run(45, "retention", "confirm", "--json"));
    expect(shown).toMatchObject({ confirmed: false, expired: { entries: expect.any(Number) } });
    return shown.expired.entries;
  };
  expect(await expired()).toBeGreaterThan(ENTRIES / 4);
  await (await start(45)).stop();
  expect(await kept()).toEqual(all);
  const left = (await allEntries()) - (await expired());
  await run(45, "retention", "confirm", "--yes");
  await start(45);
  await expect.poll(allEntries).toBe(left);
});
