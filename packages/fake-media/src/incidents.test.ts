import { describe, expect, it } from "vitest";
import { type Incident, lostOf, runTraffic } from "./index.js";
import type { Received, Receiver, ReceiverAnswer } from "./test/receiver.js";
import { standing, start } from "./test/start.js";
import type { TrafficOptions } from "./traffic.js";

const nodes = ["node-1", "node-2", "node-3"];
const MINUTE = 60_000;
const traffic: TrafficOptions = { for: 5 * MINUTE, rate: 0.5, channels: 4, staysMs: 30_000, nodes, clients: 12 };

const outage: Incident = { kind: "turn-outage", nodeName: "node-2", at: MINUTE, for: 2 * MINUTE };
const retries: Incident = {
  kind: "expired-token",
  channelId: "lobby-1@demo",
  clientId: "tv-7",
  accessToken: () => "expired",
  at: 2 * MINUTE,
  for: 10_000,
};
const crowd: Incident = {
  kind: "channel-full",
  channelId: "small@demo",
  seats: 5,
  accessToken: () => "five",
  at: 3 * MINUTE,
  for: MINUTE,
};
const incidents = [outage, retries, crowd];

/** The rules of the tokens above, as the service has them. */
function judge({ path, body }: Received): ReceiverAnswer | undefined {
  if (!path.endsWith("/auth")) return undefined;
  const token = body.metadata?.access_token;
  if (token === "expired") return { json: { allowed: false, reason: "EXPIRED" } };
  if (token === "five" && body.channel_connections >= 5) return { json: { allowed: false, reason: "FULL" } };
  return { json: { allowed: true } };
}

/** The time of a body since the traffic began. */
const timeOf = ({ timestamp }: Received["body"]): number => Date.parse(timestamp) - standing();
const attemptsOf = ({ received }: Receiver): Received["body"][] =>
  received.flatMap(({ path, body }) => (path.endsWith("/auth") ? [body] : []));
const idsOf = (bodies: Received["body"][]): string[] => bodies.map(({ connection_id }) => connection_id);

