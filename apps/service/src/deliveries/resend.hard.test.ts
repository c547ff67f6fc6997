import type { ResentDeliveries } from "@media-ops/contract";
import { expect, it } from "vitest";
import { enqueue } from "../test/enqueue.js";
import { pathOf } from "../test/harness.js";
import { atNight } from "../test/level.js";
import { eventOf, idsOf, startIntake, startReceiver } from "../test/receiver.js";

const EVENTS = atNight(10_000, 1500);
const BATCH = 500;

it(`sends ${EVENTS} failed deliveries again to a receiver that is back: each once, in order, and no other project's later`, async () => {
  const receiver = await startReceiver();
  const others = await startReceiver();
  const test = await startIntake();
  const { service, clock, send, call } = test;
  const { storage } = service;
  await test.setAddress("event", receiver.url);
  await test.setAddress("event", others.url, "other");
  const ids = Array.from({ length: EVENTS }, (_, n) => `e${n}`);
  for (let at = 0; at < EVENTS; at += BATCH) {
    const deliveries = ids.slice(at, at + BATCH).map((eventId, n) => ({
      projectId: "demo",
      eventId,
      type: "connection.created",
      lane: `c${n}`,
      body: JSON.stringify({ type: "connection.created", id: eventId }),
    }));
    // By a process that was killed, so that nothing is sent meanwhile.
    await enqueue(storage, deliveries, { now: clock.now(), owner: "killed" });
    await storage.query
      .updateTable("delivery")
      .set({ state: "failed", next_at: null, ended_at: clock.now(), tries: 10 })
      .where("state", "=", "waiting")
      .execute();
  }
  await storage.query.updateTable("delivery_queue").set({ due_at: null, owned_until: 0 }).execute();
  expect(receiver.received).toEqual([]);

  const began = performance.now();
  // On a busy machine, one call may not have the time for all.
  let [resent, cursor]: [number, string | undefined] = [0, undefined];
  do {
    const asked: object = { since: "2026-01-01T00:00:00Z", cursor };
    const answer = (await call(pathOf.resendDeliveries, { body: asked })).body as ResentDeliveries;
    resent += answer.resent;
    cursor = answer.next_cursor;
  } while (cursor !== undefined);
  expect(resent).toBe(EVENTS);

  const delays: number[] = [];
  const sentAt = new Map<string, number>();
  others.answer = ({ id }) => {
    delays.push(performance.now() - (sentAt.get(id) ?? 0));
    return {};
  };
  let n = 0;
  while (receiver.received.length < EVENTS && performance.now() - began < 200_000) {
    const id = `other-${n++}`;
    sentAt.set(id, performance.now());
    await send("event", eventOf(id, { project: "other" }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const seconds = (performance.now() - began) / 1000;
  await expect.poll(() => others.received.length).toBe(n);
  expect(idsOf(receiver)).toEqual(ids);
  delays.sort((one, other) => one - other);
  const [median = 0, p99 = 0] = [0.5, 0.99].map((share) => delays[Math.floor(delays.length * share)]);
  process.stdout.write(
    `${EVENTS} in ${seconds.toFixed(1)} s; ${n} events of another project after ${Math.round(median)} ms, p99 ${Math.round(p99)} ms\n`,
  );
  // At most 200 a second.
  expect(seconds).toBeGreaterThan(EVENTS / 200 - 1);
  // A second is how late a queue is looked at that nothing wakes.
  expect(p99).toBeLessThan(1000);
});
