import { CompiledQuery } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { enqueue } from "../test/enqueue.js";
import { newDeliveryId } from "./delivery-id.js";
import {
  type DeliveryFilter,
  deliveriesQuery,
  findDeliveries,
  findDelivery,
  projectsQuery,
} from "./find-deliveries.js";

// Later than any real one, so that ids made here are in order with each other.
const START = Date.parse("2100-01-01T00:00:00Z");

async function open(): Promise<Storage["query"]> {
  const storage = await openStorage("sqlite::memory:");
  onTestFinished(() => storage.close());
  return storage.query;
}

async function put(query: Storage["query"], projectId: string, eventId: string, at: number, type = "a.b") {
  await enqueue(query, [{ projectId, eventId, type, lane: "", body: `{"id":"${eventId}"}` }], { now: at, owner: "x" });
}

const events = async (query: Storage["query"], filter: DeliveryFilter, limit = 10): Promise<string[]> =>
  (await findDeliveries(query, filter, limit)).map(({ eventId }) => eventId);

describe("findDeliveries", () => {
  it("merges what the projects have, the newest first", async () => {
    const query = await open();
    for (let i = 0; i < 12; i++) await put(query, `p${i % 3}`, `e${i}`, START + i);
    expect(await events(query, {}, 5)).toEqual(["e11", "e10", "e9", "e8", "e7"]);
    expect(await events(query, { projectId: "p1" }, 2)).toEqual(["e10", "e7"]);
    const [, second] = await findDeliveries(query, { projectId: "p1" }, 2);
    expect(await events(query, { projectId: "p1", beforeId: second?.deliveryId })).toEqual(["e4", "e1"]);
    expect(await events(query, { projectId: "nobody" })).toEqual([]);
  });

  it("takes the beginning of a time span in, and leaves its end out", async () => {
    const query = await open();
    const at = START + 1000;
    for (const ms of [-1, 0, 1, 2]) await put(query, "demo", `e${ms}`, at + ms);
    expect(await events(query, { since: at, until: at + 2 })).toEqual(["e1", "e0"]);
    expect(await events(query, { since: at + 0.5 })).toEqual(["e2", "e1"]);
    expect(await events(query, { since: -1 })).toHaveLength(4);
    expect(await events(query, { until: Date.parse("9999-12-31T23:59:59Z") })).toHaveLength(4);
  });

  it("gives no more than asked for, though many fit by type and state", async () => {
    const query = await open();
    for (let i = 0; i < 9; i++) await put(query, `p${i % 2}`, `e${i}`, START + i, i % 3 === 0 ? "a.b" : "c.d");
    expect(await events(query, { type: "c.d", state: "waiting" }, 3)).toEqual(["e8", "e7", "e5"]);
    expect(await events(query, { type: "a.b", state: "failed" })).toEqual([]);
  });

  it.each([
    [{}, "project_id=?"],
    [{ state: "failed", type: "a.b" }, "project_id=?"],
    [{ since: START }, "project_id=? AND delivery_id>?"],
    [{ since: START, until: START + 1 }, "project_id=? AND delivery_id>? AND delivery_id<?"],
  ] as const)("with %j walks along the key of each project, and through nothing else", async (filter, range) => {
    const query = await open();
    const planOf = async ({ sql, parameters }: CompiledQuery): Promise<string[]> => {
      const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      return (await query.executeQuery<{ detail: string }>(explained)).rows.map(({ detail }) => detail);
    };
    const walk = `SEARCH one USING PRIMARY KEY (${range})`;
    expect(await planOf(projectsQuery(query, filter, 10))).toEqual([
      "SCAN queue",
      "CORRELATED SCALAR SUBQUERY 1",
      walk,
      "USE TEMP B-TREE FOR ORDER BY",
    ]);
    expect(await planOf(deliveriesQuery(query, ["demo"], filter, 10))).toEqual([
      "SEARCH queue USING PRIMARY KEY (project_id=?)",
      "SEARCH delivery USING PRIMARY KEY (project_id=? AND delivery_id=?)",
      "CORRELATED LIST SUBQUERY 1",
      walk,
    ]);
  });
});

it("findDelivery finds one by its id alone, with its body", async () => {
  const query = await open();
  for (const project of ["p1", "p2", "p3"]) await put(query, project, `of ${project}`, START);
  const [wanted] = await findDeliveries(query, { projectId: "p2" }, 1);
  expect(await findDelivery(query, wanted?.deliveryId ?? "")).toEqual({ ...wanted, body: '{"id":"of p2"}' });
  expect(await findDelivery(query, newDeliveryId(START))).toBeUndefined();
});