/** How often each value occurs. */
function counted(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

async function run(planted: readonly Incident[], options: TrafficOptions = traffic) {
  const { media, receiver } = await start({ time: "virtual" }, judge);
  return { receiver, sums: await runTraffic(media, { ...options, incidents: planted }) };
}

describe("a TURN outage", () => {
  it("fails the clients that its node admits, and no others, 20 s later with ICE-TIMEOUT", async () => {
    const { receiver, sums } = await run([outage]);
    const failed = receiver.ofType("connection.failed");
    const during = attemptsOf(receiver).filter(
      (body) => body.node_name === "node-2" && timeOf(body) >= MINUTE && timeOf(body) < 3 * MINUTE,
    );
    expect(during.length).toBeGreaterThan(10);
    expect(idsOf(failed).sort()).toEqual(idsOf(during).sort());
    expect(idsOf(receiver.ofType("connection.created"))).toHaveLength(attemptsOf(receiver).length - failed.length);
    for (const body of failed) {
      const attempt = during.find(({ connection_id }) => connection_id === body.connection_id);
      const { node_name, channel_id, client_id, role } = attempt;
      expect(body).toMatchObject({ node_name, channel_id, client_id, role, data: { reason: "ICE-TIMEOUT" } });
      expect(body).not.toHaveProperty("session_id");
      const { created_timestamp } = body.data;
      expect(Math.abs(Date.parse(created_timestamp) - Date.parse(attempt.timestamp))).toBeLessThan(10);
      const waited = Date.parse(body.timestamp) - Date.parse(created_timestamp);
      expect(waited).toBeGreaterThanOrEqual(20_000);
      expect(waited).toBeLessThanOrEqual(20_500);
    }
    expect(sums.incidents).toEqual([
      {
        kind: "turn-outage",
        failed: failed.length,
        refused: 0,
        byReason: { "ICE-TIMEOUT": failed.length },
        byClient: counted(failed.map(({ client_id }) => client_id)),
        byNode: { "node-2": failed.length },
        byChannel: counted(failed.map(({ channel_id }) => channel_id)),
      },
    ]);
    expect(sums.connections).toBe(sums.allowed - failed.length);
    expect(lostOf(sums)).toBe(0);
  });

  it("opens no session, and reports the connection id of a client without an id", async () => {
    const options: TrafficOptions = { for: 30_000, rate: 1, channels: 1 };
    const all: Incident = { kind: "turn-outage", nodeName: "fake-media@127.0.0.1", at: 0, for: 9000 };
    const { receiver, sums } = await run([all], options);
    const failed = receiver.ofType("connection.failed");
    const first = receiver.ofType("session.created")[0];
    expect(failed.length).toBeGreaterThan(3);
    expect(timeOf(first)).toBeGreaterThanOrEqual(9000);
    for (const body of failed) expect(body).toMatchObject({ client_id: body.connection_id });
    expect(sums.incidents[0]?.byClient).toEqual({});
  });
});

describe("a client with an expired token", () => {
  it("tries again every 100 ms, with the same id and a new connection id", async () => {
    const { receiver, sums } = await run([retries]);
    const attempts = attemptsOf(receiver).filter(({ client_id }) => client_id === "tv-7");
    expect(attempts.map(timeOf)).toEqual(Array.from({ length: 100 }, (_, nth) => 2 * MINUTE + nth * 100));
    expect(new Set(idsOf(attempts)).size).toBe(100);
    expect(new Set(attempts.map(({ node_name }) => node_name)).size).toBe(1);
    const [{ node_name, channel_id, metadata }] = attempts;
    expect([channel_id, metadata]).toEqual(["lobby-1@demo", { access_token: "expired" }]);
    expect(sums.incidents).toEqual([
      {
        kind: "expired-token",
        failed: 0,
        refused: 100,
        byReason: { EXPIRED: 100 },
        byClient: { "tv-7": 100 },
        byNode: { [node_name]: 100 },
        byChannel: { "lobby-1@demo": 100 },
      },
    ]);
    expect(sums.refused).toEqual({ EXPIRED: 100 });
  });

  it("tries as often as it should", async () => {
    const { sums } = await run([{ ...retries, everyMs: 50 }]);
    expect(sums.incidents[0]?.refused).toBe(10_000 / 50);
  });
});

describe("a full channel", () => {
  it("has guests in all seats until its end, and refuses those who come later and try a few times", async () => {
    const { receiver, sums } = await run([crowd]);
    const guests = attemptsOf(receiver).filter(({ channel_id }) => channel_id === "small@demo");
    const seated = guests.slice(0, 5);
    expect(seated.map(timeOf)).toEqual([3, 3, 3, 3, 3].map((minute) => minute * MINUTE));
    const left = receiver.ofType("connection.destroyed").filter(({ channel_id }) => channel_id === "small@demo");
    expect(idsOf(left).sort()).toEqual(idsOf(seated).sort());
    expect(left.map(timeOf)).toEqual([4, 4, 4, 4, 4].map((minute) => minute * MINUTE));
    const late = counted(guests.slice(5).map(({ client_id }) => client_id));
    expect(late).toEqual({ "guest-6": 4, "guest-7": 4, "guest-8": 4 });
    for (const body of guests.slice(5)) expect(timeOf(body)).toBeLessThan(4 * MINUTE);
    expect(sums.incidents).toEqual([
      {
        kind: "channel-full",
        failed: 0,
        refused: 12,
        byReason: { FULL: 12 },
        byClient: late,
        byNode: counted(guests.slice(5).map(({ node_name }) => node_name)),
        byChannel: { "small@demo": 12 },
      },
    ]);
  });

  it("may have more late guests, who try at another pace", async () => {
    const { receiver, sums } = await run([{ ...crowd, lateClients: 6, tries: 2, everyMs: 500 }]);
    expect(sums.incidents[0]?.refused).toBe(12);
    const one = attemptsOf(receiver).filter(({ client_id }) => client_id === "guest-11");
    expect(one.map((body) => timeOf(body) - timeOf(one[0]))).toEqual([0, 500]);
  });
});

describe("incidents together", () => {
  it("are the same for the same seed, each with its own sums, and leave other clients as they are", async () => {
    const [first, second, without] = [await run(incidents), await run(incidents), await run([])];
    expect(second.receiver.received.map(({ text }) => text)).toEqual(first.receiver.received.map(({ text }) => text));
    expect(second.sums).toEqual(first.sums);
    const { failed } = first.sums.incidents[0] ?? {};
    expect(failed).toBe(first.receiver.ofType("connection.failed").length);
    expect(first.sums.incidents.map(({ failed, refused }) => [failed, refused])).toEqual([
      [failed, 0],
      [0, 100],
      [0, 12],
    ]);
    const others = attemptsOf(first.receiver).filter(({ client_id }) => client_id.startsWith("client-"));
    expect(idsOf(others)).toEqual(idsOf(attemptsOf(without.receiver)));
    expect(without.sums.incidents).toEqual([]);
  });

  it("cause the same in real time, whatever the order of responses", async () => {
    const damage = async (sockets: number) => {
      // A machine under load may delay those who take the seats: here the late guests are refused by name.
      const { media, receiver } = await start({ sockets, now: Date.now }, (one) =>
        /guest-[678]/.test(one.body.client_id) ? { json: { allowed: false, reason: "FULL" } } : judge(one),
      );
      const { incidents } = await runTraffic(media, {
        ...{ rate: 200, for: 1000, staysMs: 60, nodes, clients: 5, channels: 3 },
        incidents: [
          { ...outage, at: 100, for: 200, timeoutMs: 50 },
          { ...retries, at: 200, for: 200, everyMs: 10 },
          { ...crowd, at: 300, for: 600, everyMs: 20 },
        ],
      });
      return { incidents, failed: idsOf(receiver.ofType("connection.failed")).sort() };
    };
    const [first, second] = [await damage(1), await damage(16)];
    expect(first.failed.length).toBeGreaterThan(5);
    expect(first.incidents.map(({ failed, refused }) => [failed, refused])).toEqual([
      [first.failed.length, 0],
      [0, 20],
      [0, 12],
    ]);
    expect(second).toEqual(first);
  });

  it("end with traffic that is ended early: clients that still wait for a failure give up", async () => {
    const { media, receiver } = await start({ time: "virtual" }, judge);
    const stop = new AbortController();
    let admitted = 0;
    const sums = await runTraffic(media, {
      ...{ rate: 20, for: MINUTE, nodes, signal: stop.signal },
      incidents: [
        { ...outage, at: 0, for: MINUTE / 2 },
        { ...retries, at: 0, for: MINUTE },
      ],
      onConnect: ({ allowed }) => {
        if (allowed && ++admitted === 20) stop.abort();
      },
    });
    expect(sums.connections).toBe(receiver.ofType("connection.created").length);
    expect(sums.connections).toBeLessThan(sums.allowed);
    const requests = receiver.received.length;
    await media.pass(MINUTE);
    expect(receiver.received).toHaveLength(requests);
    expect(sums.incidents[0]?.failed).toBe(0);
    expect(media.connections).toBe(0);
  });
});

describe("an incident is refused", () => {
  it.each<[string, Incident, RegExp]>([
    ["before the traffic", { ...retries, at: -1 }, /expired-token is from -1 to 9999 ms/],
    ["without a duration", { ...crowd, for: 0 }, /channel-full is from/],
    ["after the traffic", { ...retries, at: 4.9 * MINUTE }, /must lie within the traffic's 300000 ms/],
    ["too late for its failures", { ...outage, at: 2.9 * MINUTE }, /and the failure of its last client, must lie/],
    [
      "on another node",
      { ...outage, nodeName: "node-9" },
      /node-9, which is none of the nodes: node-1, node-2, node-3/,
    ],
  ])("%s", async (_, incident, sentence) => {
    await expect(run([incident])).rejects.toThrow(sentence);
  });
});
