import { type Database, openDatabase } from "@media-ops/database";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { ClockGuard, type ClockRecord, confirmClock, EARLIEST, judgeClock, readClock } from "./clock-guard.js";
import { asMigration, newUrl, shared } from "./test/notes.js";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const START = Date.parse("2026-06-15T12:00:00Z");

const settings = asMigration("create table setting (name text primary key, value text not null)");

async function open(url = "sqlite::memory:"): Promise<Database<unknown>> {
  const migrations = { sqlite: { "001-setting": settings }, postgres: { "001-setting": settings } };
  const database = await openDatabase<unknown>(url, { owner: "test", migrations });
  onTestFinished(() => database.close());
  return database;
}

/** A process on a database, with a clock that can be set and a monotonic one that cannot. */
function processOn({ query }: Database<unknown>, more: Partial<ConstructorParameters<typeof ClockGuard>[0]> = {}) {
  const clock = { now: START, elapsed: 0 };
  const lines: string[] = [];
  const guard = new ClockGuard({
    query,
    table: "setting",
    now: () => clock.now,
    elapsed: () => clock.elapsed,
    newest: async () => undefined,
    log: { error: (line) => void lines.push(`error: ${line}`), info: (line) => void lines.push(`info: ${line}`) },
    confirm: "If it is right: confirm it.",
    ...more,
  });
  return {
    guard,
    lines,
    /** Sets the clock, without any time passing. */
    set: (ms: number) => {
      clock.now += ms;
    },
    /** Lets time pass on both clocks. */
    pass: (ms: number) => {
      clock.now += ms;
      clock.elapsed += ms;
    },
    /** Simulates events from the media server, with timestamps of this clock plus an offset. */
    hear: (offBy = 0, events = 1) => {
      for (let nth = 0; nth < events; nth++) {
        clock.now += 1000;
        clock.elapsed += 1000;
        guard.note(new Date(clock.now + offBy).toISOString());
      }
    },
    /** The time up to which data may be deleted, in days before the clock's. */
    check: async () => (clock.now - (await guard.check())) / DAY,
  };
}

