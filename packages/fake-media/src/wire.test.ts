import { describe, expect, it } from "vitest";
import type { Received } from "./test/receiver.js";
import { connect, start } from "./test/start.js";

// The tables of media-server.md, written out by hand: fields that are missing here must not be sent.
type Kind = "string" | "integer" | "boolean" | "boolean or object" | "object" | "list" | "timestamp" | "id" | "seconds";
type Fields = Record<string, Kind>;

const node: Fields = { timestamp: "timestamp", version: "string", label: "string", node_name: "string" };
const envelope: Fields = { type: "string", id: "id", ...node };
const counts: Fields = {
  channel_connections: "integer",
  channel_sendrecv_connections: "integer",
  channel_sendonly_connections: "integer",
  channel_recvonly_connections: "integer",
};
const authWithoutCounts: Fields = {
  ...node,
  role: "string",
  channel_id: "string",
  connection_id: "id",
  multistream: "boolean",
  simulcast: "boolean",
  spotlight: "boolean",
  data_channel_signaling: "boolean",
  ignore_disconnect_websocket: "boolean",
  e2ee: "boolean",
  audio: "boolean or object",
  video: "boolean or object",
};
const auth: Fields = { ...authWithoutCounts, ...counts };
const sessionCreated: Fields = {
  ...envelope,
  channel_id: "string",
  session_id: "id",
  multistream: "boolean",
  spotlight: "boolean",
  created_time: "seconds",
  created_timestamp: "timestamp",
};
const sessionDestroyed: Fields = {
  ...sessionCreated,
  destroyed_time: "seconds",
  destroyed_timestamp: "timestamp",
  max_connections: "integer",
  total_connections: "integer",
  connections: "list",
};
const failed: Fields = { ...envelope, role: "string", bundle_id: "string", connection_id: "id", data: "object" };
const connection: Fields = { ...failed, channel_id: "string", session_id: "id", client_id: "string" };
const data: Fields = {
  minutes: "integer",
  created_time: "seconds",
  created_timestamp: "timestamp",
  total_received_bytes: "integer",
  total_sent_bytes: "integer",
  ...counts,
  turn_transport_type: "string",
};
const endData: Fields = { ...data, destroyed_time: "seconds", destroyed_timestamp: "timestamp" };

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isRecord = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

const is: Record<Kind, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string" && value !== "",
  integer: isCount,
  boolean: (value) => typeof value === "boolean",
  "boolean or object": (value) => typeof value === "boolean" || isRecord(value),
  object: isRecord,
  list: (value) => Array.isArray(value),
  timestamp: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value),
  id: (value) => typeof value === "string" && /^[0-9A-HJKMNP-TV-Z]{26}$/.test(value),
  seconds: (value) => isCount(value) && Number(value) > 1e9 && Number(value) < 1e10,
};

function expectExactly(body: Received["body"], fields: Fields): void {
  expect(Object.keys(body).sort()).toEqual(Object.keys(fields).sort());
  const wrong = Object.entries(fields).filter(([name, kind]) => !is[kind](body[name]));
  expect(wrong.map(([name, kind]) => `${name} is no ${kind}: ${body[name]}`)).toEqual([]);
}

