import { describe, expect, it } from "vitest";
import { mishapOf } from "./courier.js";
import { idFor } from "./random.js";
import { connect, start } from "./test/start.js";

const ids = Array.from({ length: 2000 }, (_, i) => idFor("test", i));

describe("the misbehaviour of an event", () => {
  it.each(["twice", "late", "outOfOrder"] as const)("matches the share of %s", (name) => {
    const share = (value: number): number => ids.filter((id) => mishapOf(id, { [name]: value })[name]).length / 2000;
    expect(share(0)).toBe(0);
    expect(share(1)).toBe(1);
    expect(share(0.25)).toBeGreaterThan(0.22);
    expect(share(0.25)).toBeLessThan(0.28);
  });

  it("is the same for the same event, and does not depend on the other shares", () => {
    for (const id of ids.slice(0, 100)) {
      expect(mishapOf(id, { late: 0.5 })).toEqual(mishapOf(id, { late: 0.5 }));
      expect(mishapOf(id, { late: 0.5, twice: 1 }).late).toBe(mishapOf(id, { late: 0.5 }).late);
    }
  });

  it("delays it for at most the configured time", () => {
    for (const id of ids.slice(0, 100)) {
      const { delayMs } = mishapOf(id, { lateMs: 30 });
      expect(delayMs).toBeGreaterThanOrEqual(1);
      expect(delayMs).toBeLessThanOrEqual(30);
    }
  });
});

describe("twice", () => {
  it("sends every event again with the same bytes, and counts it once", async () => {
    const { media, receiver } = await start({ misbehaviour: { twice: 1 } });
    for (let i = 0; i < 4; i++) await (await connect(media)).disconnect();
    await media.settle();
    const texts = receiver.received.filter(({ body }) => body.type).map(({ text }) => text);
    expect(texts).toHaveLength(32);
    expect(new Set(texts).size).toBe(16);
    const { requests, connections, sessions, events } = media.sums;
    expect({ requests, connections, sessions }).toEqual({ requests: 32, connections: 4, sessions: 4 });
    expect(events["connection.created"]).toEqual({ sent: 4, acknowledged: 4, lost: 0 });
    // Some were repeated at once, others later.
    const gaps = texts.flatMap((text, at) => (texts.indexOf(text) < at ? [at - texts.indexOf(text)] : []));
    expect(gaps).toContain(1);
    expect(gaps.some((gap) => gap > 1)).toBe(true);
  });

  it("counts an event that was lost at first as acknowledged", async () => {
    const seen = new Set<string>();
    const { media } = await start({ misbehaviour: { twice: 1 } }, ({ body }) => {
      if (!body.id || seen.has(body.id)) return undefined;
      seen.add(body.id);
      return { status: 500 };
    });
    const client = await connect(media);
    await client.disconnect();
    await media.settle();
    expect(media.sums.events["connection.destroyed"]).toEqual({ sent: 1, acknowledged: 1, lost: 0 });
    expect(media.sums).toMatchObject({ connections: 1, receivedBytes: client.receivedBytes });
  });
});

describe("late", () => {
  it("delays events, with their original content", async () => {
    const { media, receiver } = await start({ time: "virtual", misbehaviour: { late: 1, lateMs: 500 } });
    await (await connect(media)).disconnect();
    expect(receiver.types).toEqual(["auth"]);
    await media.pass(500);
    expect(receiver.types.slice(1).sort()).toEqual([
      "connection.created",
      "connection.destroyed",
      "session.created",
      "session.destroyed",
    ]);
    for (const { body } of receiver.received) expect(body.timestamp).toMatch(/^2026-04-01T09:30:15\.0000/);
  });

  it("ends in time, and at once when it settles", async () => {
    const soon = await start({ misbehaviour: { late: 1, lateMs: 5 } });
    await connect(soon.media);
    await expect.poll(() => soon.receiver.types).toHaveLength(3);

    const hurried = await start({ misbehaviour: { late: 1, lateMs: 3_600_000 } });
    await connect(hurried.media);
    await hurried.media.settle();
    expect(hurried.receiver.types).toHaveLength(3);
    expect(hurried.media.sums.events["connection.created"]).toEqual({ sent: 1, acknowledged: 1, lost: 0 });
  });
});

describe("out of order", () => {
  it("lets the next event of a connection overtake, and a session's end overtake that of its last connection", async () => {
    const { media, receiver } = await start({ misbehaviour: { outOfOrder: 1 } });
    const client = await connect(media);
    await client.update();
    await client.disconnect();
    await media.settle();
    expect(receiver.types.slice(0, 2)).toEqual(["auth", "session.created"]);
    expect(receiver.types.indexOf("session.destroyed")).toBeLessThan(receiver.types.indexOf("connection.destroyed"));
    expect([...receiver.types].sort()).toEqual([
      "auth",
      "connection.created",
      "connection.destroyed",
      "connection.updated",
      "session.created",
      "session.destroyed",
    ]);
  });

  it("swaps the events of some connections, and no others", async () => {
    const { media, receiver } = await start({ misbehaviour: { outOfOrder: 0.3 }, sockets: 1 });
    await connect(media, { clientId: "stays" });
    for (let i = 0; i < 30; i++) {
      const client = await connect(media);
      await client.disconnect();
    }
    await media.close();
    const orders = new Map<string, string>();
    for (const { body } of receiver.received) {
      if (!body.data || body.client_id === "stays") continue;
      orders.set(body.connection_id, `${orders.get(body.connection_id) ?? ""} ${body.type.split(".")[1]}`.trim());
    }
    expect(new Set(orders.values())).toEqual(new Set(["created destroyed", "destroyed created"]));
    expect(orders.size).toBe(30);
  });
});

it("combined misbehaviour loses and adds nothing", async () => {
  const { media, receiver } = await start({ misbehaviour: { twice: 0.4, late: 0.4, outOfOrder: 0.4, lateMs: 20 } });
  const clients = await Promise.all(
    Array.from({ length: 60 }, (_, i) => connect(media, { channelId: `room-${i % 7}@demo` })),
  );
  await Promise.all(clients.map((client) => client.update()));
  await media.close();
  const byId = new Map(receiver.received.flatMap(({ body, text }) => (body.id ? [[body.id, text]] : [])));
  expect(byId.size).toBe(60 * 3 + 7 * 2);
  expect(media.sums).toMatchObject({ connections: 60, sessions: 7 });
  expect(receiver.received.filter(({ body }) => body.id)).toHaveLength(media.sums.requests);
  expect(media.sums.requests).toBeGreaterThan(byId.size);
});
