import { createHash } from "node:crypto";
import { databaseUrl } from "@media-ops/testing";
import { describe, expect, it, vi } from "vitest";
import { sweepAll } from "./storage/sweep.js";
import { openTestStorage, storedIn } from "./test/storage.js";
import { Claims } from "./work/jobs.js";

const MINUTE = 60_000;

const NOW = 1_750_000_000_000;

async function openClaims() {
  const clock = { now: NOW };
  const storage = await openTestStorage();
  return { clock, storage, claims: new Claims(storage, () => clock.now) };
}

/** Several processes that share a database, simulated by one connection each. */
async function processes(count: number, now = Date.now) {
  const url = await databaseUrl();
  const storages = await Promise.all(Array.from({ length: count }, () => openTestStorage(url)));
  const { query } = await openTestStorage(url);
  return { query, storages, all: storages.map((storage) => new Claims(storage, now)) };
}

describe("a claim", () => {
  it("succeeds once, until it expires", async () => {
    const { claims, clock } = await openClaims();
    expect(await claims.first("press", MINUTE)).toBe(true);
    expect(await claims.first("press", MINUTE)).toBe(false);
    expect(await claims.first("another", MINUTE)).toBe(true);
    clock.now += MINUTE - 1;
    expect(await claims.first("press", MINUTE)).toBe(false);
    clock.now += 1;
    expect(await claims.first("press", MINUTE)).toBe(true);
    expect(await claims.first("press", MINUTE)).toBe(false);
  });

  it("is not extended by later attempts", async () => {
    const { claims, clock } = await openClaims();
    await claims.first("press", MINUTE);
    clock.now += MINUTE - 1;
    await claims.first("press", 10 * MINUTE);
    clock.now += 1;
    expect(await claims.first("press", MINUTE)).toBe(true);
  });

  it("made by a clock that was an hour ahead can be made again as soon as the clock is right", async () => {
    const { claims, clock } = await openClaims();
    clock.now += 60 * MINUTE;
    expect(await claims.first("press", MINUTE)).toBe(true);
    clock.now -= 60 * MINUTE;
    expect(await claims.first("press", MINUTE)).toBe(true);
    expect(await claims.first("press", MINUTE)).toBe(false);
  });

  it("made by a clock that is only slightly ahead holds", async () => {
    const { claims, clock } = await openClaims();
    clock.now += MINUTE;
    await claims.first("press", MINUTE);
    clock.now -= MINUTE;
    expect(await claims.first("press", MINUTE)).toBe(false);
  });

  it("requested many times at once succeeds once, and needs few commits", async () => {
    const { claims, storage } = await openClaims();
    const writeAll = vi.spyOn(storage.database, "writeAll");
    const all = await Promise.all(Array.from({ length: 50 }, (_, index) => claims.first(`key ${index % 5}`, MINUTE)));
    expect(all.filter(Boolean)).toHaveLength(5);
    // One commit for all, or one for each key.
    expect(writeAll.mock.calls.length).toBeLessThanOrEqual(5);
  });

  it("requested by several processes has one winner, even if a former claim has expired", async () => {
    const clock = { now: NOW };
    const { all } = await processes(4, () => clock.now);
    const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);
    // Each process starts with another key, so that they collide in any order.
    const wonBy = async (claims: (typeof all)[number], at: number) => {
      const inTurn = [...keys.slice(at * 25), ...keys.slice(0, at * 25)];
      const won = await Promise.all(inTurn.map((key) => claims.first(key, MINUTE)));
      return inTurn.filter((_, index) => won[index]);
    };
    for (const round of ["first", "once more"]) {
      expect((await Promise.all(all.map(wonBy))).flat().sort(), round).toEqual([...keys].sort());
      clock.now += MINUTE;
    }
  });

  it("is deleted in any number, while several processes sweep and others claim the same keys again", async () => {
    const { query, storages, all } = await processes(3, () => NOW);
    const keys = Array.from({ length: 4500 }, (_, index) => `key ${index}`);
    const rows = keys.map((key) => ({ hash: createHash("sha256").update(key).digest("base64url"), until: NOW }));
    await query.insertInto("claim").values(rows).execute();
    await all[0]?.first("lasting", MINUTE);

    const wanted = keys.slice(0, 200);
    const claiming = Promise.all(all.flatMap((claims) => wanted.map((key) => claims.first(key, MINUTE))));
    await Promise.all(storages.map(({ database }) => sweepAll(database, NOW)));
    const wins = await claiming;
    expect(wins.filter(Boolean)).toHaveLength(wanted.length);
    for (const { database } of storages) await sweepAll(database, NOW);
    expect(await query.selectFrom("claim").select("until").execute()).toEqual(
      Array.from({ length: wanted.length + 1 }, () => ({ until: NOW + MINUTE })),
    );
  });

  it("does not reveal its key in the database", async () => {
    const storage = await openTestStorage(await databaseUrl());
    await new Claims(storage, Date.now).first("planted-trigger-id", MINUTE);
    const stored = await storedIn(storage);
    expect(stored).toContain(createHash("sha256").update("planted-trigger-id").digest("base64url"));
    expect(stored).not.toContain("planted-trigger-id");
  });
});

it("settled() resolves only after all pending claims are stored", async () => {
  const { claims, storage } = await openClaims();
  const asked = claims.first("press", MINUTE);
  await claims.settled();
  expect(await storage.query.selectFrom("claim").selectAll().execute()).toHaveLength(1);
  expect(await asked).toBe(true);
});
