import type { Insertable } from "kysely";
import { afterAll, describe, expect, it } from "vitest";
import type { SeatAttempt } from "../admission/seats.js";
import type { Tables } from "../storage/tables.js";
import { openStores } from "../stores.js";
import { openTestStorage } from "../test/harness.js";
import { LiveSeats } from "./live-seats.js";

const now = Date.parse("2026-04-01T12:00:00Z");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const storage = await openTestStorage(undefined, afterAll);

type Seat = Partial<Insertable<Tables["seat"]>>;

let projects = 0;
/** Opens a new project with these seats: by default those of connections that were just reported. */
async function projectWith(...seats: readonly Seat[]) {
  projects += 1;
  const projectId = `p${projects}`;
  const rows = seats.map((seat, at) => ({
    project_id: projectId,
    channel_id: "lobby",
    connection_id: `C${at}`,
    node_name: "node-1",
    session_id: null,
    connected: 1,
    at: `2026-04-01T11:00:00.${String(at).padStart(6, "0")}1`,
    until: now + (seat.connected === 0 ? 30_000 : HOUR_MS),
    ...seat,
  }));
  if (rows.length > 0) await storage.query.insertInto("seat").values(rows).execute();
  const live = new LiveSeats(storage, { now: () => now, elapsed: () => 0 });
  return {
    projectId,
    list: (channelId?: string, limit = 100) => live.list({ projectId, channelId, limit }),
  };
}

const admitted = { connected: 0 };

describe("the channels of a project", () => {
  it("have their connections by role, the oldest one's time, the limits of their tokens, and their admitted clients", async () => {
    const { list } = await projectWith(
      { role: "sendrecv", at: "2026-04-01T11:00:02" },
      { role: "recvonly", at: "2026-04-01T11:00:01.5", max_connections: 9 },
      { role: "recvonly", at: "" },
      { role: null, at: "2026-04-01T11:00:03", max_connections: 5 },
      { ...admitted, role: "sendrecv", at: "2026-04-01T10:00:00", max_connections: 0 },
    );
    expect(await list()).toEqual({
      timestamp: "2026-04-01T12:00:00.000Z",
      connections: 4,
      channels: [
        {
          channel_id: "lobby",
          connections: 4,
          admitted: 1,
          roles: { sendrecv: 1, recvonly: 2 },
          since: "2026-04-01T11:00:01.5Z",
          limits: { min: 0, max: 9 },
        },
      ],
      omitted_channels: 0,
    });
  });

  it("lack what is not known", async () => {
    const { list } = await projectWith({ at: "", role: "" }, { ...admitted, channel_id: "stage" });
    expect((await list()).channels).toEqual([
      { channel_id: "lobby", connections: 1, admitted: 0, roles: {} },
      { channel_id: "stage", connections: 0, admitted: 1, roles: {} },
    ]);
  });

  it("are listed with the most connections first, as many as were asked for; the others are counted", async () => {
    const seats = (channel_id: string, connections: number, clients = 0): Seat[] =>
      [...Array(connections).fill({}), ...Array(clients).fill(admitted)].map((seat, at) => ({
        ...seat,
        channel_id,
        connection_id: `${channel_id}${at}`,
      }));
    const all = [...seats("a", 1), ...seats("b", 3), ...seats("c", 1, 1), ...seats("d", 1)];
    const { list } = await projectWith(...all);
    await projectWith(...seats("b", 5));
    const namesOf = async (limit: number) => {
      const { channels, ...sums } = await list(undefined, limit);
      return { ...sums, channels: channels.map(({ channel_id }) => channel_id) };
    };
    expect(await namesOf(100)).toMatchObject({ connections: 6, channels: ["b", "c", "a", "d"], omitted_channels: 0 });
    expect(await namesOf(2)).toMatchObject({ connections: 6, channels: ["b", "c"], omitted_channels: 2 });
  });

  it("are none if nobody is connected", async () => {
    const { list } = await projectWith();
    const nothing = { timestamp: "2026-04-01T12:00:00.000Z", connections: 0, channels: [], omitted_channels: 0 };
    expect(await list()).toEqual(nothing);
    expect(await list("lobby")).toEqual(nothing);
  });
});

