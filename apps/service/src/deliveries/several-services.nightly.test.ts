import { setTimeout } from "node:timers/promises";
import { databaseUrl } from "@media-ops/testing";
import { describe, expect, it } from "vitest";
import { enqueue } from "../test/enqueue.js";
import { createClock, eventOf, idsOf, startIntake, startReceiver, type TestIntake } from "../test/receiver.js";

const HOUR_MS = 3_600_000;

/** Starts services on one database, with one clock. */
async function onOneDatabase() {
  const clock = createClock();
  const env = { MEDIA_DATABASE_URL: await databaseUrl() };
  return { clock, start: (): Promise<TestIntake> => startIntake({ clock, env }) };
}

/** Waits until a service has polled for due deliveries once more: it must deliver one of a separate project. */
async function untilItHasLooked({ service, clock, setAddress, deliveries }: TestIntake, name: string): Promise<void> {
  const { url } = await startReceiver();
  await setAddress("event", url, name);
  const delivery = { projectId: name, eventId: "look", type: "a.b", lane: "", body: "{}" };
  await enqueue(service.storage, [delivery], { now: clock.now(), owner: "" });
  await service.storage.query
    .updateTable("delivery_queue")
    .set({ owned_until: 0 })
    .where("project_id", "=", name)
    .execute();
  await expect.poll(() => deliveries(name)).toMatchObject([{ state: "delivered" }]);
}

describe("two services on one database", () => {
  // By then, the delivering process's lease has expired, because nothing was due meanwhile.
  it("make a late try once, even if the receiver is slow", async () => {
    const { clock, start } = await onOneDatabase();
    const receiver = await startReceiver(() => ({ status: 500 }));
    const [one, other] = [await start(), await start()];
    await one.setAddress("event", receiver.url);
    await one.send("event", eventOf("e1"));
    await expect.poll(() => one.deliveries()).toMatchObject([{ tries: 1 }]);
    // Longer than the interval at which each service polls for due deliveries.
    receiver.answer = async () => {
      await setTimeout(2500);
      return {};
    };
    clock.putForward(HOUR_MS);
    await expect.poll(() => one.deliveries()).toMatchObject([{ state: "delivered" }]);
    await Promise.all([one.service.stop(), other.service.stop()]);
    expect(idsOf(receiver)).toEqual(["e1", "e1"]);
  });

  it("make a try once that begins just before the lease expires", async () => {
    const { clock, start } = await onOneDatabase();
    const receiver = await startReceiver();
    const [one, other] = [await start(), await start()];
    await one.setAddress("event", receiver.url);
    await one.send("event", eventOf("e1"));
    await expect.poll(() => one.deliveries()).toMatchObject([{ state: "delivered" }]);
    receiver.answer = async () => {
      await setTimeout(2500);
      return {};
    };
    clock.putForward(14_800);
    await one.send("event", eventOf("e2"));
    await expect.poll(() => one.deliveries()).toMatchObject([{}, { state: "delivered" }]);
    await Promise.all([one.service.stop(), other.service.stop()]);
    expect(idsOf(receiver)).toEqual(["e1", "e2"]);
  });

  it("continue a killed service's deliveries after 15 seconds, and not before", async () => {
    const { clock, start } = await onOneDatabase();
    const receiver = await startReceiver();
    const one = await start();
    await one.setAddress("event", receiver.url);
    const delivery = { projectId: "demo", eventId: "e1", type: "a.b", lane: "c1", body: '{"id":"e1"}' };
    await enqueue(one.service.storage, [delivery], { now: clock.now(), owner: "killed" });
    clock.putForward(8000);
    await untilItHasLooked(one, "look1");
    await untilItHasLooked(one, "look2");
    expect(receiver.received).toEqual([]);
    // This service must not deliver it while the other one may be alive.
    await one.send("event", eventOf("e2"));
    await untilItHasLooked(one, "look3");
    expect(receiver.received).toEqual([]);
    clock.putForward(7000);
    await expect.poll(() => idsOf(receiver)).toEqual(["e1", "e2"]);
  });

  it("drop deliveries that they have not begun, if the lease expires before it is renewed", async () => {
    const { clock, start } = await onOneDatabase();
    const held: (() => void)[] = [];
    const receiver = await startReceiver(async () => {
      await new Promise<void>((done) => held.push(done));
      return {};
    });
    const one = await start();
    await one.setAddress("event", receiver.url);
    const ids = Array.from({ length: 30 }, (_, at) => `e${at}`);
    await Promise.all(ids.map((id) => one.send("event", eventOf(id, { connection: id }))));
    await expect.poll(() => held.length).toBe(20);
    // Simulates a suspended process: another one has claimed the queue before this one can check it.
    const { query } = one.service.storage;
    await query
      .updateTable("delivery_queue")
      .set({ owner: "other", owned_until: clock.now() + 100_000 })
      .execute();
    clock.putForward(80_000);
    for (const done of held) done();
    await expect
      .poll(async () => (await one.deliveries()).filter(({ state }) => state === "delivered").length)
      .toBe(20);
    await untilItHasLooked(one, "look");
    await untilItHasLooked(one, "again");
    expect(receiver.received).toHaveLength(20);
  });
});

it("continues within 5 s after its clock was an hour ahead, without a restart", async () => {
  const { clock, start } = await onOneDatabase();
  const receiver = await startReceiver(() => ({ status: 500 }));
  const service = await start();
  const { setAddress, send, deliveries } = service;
  await setAddress("event", receiver.url);
  clock.setAhead(HOUR_MS);
  await send("event", eventOf("e1"));
  await expect.poll(() => deliveries()).toMatchObject([{ tries: 1 }]);
  receiver.answer = () => ({});
  await untilItHasLooked(service, "look");
  clock.setAhead(0);
  await expect.poll(() => deliveries(), { timeout: 5000 }).toMatchObject([{ state: "delivered", tries: 2 }]);
  await send("event", eventOf("e2"));
  await expect.poll(() => idsOf(receiver)).toEqual(["e1", "e1", "e2"]);
});
