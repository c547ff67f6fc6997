import { databaseUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { enqueue } from "../test/enqueue.js";
import { fillDisk } from "../test/full-disk.js";
import { eventOf, idsOf, type ReceiverAnswer, startIntake, startReceiver } from "../test/receiver.js";
import { setWebhook } from "../webhooks/webhooks.js";

it("while the database cannot be written, delivered events are not sent again; then deliveries continue", async () => {
  const receiver = await startReceiver();
  const other = await startReceiver();
  const { service, clock, logged, setAddress, send, deliveries, tries } = await startIntake({
    env: { MEDIA_DATABASE_URL: await databaseUrl() },
  });
  const { query } = service.storage;
  await setAddress("event", receiver.url);
  await setAddress("event", other.url, "other");
  const makeRoom = await fillDisk(service.storage);
  await send("event", eventOf("e1"));
  await send("event", eventOf("e2"));
  await expect.poll(() => idsOf(receiver)).toEqual(["e1"]);
  // Each of these is found only by the next poll for due deliveries.
  for (const id of ["l1", "l2", "l3"]) {
    const delivery = { projectId: "other", eventId: id, type: "a.b", lane: id, body: "{}" };
    await enqueue(service.storage, [delivery], { now: clock.now(), owner: "" });
    await sql`update delivery_queue set owned_until = 0 where owner = ''`.execute(query);
    await expect.poll(() => idsOf(other)).toContain(id);
  }
  expect(idsOf(receiver)).toEqual(["e1"]);
  expect(await tries()).toEqual([]);
  expect(logged()).toContain("the disk is full");

  await makeRoom();
  await expect
    .poll(() => deliveries())
    .toMatchObject([
      { event_id: "e1", state: "delivered", tries: 1 },
      { event_id: "e2", state: "delivered", tries: 1 },
    ]);
  expect(idsOf(receiver)).toEqual(["e1", "e2"]);
  expect(await tries()).toHaveLength(2);
  expect(idsOf(other).sort()).toEqual(["l1", "l2", "l3"]);
});

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("a delivery that fails", () => {
  const failures: readonly [project: string, status: number, answer: ReceiverAnswer | "refused"][] = [
    ["error", 500, { status: 500 }],
    ["missing", 404, { status: 404 }],
    ["moved", 301, { status: 301, headers: { location: "http://127.0.0.1:9/" } }],
    ["refused", 0, "refused"],
  ];

  it("is retried on schedule, with the same id and bytes, and given up after the tenth try", async () => {
    const { service, clock, setAddress, send, tries, deliveries } = await startIntake();
    const cases = await Promise.all(
      failures.map(async ([project, status, answer]) => {
        const receiver = await startReceiver(() => (answer === "refused" ? {} : answer));
        if (answer === "refused") await receiver.close();
        await setAddress("event", receiver.url, project);
        return { project, status, receiver };
      }),
    );
    for (const { project } of cases) await send("event", eventOf("e1", { project }));
    const expectTries = (count: number, made = count): Promise<unknown> =>
      Promise.all(
        cases.map(async ({ project, status }) => {
          const state = count === 10 ? "failed" : "waiting";
          await expect.poll(() => deliveries(project)).toMatchObject([{ state, tries: count }]);
          const listed = await tries(project);
          expect(listed.map((entry) => entry.status)).toEqual(Array.from({ length: made }, () => status));
        }),
      );
    await expectTries(1);
    // Up to a tenth is added at random, so that retries are spread out.
    clock.putForward(5 * SECOND * 1.1);
    await expectTries(2);
    // The delays up to the tenth try are in delivery.test.ts.
    await service.storage.query.updateTable("delivery").set({ tries: 9 }).execute();
    clock.putForward(5 * MINUTE * 1.1);
    await expectTries(10, 3);
    clock.putForward(1000 * HOUR);
    await send("event", eventOf("e2", { project: "error" }));
    await expect.poll(() => deliveries("error")).toMatchObject([{ state: "failed", tries: 10 }, { tries: 1 }]);
    for (const { project, receiver } of cases) {
      const first = receiver.received.filter(({ id }) => id === "e1");
      expect(first).toHaveLength(project === "refused" ? 0 : 3);
      expect(new Set(first.map(({ bytes }) => bytes.toString())).size).toBeLessThan(2);
    }
  });

  it("is not retried before its time, and not again once the receiver accepts it", async () => {
    const receiver = await startReceiver(({ id }) => ({
      status: id === "e1" && idsOf(receiver).filter((one) => one === id).length < 3 ? 503 : 204,
    }));
    const { clock, setAddress, send, tries, deliveries } = await startIntake();
    await setAddress("event", receiver.url);
    await send("event", eventOf("e1"));
    await expect.poll(() => deliveries()).toMatchObject([{ tries: 1 }]);
    clock.putForward(5 * SECOND * 1.1);
    await expect.poll(() => deliveries()).toMatchObject([{ tries: 2, state: "waiting" }]);
    clock.putForward(4 * MINUTE);
    // Another event makes the service check this project's due deliveries.
    await send("event", eventOf("e2"));
    await expect.poll(() => tries()).toHaveLength(3);
    expect(idsOf(receiver)).toEqual(["e1", "e1", "e2"]);
    clock.putForward(2 * MINUTE);
    await expect.poll(() => deliveries()).toMatchObject([{ tries: 3, state: "delivered" }, {}]);
    clock.putForward(10 * HOUR);
    await send("event", eventOf("e3"));
    await expect.poll(() => idsOf(receiver)).toEqual(["e1", "e1", "e2", "e1", "e3"]);
    await expect.poll(async () => (await tries()).map(({ status }) => status)).toEqual([503, 503, 204, 204, 204]);
  });
});

describe("410 Gone", () => {
  it("fails this delivery and all waiting ones, and switches the address off until it is set again", async () => {
    const receiver = await startReceiver(({ id }) => ({ status: id === "e2" ? 410 : 500 }));
    const { service, vault, logged, clock, setAddress, send, tries, deliveries, noticeChanges } = await startIntake();
    await setAddress("event", receiver.url);
    await setAddress("event", receiver.url, "other");
    await send("event", eventOf("e1"));
    await expect.poll(() => deliveries()).toMatchObject([{ state: "waiting", tries: 1 }]);
    await send("event", eventOf("e2"));
    await expect.poll(() => logged()).toContain("the project's event address answered 410 Gone, and is switched off");

    // New events are not kept, and a waiting delivery is given up when it becomes due.
    await send("event", eventOf("e3"));
    clock.putForward(10 * SECOND);
    await expect
      .poll(() => deliveries())
      .toMatchObject([
        { event_id: "e1", state: "failed", last_fault: expect.stringMatching(/switched off.*410 Gone/) },
        // Ended by the receiver's own answer.
        { event_id: "e2", state: "failed", tries: 1, last_fault: null },
      ]);
    expect((await tries()).map(({ status }) => status)).toEqual([500, 410]);
    expect(idsOf(receiver)).toEqual(["e1", "e2"]);

    // Another project with the same address is not affected.
    await send("event", eventOf("e4", { project: "other" }));
    await expect.poll(() => idsOf(receiver)).toEqual(["e1", "e2", "e4"]);

    receiver.answer = () => ({});
    const again = { projectId: "demo", kind: "event", url: receiver.url, now: clock.now() } as const;
    expect(await setWebhook(service.storage.query, vault, again)).toBeUndefined();
    await noticeChanges();
    await send("event", eventOf("e5"));
    await expect.poll(() => idsOf(receiver)).toContain("e5");
    expect(idsOf(receiver)).not.toContain("e3");
  });
});
