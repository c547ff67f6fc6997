import { setTimeout } from "node:timers/promises";
import { databaseUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { Listings } from "../logs/listings.js";
import type { LogStore, NewEntry } from "../logs/log-store.js";
import { openLogs, openStores } from "../stores.js";
import { openTestStorage } from "../test/harness.js";
import { createClock } from "../test/receiver.js";
import type { Storage } from "./open-storage.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const WINDOW_DAYS = 30;
const never = new AbortController().signal;

/** The logs of one database, as several processes with one clock see them. */
async function openDays() {
  const url = await databaseUrl();
  const clock = createClock();
  const open = async () => {
    const storage = await openTestStorage(url);
    const listings = new Listings(storage, clock.now);
    return { storage, listings, logs: await openLogs(storage, clock.now) };
  };
  /** An entry a number of days from now; its name is unique. */
  const entry = (name: string, days = 0): NewEntry => {
    const timestamp = new Date(clock.now() + days * DAY_MS).toISOString();
    return { projectId: "demo", kind: "webhooks", timestamp, text: JSON.stringify({ timestamp, name }) };
  };
  return { ...(await open()), clock, open, entry };
}

/** The names of the entries that a listing shows. */
async function listed(listings: Listings): Promise<string[]> {
  const { body } = await listings.list("demo", "webhooks");
  return JSON.parse(body.toString()).map(({ name }: { name: string }) => name);
}

/** The partition of each entry. On Citus, the name of a partition's shard ends with its number. */
async function placesIn({ query }: Storage): Promise<Record<string, string>> {
  const rows = await sql<{ name: string; place: string }>`
    select entry::json ->> 'name' as name, regexp_replace(tableoid::regclass::text, '_\\d+$', '') as place from log_entry`.execute(
    query,
  );
  return Object.fromEntries(rows.rows.map(({ name, place }) => [name, place]));
}

/** All tables whose names have this prefix. */
async function tablesIn({ query }: Storage, beginning: string): Promise<string[]> {
  const rows = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = to_regnamespace(current_schema()) and relkind = 'r' and starts_with(relname, ${beginning})
    order by name`.execute(query);
  return rows.rows.map(({ name }) => name);
}

const dayTable = (ms: number): string => `log_entry_d${new Date(ms).toISOString().slice(0, 10).replaceAll("-", "")}`;

describe("an entry", () => {
  it("of any day is stored, and listed unless it is older than 30 days", async () => {
    const { logs, listings, entry, storage, clock } = await openDays();
    const days = [400, 21, 6, 0, -1, -29, -31, -40];
    const [names, shown] = [days, days.filter((day) => day > -WINDOW_DAYS)].map((all) =>
      all.map((day) => `day ${day}`),
    );
    await logs.append(days.map((day) => entry(`day ${day}`, day)).reverse());
    expect(Object.keys(await placesIn(storage)).sort()).toEqual(names?.sort());
    expect(await listed(listings)).toEqual(shown);
    await logs.runRetention(clock.now(), never);
    expect(await listed(listings)).toEqual(shown);
    // Entries that no listing can show again are deleted, from all partitions.
    expect(Object.keys(await placesIn(storage)).sort()).toEqual(shown?.sort());
  });

  it("of today or the coming week is in the partition of its day, even in a new service", async () => {
    const { logs, entry, storage, clock } = await openDays();
    const days = [0, 1, 2, 3, 4, 5, 6, 7];
    await logs.append(days.map((day) => entry(`day ${day}`, day)));
    expect(await placesIn(storage)).toEqual(
      Object.fromEntries(days.map((day) => [`day ${day}`, dayTable(clock.now() + day * DAY_MS)])),
    );
  });

  it("that was stored before its day had a partition moves there later", async () => {
    const { logs, listings, entry, storage, clock } = await openDays();
    await logs.append([entry("early", 10), entry("earlier", 60)]);
    const ofEarly = dayTable(clock.now() + 10 * DAY_MS);
    expect((await placesIn(storage)).early).not.toBe(ofEarly);
    clock.putForward(5 * DAY_MS);
    await logs.runRetention(clock.now(), never);
    const places = await placesIn(storage);
    expect(places.early).toBe(ofEarly);
    expect(places.earlier).not.toMatch(/_d\d+$/);
    expect(await listed(listings)).toEqual(["earlier", "early"]);
  });
});

describe("as days pass", () => {
  it("listed entries stay, whole expired days are dropped, and partitions for the coming days exist", async () => {
    const { logs, listings, entry, storage, clock } = await openDays();
    const kept: { name: string; at: number }[] = [];
    // Covers more than one window, in steps of a day, and of a week or more without retention.
    for (const step of [1, 1, 7, 1, 8, 1, 20, 1, 1, 35, 1]) {
      const name = `at ${kept.length}`;
      kept.push({ name, at: clock.now() });
      await logs.append([entry(name)]);
      clock.putForward(step * DAY_MS);
      await logs.runRetention(clock.now(), never);
      const since = clock.now() - WINDOW_DAYS * DAY_MS;
      expect(await listed(listings)).toEqual(
        kept
          .filter(({ at }) => at > since)
          .map((one) => one.name)
          .reverse(),
      );
      const there = Object.keys(await placesIn(storage));
      expect(kept.filter((one) => one.at < since - DAY_MS && there.includes(one.name))).toEqual([]);
      const tables = await tablesIn(storage, "log_entry_");
      for (let ahead = 0; ahead <= 7; ahead++) expect(tables).toContain(dayTable(clock.now() + ahead * DAY_MS));
      const before = dayTable(since - DAY_MS);
      expect(tables.filter((table) => /_d\d+$/.test(table) && table <= before)).toEqual([]);
      expect(tables.length).toBeLessThan(WINDOW_DAYS + 15);
    }
  });

  it("reading and writing continue while partitions are added and dropped, and no entry is lost or missing from a listing", async () => {
    const { logs, listings, entry, storage, clock, open } = await openDays();
    const other = await open();
    const written: string[] = [];
    let isDone = false;
    const write = async ({ append }: { append: LogStore["append"] }, writer: string): Promise<void> => {
      for (let nth = 0; !isDone; nth++) {
        const names = [`${writer} ${nth} today`, `${writer} ${nth} early`];
        await append([entry(names[0] ?? ""), entry(names[1] ?? "", nth % 25)]);
        written.push(...names);
      }
    };
    const read = async (from: Listings): Promise<number> => {
      let listings = 0;
      for (; !isDone; listings++) {
        const known = written.slice(-100);
        const shown = new Set(await listed(from));
        // From a thousand on, entries of later days hide some of today's.
        if (shown.size < 1000) expect(known.filter((name) => !shown.has(name))).toEqual([]);
      }
      return listings;
    };
    const work = Promise.all([
      write({ append: (entries) => logs.append(entries) }, "one"),
      write({ append: (entries) => other.logs.append(entries) }, "other"),
      read(listings),
      read(other.listings),
    ]);
    for (let week = 0; week < 4; week++) {
      clock.putForward(6 * DAY_MS);
      // Two processes run the retention at once.
      await Promise.all([
        logs.runRetention(clock.now(), never),
        other.logs.runRetention(clock.now(), never),
        Promise.race([work, setTimeout(100)]),
      ]);
    }
    isDone = true;
    await work;
    const there = await placesIn(storage);
    // All entries are of the last month or later, so none has expired.
    expect(written.filter((name) => there[name] === undefined)).toEqual([]);
    expect(Object.keys(there)).toHaveLength(written.length);
    expect(written.length).toBeGreaterThan(20);
  });

  it.each([
    ["31 days ahead", 31],
    ["a year ahead", 365],
    ["a year back", -365],
    ["a month back", -30],
  ])("a clock that was %s for a while loses nothing, and later days get their partitions", async (_, days) => {
    const { logs, listings, entry, storage, clock } = await openDays();
    const seats = (await openStores(storage, { owner: "one", now: clock.now })).seats;
    const names = [-29, -20, -10, 0, 5, 12].map((day) => `day ${day}`);
    await logs.append(names.map((name) => entry(name, Number(name.slice(4)))));
    // Expired, but not yet deleted.
    await logs.append([entry("day -300", -300), entry("day -60", -60)]);
    // The last trusted time, by which nothing has expired.
    const trusted = clock.now() - 800 * DAY_MS;
    const makeDays = async (): Promise<void> => {
      await logs.runRetention(trusted, never);
      await seats.sweep(trusted, never);
    };
    clock.putForward(days * DAY_MS);
    await makeDays();
    await logs.append([entry("wrong clock")]);
    clock.putForward(-days * DAY_MS);
    await makeDays();
    for (const ahead of [-400, -200, -45, 1, 3, 15, 40, 200, 400]) await logs.append([entry(`later ${ahead}`, ahead)]);
    expect(await listed(listings)).toEqual(expect.arrayContaining(names));
    // As time passes, each day has its own partition again.
    for (let passed = 0; passed < 3; passed++) {
      clock.putForward(6 * DAY_MS);
      await makeDays();
      const tables = await tablesIn(storage, "log_entry_");
      for (let ahead = 0; ahead <= 7; ahead++) expect(tables).toContain(dayTable(clock.now() + ahead * DAY_MS));
    }
    expect(Object.keys(await placesIn(storage))).toHaveLength(names.length + 2 + 1 + 9);
    await logs.runRetention(clock.now(), never);
    const kept = Object.keys(await placesIn(storage));
    expect(kept).toEqual(expect.arrayContaining(["day 0", "day 5", "day 12", "later 3", "later 400"]));
    for (const gone of ["day -20", "day -60", "day -300", "later -200"]) expect(kept).not.toContain(gone);
  });

  it("partitions that a killed process has detached are dropped by the next process", async () => {
    const { logs, listings, entry, storage, clock } = await openDays();
    await logs.append([entry("old")]);
    const [day] = Object.values(await placesIn(storage));
    const gone = "log_entry_gone_d20200101_1577836800000";
    await sql`alter table log_entry detach partition ${sql.table(day ?? "")}`.execute(storage.query);
    await sql`alter table ${sql.table(day ?? "")} rename to ${sql.table(gone)}`.execute(storage.query);
    expect(await tablesIn(storage, "log_entry_gone_")).toEqual([gone]);
    await logs.runRetention(clock.now(), never);
    expect(await tablesIn(storage, "log_entry_gone_")).toEqual([]);
    // Only the detached day has no partition; the others still accept entries.
    clock.putForward(DAY_MS);
    await logs.append([entry("new")]);
    expect(await listed(listings)).toEqual(["new"]);
  });

  it("ended connections are forgotten by whole days, even by two processes at once", async () => {
    const { storage, clock, open } = await openDays();
    const other = await open();
    const stores = [storage, other.storage].map((one) => openStores(one, { owner: "one", now: clock.now }));
    const seats = (await Promise.all(stores)).map((one) => one.seats);
    const remember = (id: string, days: number) =>
      storage.query
        .insertInto("ended")
        .values({ project_id: "demo", id, event_id: "e", until: clock.now() + days * DAY_MS })
        .execute();
    for (const days of [-3, 1, 31, 33, 50]) await remember(`until ${days}`, days);
    for (const passed of [0, 5, 35]) {
      clock.putForward(passed * DAY_MS);
      await Promise.all(seats.map((one) => one.sweep(clock.now(), never)));
    }
    const rows = await storage.query.selectFrom("ended").select("id").execute();
    expect(rows.map(({ id }) => id)).toEqual(["until 50"]);
    expect((await tablesIn(storage, "ended_")).length).toBeLessThan(50);
  });
});
