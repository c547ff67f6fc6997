import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { bytesIn, openTestStorage, temporaryFolder } from "../test/storage.js";
import { createClaims } from "./claims.js";

const MINUTE = 60_000;

async function memoryClaims() {
  const clock = { now: 1_750_000_000_000 };
  const storage = await openTestStorage();
  return { clock, storage, claims: createClaims(storage, () => clock.now) };
}

describe("what is claimed", () => {
  it("is the first once, until its time is over", async () => {
    const { claims, clock } = await memoryClaims();
    expect(await claims.first("press", MINUTE)).toBe(true);
    expect(await claims.first("press", MINUTE)).toBe(false);
    expect(await claims.first("another", MINUTE)).toBe(true);
    clock.now += MINUTE - 1;
    expect(await claims.first("press", MINUTE)).toBe(false);
    clock.now += 1;
    expect(await claims.first("press", MINUTE)).toBe(true);
    expect(await claims.first("press", MINUTE)).toBe(false);
  });

  it("is not made to last by those who come too late", async () => {
    const { claims, clock } = await memoryClaims();
    await claims.first("press", MINUTE);
    clock.now += MINUTE - 1;
    await claims.first("press", 10 * MINUTE);
    clock.now += 1;
    expect(await claims.first("press", MINUTE)).toBe(true);
  });

  it("many times at once is the first once, and many at once share a commit", async () => {
    const { claims, storage } = await memoryClaims();
    const writeAll = vi.spyOn(storage.database, "writeAll");
    const all = await Promise.all(Array.from({ length: 50 }, (_, index) => claims.first(`key ${index % 5}`, MINUTE)));
    expect(all.filter(Boolean)).toHaveLength(5);
    expect(writeAll).toHaveBeenCalledOnce();
  });

  it("by two processes has one winner", async () => {
    const file = join(await temporaryFolder(), "bot.db");
    const [one, two] = await Promise.all([openTestStorage(file), openTestStorage(file)]);
    const all = [createClaims(one, Date.now), createClaims(two, Date.now)];
    const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);
    const winners = await Promise.all(keys.map((key) => Promise.all(all.map((claims) => claims.first(key, MINUTE)))));
    for (const each of winners) expect(each.filter(Boolean)).toHaveLength(1);
  });

  it("is forgotten when it is swept, and only when its time is over", async () => {
    const { claims, clock, storage } = await memoryClaims();
    const count = async () => (await storage.query.selectFrom("claim").selectAll().execute()).length;
    await claims.first("short", MINUTE);
    await claims.first("long", 2 * MINUTE);
    await claims.sweep();
    expect(await count()).toBe(2);
    clock.now += MINUTE;
    await claims.sweep();
    expect(await count()).toBe(1);
    expect(await claims.first("long", MINUTE)).toBe(false);
  });

  it("cannot be read in the database", async () => {
    const folder = await temporaryFolder();
    const claims = createClaims(await openTestStorage(join(folder, "bot.db")), Date.now);
    await claims.first("planted-trigger-id", MINUTE);
    expect((await bytesIn(folder)).includes("planted-trigger-id")).toBe(false);
  });

  it("is told to have failed where the database does not take it", async () => {
    const { claims, storage } = await memoryClaims();
    await storage.close();
    await expect(claims.first("press", MINUTE)).rejects.toThrow("closed");
  });
});

it("whoever waits for all that was asked waits until it is there", async () => {
  const { claims, storage } = await memoryClaims();
  const asked = claims.first("press", MINUTE);
  await claims.settled();
  expect(await storage.query.selectFrom("claim").selectAll().execute()).toHaveLength(1);
  expect(await asked).toBe(true);
});
