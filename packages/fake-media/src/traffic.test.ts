import { describe, expect, it } from "vitest";
import { type FakeMediaOptions, holdConnections, lostOf, runTraffic } from "./index.js";
import type { Receiver } from "./test/receiver.js";
import { standing, start } from "./test/start.js";
import type { TrafficOptions } from "./traffic.js";
import { planTraffic } from "./traffic.js";

const busy: TrafficOptions = { channels: 5, rate: 3, for: 12_000, staysMs: 4000, updateEveryMs: 2000 };
const ill = { twice: 0.2, late: 0.2, outOfOrder: 0.2 };

async function bytesOf(options: Partial<FakeMediaOptions>, traffic = busy): Promise<string[]> {
  const { media, receiver } = await start({ time: "virtual", misbehaviour: ill, ...options });
  await runTraffic(media, traffic);
  return receiver.received.map(({ path, text }) => `${path} ${text}`);
}

/** The receiver's own counts, unique by event id. */
function countedBy({ received }: Receiver) {
  const events = new Map<string, { type: string; data?: Record<string, number> }>();
  for (const { body } of received) if (body.id) events.set(body.id, body);
  const ended = [...events.values()].filter(({ type }) => type === "connection.destroyed");
  const sum = (name: string): number => ended.reduce((all, { data }) => all + (data?.[name] ?? 0), 0);
  return {
    connections: ended.length,
    sessions: [...events.values()].filter(({ type }) => type === "session.destroyed").length,
    receivedBytes: sum("total_received_bytes"),
    sentBytes: sum("total_sent_bytes"),
  };
}

