import { databaseUrl } from "@media-ops/test-databases";
import { expect, it, onTestFinished } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { openStores } from "../storage/stores.js";
import { enqueue } from "../test/enqueue.js";
import type { DeliveryQueue } from "./delivery-queue.js";

const START = Date.parse("2026-04-01T09:30:15Z");

it("what was noted, and is noted again as nobody knows it, stands in the log once; what is new beside it is added", async () => {
  const storage = await openStorage(await databaseUrl());
  onTestFinished(() => storage.close());
  const { queue } = await openStores(storage, { owner: "me", now: () => START });
  const events = ["a", "b"].map((eventId) => ({ projectId: "one", eventId, type: "a.b", lane: eventId, body: "{}" }));
  await enqueue(storage, events, { now: START, owner: "me" });
  const settled = (await queue.due("one", 10)).map(({ deliveryId, eventId }) => ({
    outcome: { projectId: "one", deliveryId, state: "delivered", tries: 1, nextAt: null, status: 200, fault: null },
    entry: {
      projectId: "one",
      kind: "webhooks",
      timestamp: new Date(START).toISOString(),
      text: JSON.stringify({ timestamp: new Date(START).toISOString(), eventId }),
    },
  })) satisfies Parameters<DeliveryQueue["settle"]>[0];
  // As when the connection breaks after the commit, and before the answer.
  await queue.settle(settled.slice(0, 1), { again: false });
  await queue.settle(settled, { again: true });
  const rows = await storage.query.selectFrom("log_entry").select("entry").orderBy("seq").execute();
  expect(rows.map(({ entry }) => JSON.parse(entry).eventId)).toEqual(["a", "b"]);
  expect(await queue.due("one", 10)).toEqual([]);
});
