import { afterAll, describe, expect, it } from "vitest";
import type { Tables } from "../storage/tables.js";
import { openStores } from "../stores.js";
import { startTestIntake, type TestIntake } from "../test/intake-harness.js";
import {
  connectionOf as anyConnection,
  authRequest,
  connectionCreated,
  connectionDestroyed,
  connectionFailed,
  mediaEvent,
  newId,
  present,
  sessionCreated,
  sessionDestroyed,
  sessionVanished,
  type TestConnection,
} from "../test/media-events.js";

const shared = await startTestIntake({ atEnd: afterAll });
let projects = 0;

/** The shared service with a new project: its listings, and connections in its lobby. */
async function newProject() {
  const projectId = `p${++projects}`;
  const key = await shared.createKey(projectId);
  const lobby = `lobby@${projectId}`;
  return {
    ...shared,
    lobby,
    listed: () => shared.listed(key),
    connectionOf: (known: Partial<TestConnection> = {}) => anyConnection({ channelId: lobby, ...known }),
  };
}

/** The row counts of all tables that the intake may write to. */
async function rowsOf({ service }: TestIntake): Promise<Record<string, number>> {
  const tables = ["log_entry", "log_head", "seat", "ended", "delivery", "delivery_queue", "quarantine"] as const;
  const counts = tables.map(async (table: keyof Tables) => {
    const { rows } = await service.storage.query
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as("rows"))
      .executeTakeFirstOrThrow();
    return [table, rows] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

describe("an ended connection", () => {
  it("is listed with all data of its event, and with the original timestamps", async () => {
    const { tell, listed, lobby } = await newProject();
    const own = {
      timestamp: "2026-04-01T09:48:03.114Z",
      channel_id: lobby,
      session_id: "7N3DS2KQ4H1WZ9M5XG8TCVB6RY",
      client_id: "stage-camera-2",
      bundle_id: "stage",
      connection_id: "0J9V6TQ2M4EXK7C3R8ZB5HW1NA",
    };
    const data = {
      created_timestamp: "2026-04-01T09:30:15.482913000Z",
      destroyed_timestamp: "2026-04-01T09:48:03Z",
      total_received_bytes: 9_007_199_254_740_991,
      total_sent_bytes: 0,
    };
    const more = { minutes: 99, created_time: 1, destroyed_time: 2, reason: "left" };
    await tell(mediaEvent("connection.destroyed", { ...own, data: { ...data, ...more } }));
    expect((await listed()).connections).toEqual([{ ...own, ...data, duration_min: 17 }]);
  });
});

describe("an ended session", () => {
  it("is listed with all data of its event, and with the original timestamps", async () => {
    const { post, listed, lobby } = await newProject();
    const own = {
      timestamp: "2026-04-01T10:12:41.207318Z",
      channel_id: lobby,
      session_id: "7N3DS2KQ4H1WZ9M5XG8TCVB6RY",
      created_timestamp: "2026-04-01T09:30:15.4Z",
      destroyed_timestamp: "2026-04-01T10:12:41.207311Z",
      max_connections: 5,
      total_connections: 12,
    };
    const more = { multistream: true, created_time: 1, destroyed_time: 2, connections: [{ connection_id: "C" }] };
    const event = mediaEvent("session.destroyed", { ...own, ...more });
    expect(await post("session", event)).toMatchObject({ status: 200, body: {} });
    expect((await listed()).sessions).toEqual([{ ...own, duration_min: 42 }]);
  });

  it("is listed only by its end", async () => {
    const { tell, listed, connectionOf } = await newProject();
    const connection = connectionOf();
    await tell(
      sessionCreated(connection),
      connectionCreated(connection),
      sessionVanished("node-1", "2026-04-01T11:00:00Z"),
    );
    expect(await listed()).toEqual({ sessions: [], connections: [] });
  });
});

describe("the project of an event", () => {
  it("follows the last @ of its channel", async () => {
    const test = await startTestIntake();
    const other = await test.createKey("b");
    await test.tell(
      connectionDestroyed(anyConnection({ channelId: "a@b@demo" })),
      connectionDestroyed(anyConnection({ channelId: "@b" })),
    );
    expect((await test.listed()).connections).toMatchObject([{ channel_id: "a@b@demo" }]);
    expect((await test.listed(other)).connections).toMatchObject([{ channel_id: "@b" }]);
  });

  it("is known as soon as it has been created", async () => {
    const test = shared;
    const key = await test.createKey("new");
    await test.tell(sessionDestroyed(anyConnection({ channelId: "lobby@new" })));
    expect((await test.listed(key)).sessions).toHaveLength(1);
  });
});

describe("an event of an unknown project", () => {
  it("is answered with 200, counted, and not kept", async () => {
    const test = await startTestIntake();
    const before = await rowsOf(test);
    const connection = anyConnection({ channelId: "lobby@nobody" });
    await test.tell(
      sessionCreated(connection),
      connectionCreated(connection),
      connectionDestroyed(connection),
      connectionFailed(connection),
      mediaEvent("recording.started", { channel_id: "lobby@nobody" }),
      sessionDestroyed(connection),
    );
    expect(await rowsOf(test)).toEqual(before);
    expect(await test.metric('media_intake_unknown_project_total{kind="event"}')).toBe(3);
    expect(await test.metric('media_intake_unknown_project_total{kind="session"}')).toBe(2);
  });

  it.each([
    ["without a project", "lobby"],
    ["with an empty project", "lobby@"],
    ["of more than 255 bytes", `${"é".repeat(126)}@demo`],
    ["with an unpaired surrogate", "\ud800@demo"],
    ["that is empty", ""],
  ])("may name a channel %s, too, since clients choose it", async (_, channelId) => {
    const test = shared;
    const counter = 'media_intake_unknown_project_total{kind="event"}';
    const [before, unknown] = [await rowsOf(test), await test.metric(counter)];
    await test.tell(connectionDestroyed(anyConnection({ channelId })));
    const answer = await test.post("auth", authRequest({ channelId, token: "x", reported: 0 }));
    expect(answer).toMatchObject({
      status: 200,
      body: { allowed: false, reason: expect.stringMatching(/no project/) },
    });
    expect(await rowsOf(test)).toEqual(before);
    expect(await test.metric(counter)).toBe(unknown + 1);
  });
});

describe("a repeated event", () => {
  it("is listed for each project that sends it: ids are unique only within a project", async () => {
    const test = await startTestIntake();
    const otherKey = await test.createKey("other");
    const id = newId();
    const [ours, theirs] = ["lobby@demo", "lobby@other"].map((channelId) => ({
      ...connectionDestroyed(anyConnection({ channelId })),
      id,
    }));
    if (!ours || !theirs) throw new Error("There are two events.");
    await test.tell(ours, theirs, ours, theirs);
    expect((await test.listed()).connections).toMatchObject([{ channel_id: "lobby@demo" }]);
    expect((await test.listed(otherKey)).connections).toMatchObject([{ channel_id: "lobby@other" }]);
  });

  it("is listed once even if it is repeated as late as its entry is listed", async () => {
    let now = present;
    const { tell, listed, service } = await startTestIntake({ now: () => now });
    const connection = anyConnection();
    const [ended, over] = [connectionDestroyed(connection), sessionDestroyed(connection)];
    await tell(ended, over);
    now += 29 * 24 * 60 * 60 * 1000;
    const stores = await openStores(service.storage, { now: () => now, owner: "test" });
    await stores.seats.sweep(now, new AbortController().signal);
    await tell(ended, over);
    const { connections, sessions } = await listed();
    expect([connections.length, sessions.length]).toEqual([1, 1]);
  });

  it("is listed even if the connection is also reported as failed", async () => {
    const { tell, listed, connectionOf } = await newProject();
    const connection = connectionOf();
    await tell({ ...connectionFailed(connection), channel_id: connection.channelId }, connectionDestroyed(connection));
    expect((await listed()).connections).toHaveLength(1);
  });

  it("is not confused with a connection or a session of the same id", async () => {
    const { tell, listed, connectionOf } = await newProject();
    const id = newId();
    const connection = connectionOf({ connectionId: id, sessionId: id });
    await tell({ ...connectionDestroyed(connection), id }, sessionDestroyed(connection));
    const { connections, sessions } = await listed();
    expect([connections.length, sessions.length]).toEqual([1, 1]);
  });
});

describe("an addition to the contract", () => {
  it.each(["recording.started", "recording.report", "archive.available", "spotlight.focused", "x", "connection.moved"])(
    "may be an event type: %s",
    async (type) => {
      const test = shared;
      const counter = 'media_intake_unknown_project_total{kind="event"}';
      const unknown = await test.metric(counter);
      const answer = await test.post("event", mediaEvent(type, { channel_id: "lobby@demo", data: [1], file: {} }));
      expect(answer).toMatchObject({ status: 200, body: {} });
      expect(await test.metric(counter)).toBe(unknown);
    },
  );

  it("may be a session event type", async () => {
    const { post, lobby } = await newProject();
    expect((await post("session", mediaEvent("session.updated", { channel_id: lobby }))).status).toBe(200);
  });

  it("may be a member, at any depth", async () => {
    const { tell, ask, post, listed, connectionOf } = await newProject();
    const ended = connectionDestroyed(connectionOf());
    await tell({ ...ended, shard: 4, "": null, data: { ...(ended.data as object), codec: { name: "AV1" } } });
    expect((await listed()).connections).toHaveLength(1);
    expect((await post("auth", { ...authRequest(), sdp: "v=0" })).status).toBe(200);
    expect(await ask({ role: "a-role-to-come" })).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(/no access token/),
    });
  });

  it("may be an event without a channel, which belongs to no project", async () => {
    const test = await startTestIntake();
    await test.tell(mediaEvent("license.expiring"));
    expect(await test.metric('media_intake_total{kind="event",outcome="taken"}')).toBe(1);
    expect(await test.metric('media_intake_unknown_project_total{kind="event"}')).toBe(0);
  });
});
