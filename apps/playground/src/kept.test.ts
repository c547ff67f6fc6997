import { setTimeout as elapsed } from "node:timers/promises";
import { expect, it } from "vitest";
import { createKeeper } from "./kept.js";

it("saves pending changes on stop, and nothing without changes", async () => {
  let kept = 0;
  const keep = async (): Promise<void> => {
    await elapsed(20);
    kept++;
  };
  const keeper = createKeeper(keep, () => {});
  for (let nth = 0; nth < 100; nth++) keeper.changed();
  await keeper.stop();
  keeper.changed();
  await keeper.stop();
  expect(kept).toBe(1);

  const idle = createKeeper(keep, () => {});
  await idle.stop();
  expect(kept).toBe(1);
});

it("saves soon after a change, and retries at the next change after a failure", async () => {
  const errors: unknown[] = [];
  let tries = 0;
  const keeper = createKeeper(
    async () => {
      tries++;
      if (tries === 1) throw new Error("The disk is full.");
    },
    (error) => errors.push(error),
    20,
  );
  keeper.changed();
  await expect.poll(() => errors).toHaveLength(1);
  keeper.changed();
  await expect.poll(() => tries).toBe(2);
  await keeper.stop();
});
