import { describe, expect, it } from "vitest";
import { sweepAll } from "../storage/sweep.js";
import { openTestStorage } from "../test/storage.js";
import { createStateStore } from "./state-store.js";

const MINUTE = 60_000;
const options = { scopes: ["commands", "chat:write"], redirectUri: "https://bot.example/slack/oauth_redirect" };

async function openStore() {
  const clock = { now: 1_750_000_000_000 };
  const storage = await openTestStorage();
  const store = createStateStore(storage, "state secret", () => clock.now);
  return {
    clock,
    storage,
    begin: () => store.generateStateParam(options, new Date(clock.now)),
    finish: (state: string, by = store) => by.verifyStateParam(new Date(clock.now), state),
  };
}

const invalid = { code: "slack_oauth_invalid_state" };

describe("a state", () => {
  it("brings back what the installation was begun with, once", async () => {
    const { begin, finish } = await openStore();
    const state = await begin();
    expect(await finish(state)).toEqual(options);
    await expect(finish(state)).rejects.toMatchObject(invalid);
  });

  it("that comes back many times at once is good for one", async () => {
    const { begin, finish } = await openStore();
    const state = await begin();
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => finish(state)));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("is good for ten minutes", async () => {
    const { begin, finish, clock } = await openStore();
    const [one, two] = [await begin(), await begin()];
    clock.now += 10 * MINUTE - 1;
    expect(await finish(one)).toEqual(options);
    clock.now += 1;
    await expect(finish(two)).rejects.toMatchObject(invalid);
  });

  it("is another each time, long, and not kept as it is", async () => {
    const { begin, storage } = await openStore();
    const states = [await begin(), await begin()];
    expect(new Set(states).size).toBe(2);
    const rows = JSON.stringify(await storage.query.selectFrom("oauth_state").selectAll().execute());
    for (const state of states) {
      expect(state).toMatch(/^[\w-]{43}$/);
      expect(rows).not.toContain(state);
    }
  });

  it("that nobody has begun, or that was begun with another secret, is refused", async () => {
    const { begin, finish, storage, clock } = await openStore();
    await expect(finish("")).rejects.toMatchObject(invalid);
    await expect(finish("x".repeat(43))).rejects.toMatchObject(invalid);
    const other = createStateStore(storage, "another secret", () => clock.now);
    await expect(finish(await begin(), other)).rejects.toMatchObject(invalid);
  });

  it("that never came back leaves nothing behind", async () => {
    const { begin, storage, clock } = await openStore();
    await begin();
    clock.now += 10 * MINUTE;
    await begin();
    await sweepAll(storage.database, clock.now);
    expect(await storage.query.selectFrom("oauth_state").selectAll().execute()).toHaveLength(1);
  });
});