describe("a single channel", () => {
  it("has its connections and admitted clients, the newest first, with what is known of each", async () => {
    const { list } = await projectWith(
      { channel_id: "stage" },
      { connection_id: "A", at: "", node_name: "", client_id: "", role: "" },
      {
        connection_id: "B",
        at: "2026-04-01T11:00:00.1",
        session_id: "S",
        client_id: "camera",
        role: "sendonly",
        max_connections: 5,
      },
      { ...admitted, connection_id: "C", at: "2026-04-01T11:00:00.100001", role: "recvonly", max_connections: 0 },
    );
    expect(await list("lobby")).toMatchObject({
      connections: 2,
      channels: [
        {
          channel_id: "lobby",
          connections: 2,
          admitted: 1,
          roles: { sendonly: 1 },
          clients: [
            {
              connection_id: "C",
              state: "admitted",
              since: "2026-04-01T11:00:00.100001Z",
              role: "recvonly",
              node_name: "node-1",
              max_channel_connections: 0,
            },
            {
              connection_id: "B",
              state: "connected",
              since: "2026-04-01T11:00:00.1Z",
              client_id: "camera",
              role: "sendonly",
              session_id: "S",
              node_name: "node-1",
              max_channel_connections: 5,
            },
            { connection_id: "A", state: "connected" },
          ],
          omitted_clients: 0,
        },
      ],
      omitted_channels: 0,
    });
    const [lobby] = (await list("lobby")).channels;
    expect(lobby?.clients?.at(-1)).toEqual({ connection_id: "A", state: "connected" });
  });

  it("has as many connections as were asked for, and the number of the others", async () => {
    const { list } = await projectWith({}, {}, {}, admitted);
    const { channels, connections } = await list("lobby", 2);
    expect(connections).toBe(3);
    expect(channels).toMatchObject([
      { connections: 3, clients: [{ connection_id: "C3" }, { connection_id: "C2" }], omitted_clients: 2 },
    ]);
  });
});

describe("a seat", () => {
  const untils = [-HOUR_MS, -1, 0, 1, 29_000, 61_000, HOUR_MS, HOUR_MS + 29_000, HOUR_MS + MINUTE_MS];

  it.each([
    ["just after the start", 0, 11],
    ["when silence means that a connection is gone", 3 * MINUTE_MS, 7],
  ])("is listed if and only if it counts when a client is admitted: %s", async (_, elapsed, number) => {
    const projectId = `after-${elapsed}`;
    const seats = [0, 1].flatMap((connected) =>
      untils.map((ms) => ({
        project_id: projectId,
        channel_id: `${connected} until ${ms}@${projectId}`,
        connected,
        until: now + elapsed + ms,
      })),
    );
    await projectWith(...seats);
    await storage.query.insertInto("project").values({ project_id: projectId, created_at: "", version: 1 }).execute();
    let passed = 0;
    const clocks = { now: () => now + passed, elapsed: () => passed };
    const live = new LiveSeats(storage, clocks);
    const admission = (await openStores(storage, { owner: "test", ...clocks })).seats;
    passed = elapsed;
    const listed = (await live.list({ projectId, limit: 100 })).channels.map(({ channel_id }) => channel_id);
    const attempts = seats.map(
      ({ channel_id }): SeatAttempt => ({
        projectId,
        claims: { max_channel_connections: 1 },
        channelId: channel_id,
        connectionId: "new",
        role: "sendrecv",
        nodeName: "node-1",
        at: "",
        reported: undefined,
      }),
    );
    const admissions = await admission.decide(attempts);
    const taken = seats.filter((_, at) => !admissions[at]?.allowed).map(({ channel_id }) => channel_id);
    expect(listed.sort()).toEqual(taken.sort());
    expect(listed).toHaveLength(number);
  });
});
