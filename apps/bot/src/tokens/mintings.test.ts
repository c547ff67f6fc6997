import { expect, it } from "vitest";
import { openTestStorage } from "../test/storage.js";
import { type Minting, Mintings } from "./mintings.js";

const minting = (at: number, more: Partial<Minting> = {}): Minting => ({
  teamId: "T01",
  userId: "U01",
  placeId: "C01",
  at,
  projectId: "demo",
  jti: `jti-${at}`,
  ...more,
});

it("a minting is shown as it was recorded", async () => {
  const mintings = new Mintings(await openTestStorage());
  const whole = minting(1_750_000_000_000, {
    channelId: "lobby@demo",
    role: "recvonly",
    startsAt: 1_750_000_000_000,
    endsAt: 1_750_000_600_000,
    maxConnections: 5,
    reason: "a guest",
  });
  await mintings.record(whole);
  expect(await mintings.latest("T01", { limit: 10 })).toStrictEqual([whole]);
});

it("a minting is recorded also where its token names times beyond all years", async () => {
  const mintings = new Mintings(await openTestStorage());
  await mintings.record(minting(1, { startsAt: -1e300, endsAt: 1.5e20 }));
  const [told] = await mintings.latest("T01", { limit: 10 });
  expect(told).toMatchObject({ startsAt: Number.MIN_SAFE_INTEGER, endsAt: Number.MAX_SAFE_INTEGER });
});

it("what a token does not hold is absent", async () => {
  const mintings = new Mintings(await openTestStorage());
  await mintings.record(minting(1));
  expect(await mintings.latest("T01", { limit: 10 })).toEqual([minting(1)]);
});

it("the latest come first, of one workspace or one user, and no more than asked", async () => {
  const mintings = new Mintings(await openTestStorage());
  for (const at of [1, 3, 2]) await mintings.record(minting(at));
  await mintings.record(minting(4, { userId: "U02" }));
  await mintings.record(minting(5, { teamId: "T02" }));
  const times = async (...of: Parameters<typeof mintings.latest>) => (await mintings.latest(...of)).map(({ at }) => at);
  expect(await times("T01", { limit: 10 })).toEqual([4, 3, 2, 1]);
  expect(await times("T01", { limit: 2 })).toEqual([4, 3]);
  expect(await times("T01", { userId: "U01", limit: 2 })).toEqual([3, 2]);
  expect(await times("T02", { userId: "U01", limit: 10 })).toEqual([5]);
});

it("two of one moment with the same id are both recorded", async () => {
  const mintings = new Mintings(await openTestStorage());
  await mintings.record(minting(1));
  await mintings.record(minting(1, { userId: "U02" }));
  expect(await mintings.latest("T01", { limit: 10 })).toHaveLength(2);
});