describe("each body has exactly the fields of the media server", () => {
  it("during a connection", async () => {
    const { media, receiver } = await start();
    const client = await connect(media);
    await client.update();
    await client.disconnect();
    await media.fail();
    const tables = [auth, sessionCreated, connection, connection, connection, sessionDestroyed, failed];
    expect(receiver.received).toHaveLength(tables.length);
    receiver.received.forEach(({ body }, i) => {
      expectExactly(body, tables[i] ?? {});
    });
    const datas = receiver.received.flatMap(({ body }) => (body.data ? [body.data] : []));
    [data, data, endData, data].forEach((table, i) => {
      expectExactly(datas[i], table);
    });
    for (const { headers } of receiver.received) expect(headers["content-type"]).toBe("application/json");
  });

  it("for any client and any requested settings", async () => {
    const { media, receiver } = await start();
    for (let i = 0; i < 60; i++) await connect(media, { channelId: `room-${i}@demo` });
    const asked = receiver.received.filter(({ path }) => path.endsWith("/auth"));
    for (const { body } of asked) expectExactly(body, auth);
    for (const field of ["audio", "video"]) {
      const kinds = new Set(asked.map(({ body }) => typeof body[field]));
      expect(kinds).toEqual(new Set(["boolean", "object"]));
    }
    const transports = receiver.ofType("connection.created").map((body) => body.data.turn_transport_type);
    expect(new Set(transports)).toEqual(new Set(["udp", "tcp"]));
  });

  it("with the optional fields that have a value", async () => {
    const { media, receiver } = await start(
      { accessToken: (channelId, role) => `token of ${channelId} ${role}` },
      (one) => {
        if (one.path.endsWith("/auth")) return { json: { allowed: true, event_metadata: { a: 1 } } };
        return one.body.type === "session.created" ? { json: { session_metadata: { b: 2 } } } : undefined;
      },
    );
    const client = await connect(media, { clientId: "anna", bundleId: "bundle", role: "recvonly" });
    await client.disconnect("left");
    await media.fail({ channelId: "lobby@demo", clientId: "otto" });
    const [asked, , created, destroyed, ended, failure] = receiver.received.map(({ body }) => body);
    expectExactly(asked, { ...auth, client_id: "string", bundle_id: "string", metadata: "object" });
    expect(asked.metadata).toEqual({ access_token: "token of lobby@demo recvonly" });
    expectExactly(created, { ...connection, event_metadata: "object" });
    expectExactly(destroyed.data, { ...endData, reason: "string" });
    expectExactly(ended, { ...sessionDestroyed, session_metadata: "object" });
    expectExactly(failure, { ...failed, channel_id: "string", client_id: "string" });
  });

  it("for a client that is admitted and fails", async () => {
    const { media, receiver } = await start();
    const client = await media.admit({ channelId: "lobby@demo", role: "recvonly", nodeName: "node-2" });
    if (client.allowed) await client.fail("ICE-TIMEOUT");
    const [asked, failure] = receiver.received.map(({ body }) => body);
    expect(receiver.received).toHaveLength(2);
    expectExactly(asked, auth);
    expectExactly(failure, { ...failed, channel_id: "string", client_id: "string" });
    expectExactly(failure.data, { ...data, reason: "string" });
    const { connection_id } = asked;
    const client_id = connection_id;
    expect(failure).toMatchObject({ connection_id, client_id, role: "recvonly", node_name: "node-2" });
  });

  it("without the counts if auth does not report them", async () => {
    const { media, receiver } = await start({ reportsConnections: false });
    await connect(media);
    expectExactly(receiver.received[0]?.body, authWithoutCounts);
    expectExactly(receiver.ofType("connection.created")[0]?.data, data);
  });

  it("with only the envelope if the node vanishes", async () => {
    const { media, receiver } = await start();
    await media.vanish();
    expectExactly(receiver.received[0]?.body, envelope);
  });

  it("for events of any other type, at the right endpoint", async () => {
    const { media, receiver } = await start();
    await media.emit("recording.started", { channel_id: "lobby@demo", data: { split_duration: 3600 } });
    await media.emit("session.updated");
    const [recording, updated] = receiver.received;
    expectExactly(recording?.body, { ...envelope, channel_id: "string", data: "object" });
    expectExactly(updated?.body, envelope);
    expect([recording?.path, updated?.path]).toEqual(["/intake/event", "/intake/session"]);
  });
});

describe("the fields", () => {
  it("use the connection id if the client has no client and bundle id", async () => {
    const { media, receiver } = await start();
    const { connectionId } = await connect(media);
    expect(receiver.ofType("connection.created")[0]).toMatchObject({
      connection_id: connectionId,
      client_id: connectionId,
      bundle_id: connectionId,
    });
    expect(receiver.received[0]?.body.connection_id).toBe(connectionId);
  });

  it("have consistent times", async () => {
    const { media, receiver } = await start();
    await (await connect(media)).disconnect();
    const { data: last } = receiver.ofType("connection.destroyed")[0];
    expect(Math.floor(Date.parse(last.created_timestamp) / 1000)).toBe(last.created_time);
    expect(Math.floor(Date.parse(last.destroyed_timestamp) / 1000)).toBe(last.destroyed_time);
    expect(last.destroyed_timestamp > last.created_timestamp).toBe(true);
  });

  it("include the client's own metadata beside its token", async () => {
    const { media, receiver } = await start();
    await connect(media, { metadata: { room: 7 }, accessToken: "jwt" });
    await connect(media, { metadata: "just a text" });
    const asked = receiver.received.filter(({ path }) => path.endsWith("/auth")).map(({ body }) => body.metadata);
    expect(asked).toEqual([{ room: 7, access_token: "jwt" }, "just a text"]);
  });

  it("list the connections of an ended session", async () => {
    const { media, receiver } = await start();
    const client = await connect(media, { clientId: "anna", role: "sendonly" });
    await client.disconnect();
    const { connections } = receiver.ofType("session.destroyed")[0];
    expect(connections).toHaveLength(1);
    expect(connections[0]).toMatchObject({ connection_id: client.connectionId, client_id: "anna", role: "sendonly" });
  });
});
