import { expect, it } from "vitest";
import { sweepAll } from "../storage/sweep.js";
import { openTestStorage } from "../test/storage.js";
import { Questions } from "./questions.js";

it("keeps the latest 20 questions of each person, for 30 days", async () => {
  const DAY = 24 * 60 * 60_000;
  const storage = await openTestStorage();
  let now = 100 * DAY;
  const questions = new Questions(storage, () => now);
  await questions.add("T1", "U2", "why");
  for (let at = 1; at <= 25; at++) {
    now += 1;
    await questions.add("T1", "U1", `why lobby-${at}`);
  }
  const all = await questions.latest("T1", "U1", 100);
  expect(all).toHaveLength(20);
  expect([all[0], all[19]]).toEqual(["why lobby-25", "why lobby-6"]);
  now += DAY;
  await questions.add("T1", "U1", "why lobby-6");
  await sweepAll(storage.database, now + 29 * DAY);
  expect(await questions.latest("T1", "U1", 100)).toEqual(["why lobby-6"]);
  expect(await questions.latest("T1", "U2", 100)).toEqual([]);
});
