import { databaseUrl } from "@media-ops/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { batchNames } from "../logs/log-store.js";
import { openStorage } from "../storage/open-storage.js";
import { openQueue } from "../stores.js";
import { enqueue } from "../test/enqueue.js";
import type { DeliveryOutcome, WaitingDelivery } from "./delivery.js";
import type { DeliveryQueue } from "./delivery-queue.js";

const START = Date.parse("2026-04-01T09:30:15Z");
const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function open() {
  const storage = await openStorage(await databaseUrl({ memory: true }));
  onTestFinished(() => storage.close());
  const clock = { now: START };
  const nextBatch = batchNames();
  const queueOf = (owner: string): DeliveryQueue => openQueue(storage, { owner, now: () => clock.now });
  /** Enqueues events of the project "demo", as the intake does. */
  const take = (owner: string, ...eventIds: string[]): Promise<void> =>
    enqueue(
      storage,
      eventIds.map((eventId) => ({ projectId: "demo", eventId, type: "a.b", lane: eventId, body: "{}" })),
      { now: clock.now, owner },
    );
  const settle = async (
    owner: string,
    { deliveryId, tries }: WaitingDelivery,
    how: Pick<DeliveryOutcome, "state" | "nextAt">,
  ): Promise<void> => {
    const outcome = {
      projectId: "demo",
      deliveryId,
      tries: tries + 1,
      status: 0,
      fault: null,
      triedAt: clock.now,
      ...how,
    };
    const timestamp = new Date(clock.now).toISOString();
    const entry = { projectId: "demo", kind: "webhooks", timestamp, text: "{}" } as const;
    await queueOf(owner).settle([{ outcome, entry }], nextBatch());
  };
  const kept = () =>
    storage.query
      .selectFrom("delivery")
      .select(["event_id", "state", "tries", "next_at"])
      .orderBy("event_id")
      .execute();
  return { storage, clock, queueOf, take, settle, kept };
}

const eventIds = (due: readonly WaitingDelivery[]): string[] => due.map(({ eventId }) => eventId);

describe("a queue owned by a process whose clock was an hour ahead", () => {
  it("is free for the poll for due deliveries and for the intake as soon as the clock is right", async () => {
    const { clock, queueOf, take } = await open();
    await take("killed", "before");
    clock.now = START + HOUR;
    await take("killed", "ahead");
    clock.now = START + SECOND;
    expect(await queueOf("next").claim()).toEqual(["demo"]);
    expect(eventIds(await queueOf("next").due("demo", 10))).toEqual(["before"]);

    clock.now = START + HOUR;
    await queueOf("next").renew(["demo"]);
    clock.now = START + 2 * SECOND;
    await take("third", "after");
    expect(eventIds(await queueOf("third").due("demo", 10))).toEqual(["before", "after"]);
  });

  it("is not claimed from a process whose clock is only slightly ahead", async () => {
    const { clock, queueOf, take } = await open();
    clock.now = START + 10 * SECOND;
    await take("alive", "a");
    clock.now = START;
    await take("other", "b");
    expect(await queueOf("other").claim()).toEqual([]);
    expect(await queueOf("other").due("demo", 10)).toEqual([]);
  });

  it("makes its events due, and none waits longer than the schedule allows", async () => {
    const { clock, queueOf, take, settle, kept } = await open();
    clock.now = START - SECOND;
    await take("me", "by the schedule");
    clock.now = START + HOUR;
    await take("me", "new", "tried");
    for (const one of await queueOf("me").due("demo", 10)) {
      if (one.eventId === "tried") await settle("me", one, { state: "waiting", nextAt: clock.now + 5 * SECOND });
      if (one.eventId === "by the schedule") await settle("me", one, { state: "waiting", nextAt: START + 5 * SECOND });
    }
    clock.now = START;
    expect(await queueOf("me").claim()).toEqual([]);
    await queueOf("me").bringForward(new AbortController().signal);
    expect(await kept()).toMatchObject([
      { event_id: "by the schedule", next_at: START + 5 * SECOND },
      { event_id: "new", next_at: START, tries: 0 },
      { event_id: "tried", next_at: START, tries: 1 },
    ]);
    expect(await queueOf("me").claim()).toEqual(["demo"]);
    expect(eventIds(await queueOf("me").due("demo", 10))).toEqual(["new", "tried"]);
  });

  it("makes any number of deliveries due that wait for a time a day ahead", async () => {
    const { clock, queueOf, take } = await open();
    clock.now = START + DAY;
    const ids = Array.from({ length: 1203 }, (_, at) => `e${at}`);
    await take("killed", ...ids);
    clock.now = START;
    await queueOf("next").bringForward(new AbortController().signal);
    expect(await queueOf("next").claim()).toEqual(["demo"]);
    expect(eventIds(await queueOf("next").due("demo", 2000)).sort()).toEqual(ids.sort());
  });
});

describe("a process that has lost a queue", () => {
  async function lost() {
    const opened = await open();
    await opened.take("slow", "a");
    const [delivery] = await opened.queueOf("slow").due("demo", 10);
    if (!delivery) throw new Error("nothing is due");
    opened.clock.now = START + 15 * SECOND;
    expect(await opened.queueOf("quick").claim()).toEqual(["demo"]);
    return { ...opened, delivery };
  }

  it("gets no due deliveries, and notices the loss when it renews", async () => {
    const { queueOf } = await lost();
    expect(await queueOf("slow").due("demo", 10)).toEqual([]);
    expect(await queueOf("slow").renew(["demo"])).toEqual([]);
    expect(await queueOf("quick").renew(["demo"])).toEqual(["demo"]);
    expect(eventIds(await queueOf("quick").due("demo", 10))).toEqual(["a"]);
  });

  it("does not overwrite the new owner's outcome", async () => {
    const { settle, kept, delivery, clock } = await lost();
    await settle("quick", delivery, { state: "delivered", nextAt: null });
    await settle("slow", delivery, { state: "waiting", nextAt: clock.now });
    expect(await kept()).toMatchObject([{ state: "delivered", tries: 1, next_at: null }]);
  });

  it("saves the new owner a try if its own succeeded", async () => {
    const { settle, kept, queueOf, delivery, clock } = await lost();
    await settle("slow", delivery, { state: "delivered", nextAt: null });
    expect(await queueOf("quick").due("demo", 10)).toEqual([]);
    await settle("quick", delivery, { state: "waiting", nextAt: clock.now });
    expect(await kept()).toMatchObject([{ state: "delivered", tries: 1 }]);
  });
});
