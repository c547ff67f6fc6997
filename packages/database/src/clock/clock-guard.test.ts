import { type Database, openDatabase } from "@media-ops/database";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { asMigration, newUrl, shared } from "../test/notes.js";
import { ClockGuard } from "./clock-guard.js";
import { confirmClock, DAY_MS, readClock } from "./clock-record.js";

const HOUR = 60 * 60 * 1000;
const DAY = DAY_MS;
const START = Date.parse("2026-06-15T12:00:00Z");

const settings = asMigration("create table setting (name text primary key, value text not null)");

async function open(url: string): Promise<Database<unknown>> {
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
    program: "service",
    goesOn: "once the media server agrees",
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
    /** Whether data may be deleted, and up to which time, in days before the clock's. */
    check: async () => {
      const time = await guard.check();
      return time === undefined ? "paused" : (clock.now - time) / DAY;
    },
  };
}

describe("a clock", () => {
  const openHere = () => open("sqlite::memory:");

  it("of a new database, of one that is idle for weeks, and of a laptop that sleeps for a night is trusted", async () => {
    const { check, pass, set, lines } = processOn(await openHere());
    expect(await check()).toBe(1);
    for (let day = 0; day < 40; day++) {
      pass(DAY);
      expect(await check()).toBe(1);
    }
    set(16 * HOUR);
    expect(await check()).toBe(1);
    expect(lines).toEqual([]);
  });

  it("that jumps 31 days ahead between two checks pauses deletion, is reported once an hour, and is trusted once it is corrected", async () => {
    const { check, pass, set, lines, guard } = processOn(await openHere());
    await check();
    pass(HOUR);
    set(31 * DAY);
    for (let nth = 0; nth < 13; nth++) {
      expect(await check()).toBe("paused");
      pass(10 * 60_000);
    }
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe(
      "error: Nothing is deleted, as the clock may be wrong: it shows 2026-07-16T13:00:00.000Z, but the service last ran 31 days earlier, at 2026-06-15T12:00:00.000Z. If the clock is wrong, set it, and let NTP keep it. If it is right: confirm it. Deleting goes on by itself once the media server agrees.",
    );
    expect(guard.pause).toMatch(/^Nothing is deleted/);
    set(-31 * DAY);
    expect(await check()).toBe(1);
    expect(guard.pause).toBeUndefined();
    expect(lines.at(-1)).toMatch(/^info: The clock is trusted again/);
  });

  it("that is ahead at one start has no effect on the next start", async () => {
    const database = await openHere();
    const first = processOn(database);
    await first.check();
    const ahead = processOn(database);
    ahead.set(31 * DAY);
    expect(await ahead.check()).toBe("paused");
    expect(await readClock(database.query, "setting")).toMatchObject({ at: START, paused: { kind: "jumped" } });
    const right = processOn(database);
    right.pass(HOUR);
    expect(await right.check()).toBe(1);
    expect(await readClock(database.query, "setting")).toEqual({ at: START + HOUR });
  });

  it("that was ahead when the database was created does not hide a later jump", async () => {
    const database = await openHere();
    const ahead = processOn(database);
    ahead.set(31 * DAY);
    expect(await ahead.check()).toBe(1);
    const right = processOn(database);
    expect(await right.check()).toBe(1);
    expect(right.lines).toMatchObject(
      [/^error: The clock shows 2026-06-15.*last ran at 2026-07-16/].map((line) => expect.stringMatching(line)),
    );
    const again = processOn(database);
    again.set(31 * DAY);
    expect(await again.check()).toBe("paused");
  });

  it("is compared with the newest data if there is no record", async () => {
    const database = await openHere();
    const newest = async () => START - 40 * DAY;
    const { check, set, pass } = processOn(database, { newest });
    expect(await check()).toBe("paused");
    // Rows written meanwhile by the wrong clock do not make it trusted.
    expect(await processOn(database, { newest: async () => START }).check()).toBe("paused");
    set(-40 * DAY);
    pass(HOUR);
    expect(await check()).toBe(1);
  });

  it("is trusted after 40 days of downtime once the media server has agreed with it for a day, across restarts", async () => {
    const database = await openHere();
    await processOn(database).check();
    let passed = 40 * DAY;
    const results = [];
    for (let start = 0; start < 3; start++) {
      const { check, pass, hear } = processOn(database);
      pass(passed);
      for (let hour = 0; hour < 10; hour++) {
        hear(0, 2);
        results.push(await check());
        pass(HOUR);
        passed += HOUR;
      }
    }
    expect(results.slice(0, 24)).toEqual(Array.from({ length: 24 }, () => "paused"));
    expect(results.slice(25)).toEqual(Array.from({ length: 5 }, () => 1));
  });

  it("stays paused while the media server disagrees, and while it is silent", async () => {
    const database = await openHere();
    await processOn(database).check();
    const { check, set, pass, hear } = processOn(database);
    set(31 * DAY);
    for (let nth = 0; nth < 10; nth++) {
      if (nth % 2 === 0) hear(-31 * DAY, 3);
      expect(await check()).toBe("paused");
      pass(5 * HOUR);
    }
  });

  it("is compared with the same timestamps by two checks at the same time", async () => {
    let resume: () => void = () => undefined;
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let reads = 0;
    const newest = async (): Promise<undefined> => (++reads === 1 ? void (await paused) : undefined);
    const { guard, hear, check } = processOn(await openHere(), { newest });
    hear(-40 * DAY);
    const first = guard.check();
    await expect.poll(() => reads).toBe(1);
    expect(await check()).toBe("paused");
    resume();
    expect(await first).toBeUndefined();
  });

  it("is compared with timestamps that a failed check could not record", async () => {
    let reads = 0;
    const newest = async (): Promise<undefined> => {
      if (++reads === 1) throw new Error("the database is away");
    };
    const { hear, check } = processOn(await openHere(), { newest });
    hear(-40 * DAY);
    await expect(check()).rejects.toThrow("away");
    expect(await check()).toBe("paused");
  });

  it("is not confirmed by timestamps received before it jumped", async () => {
    const { check, set, hear } = processOn(await openHere());
    await check();
    hear(0, 50);
    set(31 * DAY);
    expect(await check()).toBe("paused");
    hear(-31 * DAY);
    expect(await check()).toBe("paused");
  });

  it("that differs from the media server's by 31 days pauses deletion until a clock is corrected or an operator confirms it", async () => {
    const database = await openHere();
    const { check, hear, pass, guard } = processOn(database);
    await check();
    hear(-31 * DAY, 3);
    expect(await check()).toBe("paused");
    expect(guard.pause).toMatch(/the media server's timestamps are more than a day off.*confirm it\.$/);
    pass(HOUR);
    expect(await check()).toBe("paused");
    await confirmClock(database.query, "setting", START + HOUR);
    for (let nth = 0; nth < 6; nth++) {
      hear(-31 * DAY, 3);
      expect(await check()).toBe(1);
      pass(5 * HOUR);
    }
  });

  it("of one process that is ahead deletes nothing and confirms nothing while another process's is right", async () => {
    const database = await openHere();
    const [right, wrong] = [processOn(database), processOn(database)];
    wrong.set(31 * DAY);
    await right.check();
    for (let nth = 0; nth < 10; nth++) {
      // This process has a media server with the same wrong clock.
      wrong.hear(0, 3);
      expect(await wrong.check()).toBe("paused");
      expect(await right.check()).toBe(1);
      for (const one of [right, wrong]) one.pass(5 * HOUR);
      expect((await readClock(database.query, "setting"))?.at).toBeLessThan(START + 4 * DAY);
    }
  });

  it("of one process that is behind pauses deletion in all processes, and each of them reports it", async () => {
    const database = await openHere();
    const [right, wrong] = [processOn(database), processOn(database)];
    wrong.set(-20 * DAY);
    expect(await right.check()).toBe(1);
    expect(await wrong.check()).toBe(1);
    expect(wrong.lines).toMatchObject([
      expect.stringMatching(/^error: The clock shows 2026-05-26.*last ran at 2026-06-15/),
    ]);
    expect(await right.check()).toBe("paused");
    expect(right.lines).toMatchObject([expect.stringMatching(/^error: Nothing is deleted/)]);
    wrong.set(20 * DAY);
    expect(await wrong.check()).toBe("paused");
    await confirmClock(database.query, "setting", START);
    expect(await Promise.all([right.check(), wrong.check()])).toEqual([1, 1]);
  });

  it("that an operator has confirmed does not confirm one that is further ahead", async () => {
    const database = await openHere();
    const [right, wrong] = [processOn(database), processOn(database)];
    await right.check();
    for (const one of [right, wrong]) one.pass(40 * DAY);
    wrong.set(31 * DAY);
    expect(await right.check()).toBe("paused");
    await confirmClock(database.query, "setting", START + 40 * DAY);
    expect(await right.check()).toBe(1);
    expect(await wrong.check()).toBe("paused");
  });

  it.each(shared)("is checked by many concurrent processes on %s", async (place) => {
    const url = await newUrl(place);
    const all = await Promise.all(Array.from({ length: 5 }, () => open(url)));
    const checks = all.flatMap((database) => Array.from({ length: 4 }, () => processOn(database).check()));
    expect(await Promise.all(checks)).toEqual(checks.map(() => 1));
  });

  it("is compared with the newest data if its record cannot be read", async () => {
    const database = await openHere();
    await processOn(database).check();
    const { check } = processOn(database, { newest: async () => START - 3 * DAY });
    for (const value of ["{", "null", '{"at":"now"}', '{"at":1,"paused":3}']) {
      await sql`update setting set value = ${value}`.execute(database.query);
      expect(await check()).toBe("paused");
    }
  });
});

it("that has jumped is trusted after a day of steady time if there are no witnesses", async () => {
  const database = await open("sqlite::memory:");
  const { check, set, pass } = processOn(database, { hasWitnesses: false });
  await check();
  set(31 * DAY);
  for (let hour = 0; hour < 24; hour++) {
    expect(await check()).toBe("paused");
    pass(HOUR);
  }
  expect(await check()).toBe(1);
});