describe("a clock", () => {
  it("of a new database, of one that is idle for weeks, and of a laptop that sleeps for a night is trusted", async () => {
    const { check, pass, set, lines } = processOn(await open());
    expect(await check()).toBe(1);
    for (let day = 0; day < 40; day++) {
      pass(DAY);
      expect(await check()).toBe(1);
    }
    set(16 * HOUR);
    expect(await check()).toBe(1);
    expect(lines).toEqual([]);
  });

  it("that jumps 31 days ahead deletes one day in an hour, is reported once an hour, and is trusted once it is corrected", async () => {
    const { check, pass, set, lines, guard } = processOn(await open());
    await check();
    pass(HOUR);
    set(31 * DAY);
    const days: number[] = [];
    for (let nth = 0; nth < 13; nth++) {
      days.push(Math.round(await check()));
      pass(10 * 60_000);
    }
    expect(days).toEqual([32, 32, 32, 32, 32, 32, 31, 31, 31, 31, 31, 31, 30]);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe(
      "error: Old data is deleted at most one day in an hour, as the clock may be wrong: it shows 2026-07-16T13:00:00.000Z, 31 days after the last trusted time, 2026-06-15T12:00:00.000Z. If the clock is wrong, set it, and let NTP keep it. If it is right: confirm it.",
    );
    expect(guard.pause).toMatch(/^Old data is deleted at most one day in an hour/);
    set(-31 * DAY);
    expect(await check()).toBe(1);
    expect(guard.pause).toBeUndefined();
    expect(lines.at(-1)).toMatch(/^info: The clock is trusted again/);
  });

  it("deletes one day in an hour, however many processes have it, and however often they check", async () => {
    const database = await open();
    await processOn(database).check();
    const all = Array.from({ length: 3 }, () => processOn(database));
    for (const { set } of all) set(31 * DAY);
    for (let minute = 0; minute < 300; minute += 5) {
      await Promise.all(all.map(({ check }) => check()));
      for (const { pass } of all) pass(5 * 60_000);
    }
    expect((await readClock(database.query, "setting"))?.at).toBe(START + 4 * DAY);
  });

  it("is trusted after 40 days of downtime once it has deleted a day in each hour", async () => {
    const database = await open();
    await processOn(database).check();
    const { check, pass, guard } = processOn(database);
    pass(40 * DAY);
    let hours = 0;
    for (; (await check()) > 1; hours++) pass(HOUR);
    expect(guard.pause).toBeUndefined();
    // The clock itself goes on for 1.6 days meanwhile.
    expect(hours).toBe(42);
  });

  it("that is ahead at one start has no effect on the next start", async () => {
    const database = await open();
    await processOn(database).check();
    const ahead = processOn(database);
    ahead.set(31 * DAY);
    expect(await ahead.check()).toBe(32);
    expect(await readClock(database.query, "setting")).toMatchObject({ at: START, paused: { kind: "jumped" } });
    const right = processOn(database);
    right.pass(HOUR);
    expect(await right.check()).toBe(1);
    expect(await readClock(database.query, "setting")).toEqual({ at: START + HOUR });
  });

  it("that was ahead when the database was created does not hide a later jump", async () => {
    const database = await open();
    const ahead = processOn(database);
    ahead.set(31 * DAY);
    expect(await ahead.check()).toBe(1);
    const right = processOn(database);
    expect(await right.check()).toBe(1);
    expect(right.lines).toEqual([
      expect.stringMatching(/^error: The clock shows 2026-06-15.*the last trusted time is 2026-07-16/),
    ]);
    const again = processOn(database);
    again.set(31 * DAY);
    expect(await again.check()).toBe(32);
  });

  it("is compared with the newest data if there is no record, or none that can be read", async () => {
    const database = await open();
    const { check, set, pass } = processOn(database, { newest: async () => START - 40 * DAY });
    expect(await check()).toBe(41);
    // Rows written meanwhile by the wrong clock do not make it trusted.
    expect(await processOn(database, { newest: async () => START }).check()).toBe(41);
    set(-40 * DAY);
    pass(HOUR);
    expect(await check()).toBe(1);
    const { check: checkAgain } = processOn(database, { newest: async () => START - 3 * DAY });
    for (const value of ["{", "null", '{"at":"now"}', '{"at":1,"paused":3}']) {
      await sql`update setting set value = ${value}`.execute(database.query);
      expect(await checkAgain()).toBe(4);
    }
  });

  it("that is 31 days ahead of the media server's deletes by that one's, until a clock is corrected or an operator confirms it", async () => {
    const database = await open();
    const { check, hear, pass, guard } = processOn(database);
    await check();
    for (let nth = 0; nth < 5; nth++) {
      hear(-31 * DAY, 3);
      expect(await check()).toBe(32);
      expect(guard.pause).toMatch(/the media server's timestamps are more than a day behind it.*confirm it\.$/);
      pass(5 * HOUR);
    }
    const now = START + 5 * (5 * HOUR + 3000);
    await confirmClock(database.query, "setting", now);
    for (let nth = 0; nth < 6; nth++) {
      hear(-31 * DAY, 3);
      expect(await check()).toBe(1);
      pass(5 * HOUR);
    }
  });

  it("is not confirmed by timestamps received before it jumped", async () => {
    const { check, set, hear } = processOn(await open());
    await check();
    hear(0, 50);
    set(31 * DAY);
    expect(Math.round(await check())).toBe(32);
  });

  it("is compared with the most advanced timestamp of the last hour, as events may be late", async () => {
    const { guard, hear, check, pass } = processOn(await open());
    hear(-40 * DAY);
    for (let nth = 0; nth < 2; nth++) {
      expect(await check()).toBe(41);
      expect(guard.pause).toMatch(/the media server's timestamps/);
    }
    pass(HOUR);
    hear(0);
    hear(-40 * DAY, 5);
    await check();
    expect(guard.pause).not.toMatch(/the media server's timestamps/);
  });

  it("of one process that is ahead deletes nothing and confirms nothing while another process's is right", async () => {
    const database = await open();
    const [right, wrong] = [processOn(database), processOn(database)];
    wrong.set(31 * DAY);
    await right.check();
    for (let nth = 0; nth < 50; nth++) {
      // This process has a media server with the same wrong clock.
      wrong.hear(0, 3);
      expect(await wrong.check()).toBeGreaterThan(31.9);
      expect(await right.check()).toBe(1);
      for (const one of [right, wrong]) one.pass(20 * 60_000);
    }
  });

  it("of one process that is behind holds back deletion in all processes, and each of them reports it", async () => {
    const database = await open();
    const [right, wrong] = [processOn(database), processOn(database)];
    wrong.set(-20 * DAY);
    expect(await right.check()).toBe(1);
    expect(await wrong.check()).toBe(1);
    expect(wrong.lines).toEqual([
      expect.stringMatching(/^error: The clock shows 2026-05-26.*the last trusted time is 2026-06-15/),
    ]);
    expect(await right.check()).toBe(21);
    expect(right.lines).toEqual([expect.stringMatching(/^error: Old data is deleted at most one day in an hour/)]);
    wrong.set(20 * DAY);
    expect(await wrong.check()).toBe(21);
    await confirmClock(database.query, "setting", START);
    expect(await Promise.all([right.check(), wrong.check()])).toEqual([1, 1]);
  });

  it("that an operator has confirmed does not confirm one that is further ahead", async () => {
    const database = await open();
    const [right, wrong] = [processOn(database), processOn(database)];
    await right.check();
    for (const one of [right, wrong]) one.pass(40 * DAY);
    wrong.set(31 * DAY);
    expect(await right.check()).toBe(41);
    await confirmClock(database.query, "setting", START + 40 * DAY);
    expect(await right.check()).toBe(1);
    expect(await wrong.check()).toBe(32);
  });

  it.each(shared)("is checked by many concurrent processes on %s", async (place) => {
    const url = await newUrl(place);
    const all = await Promise.all(Array.from({ length: 5 }, () => open(url)));
    const checks = all.flatMap((database) => Array.from({ length: 4 }, () => processOn(database).check()));
    expect(await Promise.all(checks)).toEqual(checks.map(() => 1));
  });
});

const jumped = { kind: "jumped", clock: START } as const;
const contradicted = { kind: "contradicted", clock: START } as const;

const [behind, recent, ahead] = [START - DAY - HOUR, START - HOUR, START + 31 * DAY];

/** The record before a check, what is checked, and the record after it. */
type Check = readonly [name: string, ClockRecord, { theirs?: number; mayMove?: boolean }, then: ClockRecord];
const checks: readonly Check[] = [
  ["a clock that is a day and an hour ahead is not trusted", { at: behind }, {}, { at: behind, paused: jumped }],
  ["a media server's clock that is ahead does not count", { at: recent }, { theirs: ahead }, { at: START }],
  ["a confirmation ends once timestamps agree", { at: recent, confirmed: true }, { theirs: START }, { at: START }],
  [
    "a confirmation of a time in the future does not count",
    { at: ahead, confirmed: true },
    { theirs: START - 31 * DAY },
    { at: START - 31 * DAY, paused: contradicted },
  ],
];

it.each(checks)("%s", (_, known, checked, then) => {
  expect(judgeClock(known, { now: START, mayMove: false, ...checked })).toEqual(then);
});

it("a clock that shows 1970 is never trusted, and does not affect the check after it is corrected", () => {
  for (const now of [0, EARLIEST - 1]) {
    const record = judgeClock({ at: START }, { now, theirs: now, mayMove: true });
    expect(record).toEqual({ at: START, paused: { kind: "impossible", clock: now } });
    expect(judgeClock(record, { now: START + HOUR, mayMove: false })).toEqual({ at: START + HOUR });
  }
});
