import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { eventOf, idsOf, onOneDatabase, startReceiver } from "../test/receiver.js";

describe("two services on one database", () => {
  it("deliver each event once, whichever service received it, in the order of its connection", async () => {
    const { start } = await onOneDatabase();
    const receiver = await startReceiver(async () => {
      await setTimeout(2);
      return {};
    });
    const [one, other] = [await start(), await start()];
    const projects = ["p1", "p2", "p3", "p4"];
    for (const project of projects) await one.setAddress("event", receiver.url, project);
    await other.noticeChanges();
    const lanes = projects.flatMap((project) =>
      [1, 2, 3, 4, 5].map((nth) => ({ project, connection: `${project}c${nth}` })),
    );
    await Promise.all(
      lanes.map(async ({ project, connection }, lane) => {
        for (let nth = 0; nth < 10; nth++) {
          // A project's first event decides which service delivers its events.
          const { send } = (nth === 0 ? projects.indexOf(project) : lane + nth) % 2 === 0 ? one : other;
          await send("event", eventOf(`${connection}-${nth}`, { project, connection }));
        }
      }),
    );
    await expect.poll(() => receiver.received.length).toBe(200);
    // Both do some of the work.
    const queues = await one.service.storage.query.selectFrom("delivery_queue").select("owner").distinct().execute();
    expect(queues).toHaveLength(2);
    await Promise.all([one.service.stop(), other.service.stop()]);
    for (const { connection } of lanes) {
      const arrived = idsOf(receiver).filter((id) => id.startsWith(`${connection}-`));
      expect(arrived).toEqual(Array.from({ length: 10 }, (_, nth) => `${connection}-${nth}`));
    }
  });

  it("do not wait for a stopped one", async () => {
    const { clock, start } = await onOneDatabase();
    const receiver = await startReceiver(() => ({ status: 500 }));
    const [one, other] = [await start(), await start()];
    await one.setAddress("event", receiver.url);
    await one.send("event", eventOf("e1"));
    await expect.poll(() => one.deliveries()).toMatchObject([{ tries: 1 }]);
    await one.service.stop();
    receiver.answer = () => ({});
    // The retry is due, and the lease would not have expired.
    clock.putForward(6000);
    await expect.poll(() => other.deliveries()).toMatchObject([{ state: "delivered", tries: 2 }]);
  });
});
