import { databaseUrl } from "@media-ops/testing";
import { pino } from "pino";
import { expect, it } from "vitest";
import { openTestStorage } from "../test/storage.js";
import { createClockGuard, sweepAll } from "./sweep.js";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const NOW = Date.parse("2026-06-15T12:00:00Z");

/** A bot's database with pending claims and installations, and the bot's sweep with an adjustable clock. */
async function openSweep() {
  const storage = await openTestStorage(await databaseUrl());
  const { query, database } = storage;
  const untils = [-2 * DAY, -HOUR, HOUR];
  for (const until of untils) {
    const row = { hash: `until ${until / HOUR}`, until: NOW + until };
    await query.insertInto("claim").values(row).execute();
    await query
      .insertInto("oauth_state")
      .values({ ...row, sealed: "" })
      .execute();
  }
  const lines: string[] = [];
  const start = (now: () => number) => {
    // Set only before the process starts.
    const clocks = { now, elapsed: now };
    const clock = createClockGuard(database, pino({}, { write: (line) => void lines.push(line) }), clocks);
    return async (): Promise<void> => sweepAll(database, await clock.check());
  };
  const kept = async (): Promise<string[][]> => {
    const claims = await query.selectFrom("claim").select("hash").orderBy("until").execute();
    const states = await query.selectFrom("oauth_state").select("hash").orderBy("until").execute();
    return [claims, states].map((rows) => rows.map(({ hash }) => hash));
  };
  return { start, kept, lines };
}

const all = ["until -48", "until -1", "until 1"];

it("a bot with its clock 31 days ahead deletes only what had expired before its newest data, says so, and continues when the clock is right", async () => {
  const { start, kept, lines } = await openSweep();
  await start(() => NOW + 31 * DAY)();
  expect(await kept()).toEqual([all.slice(1), all.slice(1)]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /"level":50.*Old data is deleted at most one day in an hour, as the clock may be wrong.*30 days after the last/,
  );
  await start(() => NOW)();
  // Rows that expired less than a day ago stay: a clock may be that far off unnoticed.
  expect(await kept()).toEqual([all.slice(1), all.slice(1)]);
});

it("a bot that did not run for 40 days deletes one day in an hour, without an operator", async () => {
  const { start, kept } = await openSweep();
  await start(() => NOW)();
  let now = NOW + 40 * DAY;
  const sweep = start(() => now);
  await sweep();
  expect(await kept()).toEqual([all.slice(1), all.slice(1)]);
  for (let hour = 0; hour < 2; hour++) {
    now += HOUR;
    await sweep();
  }
  expect(await kept()).toEqual([[], []]);
});