describe("the same seed", () => {
  it("produces the same bytes in the same order, with misbehaviour, and another seed does not", async () => {
    const [first, second, other] = [await bytesOf({ seed: 7 }), await bytesOf({ seed: 7 }), await bytesOf({ seed: 8 })];
    expect(first.length).toBeGreaterThan(100);
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it("produces the same clients, ids and bytes in real time, regardless of the order of responses", async () => {
    const lives = async (sockets: number): Promise<unknown[]> => {
      const { media, receiver } = await start({ sockets, now: Date.now });
      await runTraffic(media, { rate: 200, for: 250, staysMs: 60, updateEveryMs: 20 });
      return receiver.received
        .filter(({ body }) => body.type?.startsWith("connection."))
        .map(({ body }) => {
          const { total_received_bytes, total_sent_bytes } = body.data;
          return [
            body.channel_id,
            body.role,
            body.connection_id,
            body.type,
            body.id,
            total_received_bytes,
            total_sent_bytes,
          ].join();
        })
        .sort();
    };
    const [first, second] = [await lives(1), await lives(16)];
    expect(first.length).toBeGreaterThan(60);
    expect(second).toEqual(first);
  });
});

describe("the plan", () => {
  it("respects its duration, rate, channels and projects", () => {
    const visits = [...planTraffic(1, { rate: 50, for: 60_000, channels: 10, projects: ["a", "b"], staysMs: 5000 })];
    expect(visits.length).toBeGreaterThan(2800);
    expect(visits.length).toBeLessThan(3200);
    expect(visits.every(({ at, staysMs }) => at >= 0 && staysMs > 0 && at + staysMs <= 60_000)).toBe(true);
    const channels = new Set(visits.map(({ channelId }) => channelId));
    expect(channels.size).toBe(10);
    expect(new Set([...channels].map((id) => id.split("@")[1]))).toEqual(new Set(["a", "b"]));
    expect(new Set(visits.map(({ role }) => role))).toEqual(new Set(["sendrecv", "sendonly", "recvonly"]));
    expect(visits.map(({ at }) => at)).toEqual(visits.map(({ at }) => at).sort((a, b) => a - b));
  });

  it("spreads clients over nodes and ids, without a change of anything else", () => {
    const base = { rate: 50, for: 60_000, channels: 10 };
    const plain = [...planTraffic(1, base)];
    const visits = [...planTraffic(1, { ...base, nodes: ["a", "b", "c"], clients: 7 })];
    expect(visits.map(({ nodeName, clientId, ...visit }) => visit)).toEqual(plain);
    for (const name of ["a", "b", "c"]) {
      expect(visits.filter(({ nodeName }) => nodeName === name).length).toBeGreaterThan(visits.length / 4);
    }
    expect(new Set(visits.map(({ clientId }) => clientId))).toEqual(
      new Set([1, 2, 3, 4, 5, 6, 7].map((client) => `client-${client}`)),
    );
  });

  it("may be empty", async () => {
    const { media } = await start({ time: "virtual" });
    expect(await runTraffic(media, { for: 1, rate: 0.001 })).toMatchObject({ attempts: 0 });
  });
});

describe("traffic", () => {
  it("ends with all clients disconnected, and totals that match the receiver's", async () => {
    const { media, receiver } = await start({ time: "virtual", misbehaviour: ill });
    const sums = await runTraffic(media, busy);
    expect(media.connections).toBe(0);
    expect(sums).toMatchObject(countedBy(receiver));
    expect(sums.connections).toBe(sums.allowed);
    expect(sums.events["session.created"]?.sent).toBe(sums.sessions);
    expect(sums.sessions).toBeGreaterThan(3);
    expect(lostOf(sums)).toBe(0);
  });

  it("sends connection.updated once for each full minute of a connection", async () => {
    const { media, receiver } = await start({ time: "virtual" });
    await runTraffic(media, { rate: 0.1, for: 600_000, staysMs: 200_000 });
    const ends = receiver.ofType("connection.destroyed");
    expect(ends.length).toBeGreaterThan(35);
    for (const { connection_id, data } of ends) {
      const updates = receiver.ofType("connection.updated").filter((body) => body.connection_id === connection_id);
      expect(updates.map((body) => body.data.minutes)).toEqual(updates.map((_, i) => i + 1));
      expect(Math.abs(updates.length - data.minutes)).toBeLessThanOrEqual(1);
    }
  });

  it("counts refused clients by reason", async () => {
    let asked = 0;
    const { media, receiver } = await start({ time: "virtual" }, ({ path }) => {
      if (!path.endsWith("/auth")) return undefined;
      asked++;
      return asked % 3 === 0 ? { json: { allowed: false, reason: "FULL" } } : undefined;
    });
    const sums = await runTraffic(media, busy);
    expect(sums.refused).toEqual({ FULL: Math.floor(asked / 3) });
    expect(sums.attempts).toBe(asked);
    expect(sums.connections).toBe(asked - Math.floor(asked / 3));
    expect(sums).toMatchObject(countedBy(receiver));
  });

  it("counts lost events, and only acknowledged ones as sent", async () => {
    const acknowledged: number[] = [];
    let ends = 0;
    const { media } = await start({ time: "virtual" }, ({ body }) => {
      if (body.type !== "connection.destroyed") return undefined;
      if (ends++ % 2 === 0) return { status: 503 };
      acknowledged.push(body.data.total_sent_bytes);
      return undefined;
    });
    const sums = await runTraffic(media, busy);
    expect(sums.sentBytes).toBe(acknowledged.reduce((a, b) => a + b, 0));
    expect(sums.connections).toBe(acknowledged.length);
    expect(sums.events["connection.destroyed"]).toEqual({
      sent: ends,
      acknowledged: acknowledged.length,
      lost: ends - acknowledged.length,
    });
    expect(lostOf(sums)).toBe(ends - acknowledged.length);
  });

  it("ends early but cleanly if the signal aborts", async () => {
    const { media, receiver } = await start({ now: Date.now });
    const stop = new AbortController();
    let come = 0;
    const sums = await runTraffic(media, {
      rate: 500,
      for: 3_600_000,
      signal: stop.signal,
      onConnect: () => {
        come++;
        if (come === 20) stop.abort();
      },
    });
    expect(sums.connections).toBe(sums.allowed);
    expect(sums).toMatchObject(countedBy(receiver));
    expect(media.connections).toBe(0);
  });
});

describe("held connections", () => {
  it("are spread over nodes and ids", async () => {
    const { media, receiver } = await start({ time: "virtual" });
    await holdConnections(media, { connections: 12, nodes: ["a", "b"], clients: 3 });
    const created = receiver.ofType("connection.created");
    expect(new Set(created.map(({ node_name }) => node_name))).toEqual(new Set(["a", "b"]));
    expect(created.every(({ client_id }) => /^client-[123]$/.test(client_id))).toBe(true);
  });

  it("are updated every minute until they are released", async () => {
    const { media, receiver } = await start({ time: "virtual" });
    const held = await holdConnections(media, { connections: 12, channels: 3 });
    expect(media.connections).toBe(12);
    await media.pass(150_000);
    expect(receiver.ofType("connection.updated")).toHaveLength(24);
    await held.release();
    expect(media.sums).toMatchObject({ connections: 12, sessions: 3 });
    expect(receiver.ofType("session.destroyed").map((body) => body.max_connections)).toEqual([4, 4, 4]);
    expect(receiver.ofType("connection.destroyed")[0].data.created_time).toBe(standing() / 1000);
  });
});
