import { databaseUrl } from "@media-ops/testing";
import { expect, it, onTestFinished } from "vitest";
import { batchNames } from "../logs/log-store.js";
import { openStorage } from "../storage/open-storage.js";
import { openStores } from "../stores.js";
import { enqueue } from "../test/enqueue.js";
import type { SettledDelivery } from "./delivery.js";

const START = Date.parse("2026-04-01T09:30:15Z");

it("a batch that is settled again is logged once; a different try with an equal entry is logged, too", async () => {
  const storage = await openStorage(await databaseUrl());
  onTestFinished(() => storage.close());
  const { queue } = await openStores(storage, { owner: "me", now: () => START });
  const events = [{ projectId: "one", eventId: "a", type: "a.b", lane: "a", body: "{}" }];
  await enqueue(storage, events, { now: START, owner: "me" });
  const [due] = await queue.due("one", 10);
  const timestamp = new Date(START).toISOString();
  const trying = (tries: number): SettledDelivery => ({
    outcome: {
      projectId: "one",
      deliveryId: due?.deliveryId ?? "",
      state: "waiting",
      tries,
      nextAt: START + tries,
      status: 500,
      fault: null,
      triedAt: START,
    },
    entry: { projectId: "one", kind: "webhooks", timestamp, text: JSON.stringify({ timestamp, status: 500 }) },
  });
  const entries = async (): Promise<number> =>
    (await storage.query.selectFrom("log_entry").select("seq").execute()).length;
  const next = batchNames();
  const [first, second] = [next(), next()];
  // As if the connection broke after the commit, and before the answer.
  await queue.settle([trying(1)], first);
  await queue.settle([trying(1)], first);
  expect(await entries()).toBe(1);
  await queue.settle([trying(2)], second);
  expect(await entries()).toBe(2);
  // The delayed first attempt reaches the database after all.
  await queue.settle([trying(1)], first);
  expect(await entries()).toBe(2);
  expect(await storage.query.selectFrom("delivery").select("tries").execute()).toEqual([{ tries: 2 }]);
});
