import { databaseUrl } from "@media-ops/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { newSortedId } from "../storage/sorted-ids.js";
import { openQueue } from "../stores.js";
import { enqueue } from "../test/enqueue.js";
import { type DeliveryFilter, findDeliveries, findDelivery } from "./find-deliveries.js";

// Later than the current time, so that ids created here sort among each other.
const START = Date.parse("2100-01-01T00:00:00Z");

async function open(): Promise<Storage> {
  const storage = await openStorage(await databaseUrl({ memory: true }));
  onTestFinished(() => storage.close());
  return storage;
}

async function put(storage: Storage, projectId: string, eventId: string, at: number, type = "a.b") {
  await enqueue(storage, [{ projectId, eventId, type, lane: "", body: `{"id":"${eventId}"}` }], {
    now: at,
    owner: "x",
  });
}

const events = async (storage: Storage, filter: DeliveryFilter, limit = 10): Promise<string[]> =>
  (await findDeliveries(storage.query, filter, limit)).map(({ eventId }) => eventId);

describe("findDeliveries", () => {
  it("merges the deliveries of all projects, the newest first", async () => {
    const storage = await open();
    for (let i = 0; i < 12; i++) await put(storage, `p${i % 3}`, `e${i}`, START + i);
    expect(await events(storage, {}, 5)).toEqual(["e11", "e10", "e9", "e8", "e7"]);
    expect(await events(storage, { projectId: "p1" }, 2)).toEqual(["e10", "e7"]);
    expect(await events(storage, { projectId: "nobody" })).toEqual([]);
  });

  it("includes the start of a time span, and excludes its end", async () => {
    const storage = await open();
    const at = START + 1000;
    for (const ms of [-1, 0, 1, 2]) await put(storage, "demo", `e${ms}`, at + ms);
    expect(await events(storage, { since: at, until: at + 2 })).toEqual(["e1", "e0"]);
    expect(await events(storage, { since: at + 0.5 })).toEqual(["e2", "e1"]);
    expect(await events(storage, { since: -1 })).toHaveLength(4);
    expect(await events(storage, { until: Date.parse("9999-12-31T23:59:59Z") })).toHaveLength(4);
  });

  it("returns no more than the limit, even if many match by type and state", async () => {
    const storage = await open();
    for (let i = 0; i < 9; i++) await put(storage, `p${i % 2}`, `e${i}`, START + i, i % 3 === 0 ? "a.b" : "c.d");
    expect(await events(storage, { type: "c.d", state: "waiting" }, 3)).toEqual(["e8", "e7", "e5"]);
    expect(await events(storage, { type: "a.b", state: "failed" })).toEqual([]);
  });
});

it("findDelivery finds one by its id alone, with its body", async () => {
  const storage = await open();
  for (const project of ["p1", "p2", "p3"]) await put(storage, project, `of ${project}`, START);
  const [wanted] = await findDeliveries(storage.query, { projectId: "p2" }, 1);
  expect(await findDelivery(storage.query, wanted?.deliveryId ?? "")).toEqual({ ...wanted, body: '{"id":"of p2"}' });
  expect(await findDelivery(storage.query, newSortedId(START))).toBeUndefined();
});

it("a deleted delivery is not counted as requeued", async () => {
  const storage = await open();
  await put(storage, "one", "a", START);
  const found = await findDeliveries(storage.query, {}, 1);
  const gone = found.map((delivery) => ({ ...delivery, deliveryId: `${delivery.deliveryId}x` }));
  expect(await openQueue(storage, { owner: "me", now: () => START }).retry([...gone, ...found])).toBe(1);
});
