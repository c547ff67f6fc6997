import { databaseUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { enqueue } from "../test/enqueue.js";
import { fillDisk } from "../test/full-disk.js";
import { eventOf, idsOf, startIntake, startReceiver } from "../test/receiver.js";

it("a receiver that never answers delays neither other projects nor the intake", async () => {
  const dead = await startReceiver(() => "never");
  const well = await startReceiver();
  const { setAddress, send, tries } = await startIntake();
  await setAddress("event", dead.url, "dead");
  await setAddress("event", well.url, "well");
  const ids = Array.from({ length: 30 }, (_, at) => `e${at}`);
  const sendTo = (project: string): Promise<unknown> =>
    Promise.all(ids.map((id) => send("event", eventOf(id, { project, connection: id }))));
  await sendTo("dead");
  await expect.poll(() => dead.received.length).toBeGreaterThan(1);
  await sendTo("well");
  await expect.poll(() => well.received.length).toBe(30);
  expect(await tries("dead")).toEqual([]);
});

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
