import { expect, it } from "vitest";
import { mintingOf } from "../test/minting.js";
import { openTestStorage } from "../test/storage.js";
import { type Minting, Mintings } from "./mintings.js";

const minting = (at: number, more: Partial<Minting> = {}): Minting => mintingOf({ at, jti: `jti-${at}`, ...more });

it("a minting is recorded even if its token contains times out of range", async () => {
  const mintings = new Mintings(await openTestStorage());
  await mintings.record(minting(1, { starts_at: -1e300, ends_at: 1.5e20 }));
  const [told] = await mintings.latest("T01", { limit: 10 });
  expect(told).toMatchObject({ starts_at: Number.MIN_SAFE_INTEGER, ends_at: Number.MAX_SAFE_INTEGER });
});

it("the latest are listed first, of one workspace or one user, up to the limit", async () => {
  const mintings = new Mintings(await openTestStorage());
  for (const at of [1, 3, 2]) await mintings.record(minting(at));
  await mintings.record(minting(4, { user_id: "U02" }));
  await mintings.record(minting(5, { team_id: "T02" }));
  const times = async (...of: Parameters<typeof mintings.latest>) => (await mintings.latest(...of)).map(({ at }) => at);
  expect(await times("T01", { limit: 10 })).toEqual([4, 3, 2, 1]);
  expect(await times("T01", { limit: 2 })).toEqual([4, 3]);
  expect(await times("T01", { userId: "U01", limit: 2 })).toEqual([3, 2]);
  expect(await times("T02", { userId: "U01", limit: 10 })).toEqual([5]);
});

it("two mintings with the same time and id are both recorded", async () => {
  const mintings = new Mintings(await openTestStorage());
  await mintings.record(minting(1));
  await mintings.record(minting(1, { user_id: "U02" }));
  expect(await mintings.latest("T01", { limit: 10 })).toHaveLength(2);
});
