import { databaseUrl } from "@media-ops/testing";
import { expect, it, onTestFinished } from "vitest";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { openQueue } from "../stores.js";
import { enqueue } from "../test/enqueue.js";
import type { DeliveryQueue } from "./delivery-queue.js";

const START = Date.parse("2026-04-01T09:30:15Z");
const LATER = START + 60_000;

async function open(): Promise<{ storage: Storage; queueAt(now: number): DeliveryQueue }> {
  const storage = await openStorage(await databaseUrl({ memory: true }));
  onTestFinished(() => storage.close());
  return { storage, queueAt: (now) => openQueue(storage, { owner: "me", now: () => now }) };
}

/** Enqueues events of a project, and gives them up. */
async function giveUp(storage: Storage, queue: DeliveryQueue, projectId: string, eventIds: readonly string[]) {
  const events = eventIds.map((eventId) => ({ projectId, eventId, type: "a.b", lane: eventId, body: "{}" }));
  await enqueue(storage, events, { now: START, owner: "me" });
  const due = await queue.due(projectId, 10);
  await queue.giveUp(projectId, "nobody is there");
  return due;
}

it("requeued deliveries are due at once, in their projects only, starting from the first try", async () => {
  const { storage, queueAt } = await open();
  const before = queueAt(START);
  const [one, two] = [
    await giveUp(storage, before, "one", ["a", "b", "c"]),
    await giveUp(storage, before, "two", ["d"]),
  ];
  await giveUp(storage, before, "three", ["e"]);
  await before.release();
  const queue = queueAt(LATER);
  expect(await queue.claim()).toEqual([]);

  expect(await queue.retry([...one.slice(0, 2), ...two])).toBe(3);

  expect((await queue.claim()).sort()).toEqual(["one", "two"]);
  const due = await queue.due("one", 10);
  expect(due.map(({ eventId, tries }) => [eventId, tries])).toEqual([
    ["a", 0],
    ["b", 0],
  ]);
  expect(await queue.due("three", 10)).toEqual([]);
});

it("a deleted delivery is not counted as requeued", async () => {
  const { storage, queueAt } = await open();
  const queue = queueAt(START);
  const [first] = await giveUp(storage, queue, "one", ["a"]);
  const gone = { projectId: "one", deliveryId: `${first?.deliveryId}x` };
  expect(await queue.retry([gone, ...(first ? [first] : [])])).toBe(1);
});
