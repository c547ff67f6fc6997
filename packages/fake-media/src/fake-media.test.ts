import { describe, expect, it } from "vitest";
import { startFakeMedia } from "./index.js";
import { connect, standing, start } from "./test/start.js";

describe("a connection", () => {
  it("is authorized, reported in order, and ends its session", async () => {
    const { media, receiver } = await start();
    const client = await connect(media);
    await client.update();
    await client.disconnect("left");
    expect(receiver.types).toEqual([
      "auth",
      "session.created",
      "connection.created",
      "connection.updated",
      "connection.destroyed",
      "session.destroyed",
    ]);
    const paths = receiver.received.map(({ path }) => path);
    expect(paths).toEqual(["auth", "session", "event", "event", "event", "session"].map((to) => `/intake/${to}`));
    expect(receiver.received.at(-2)?.body.data.reason).toBe("left");
    expect(client.isConnected).toBe(false);
  });

  it("opens no second session during the first one, and a new one after it", async () => {
    const { media, receiver } = await start();
    const first = await connect(media);
    const second = await connect(media);
    expect(second.sessionId).toBe(first.sessionId);
    await first.disconnect();
    await second.disconnect();
    const third = await connect(media);
    expect(third.sessionId).not.toBe(first.sessionId);
    expect(receiver.types.filter((type) => type === "session.created")).toHaveLength(2);
    const end = receiver.ofType("session.destroyed")[0];
    expect(end).toMatchObject({ session_id: first.sessionId, max_connections: 2, total_connections: 2 });
    const ended = end.connections.map((one: { connection_id: string }) => one.connection_id);
    expect(ended).toEqual([first.connectionId, second.connectionId]);
  });

  it("transfers more bytes with each event", async () => {
    const { media, receiver } = await start();
    const drawn = await connect(media);
    await drawn.update();
    await drawn.update();
    await drawn.disconnect();
    const totals = receiver.received.flatMap(({ body }) => (body.data ? [body.data.total_received_bytes] : []));
    expect(totals).toEqual([...totals].sort((a, b) => a - b));
    expect(new Set(totals).size).toBe(4);
    expect(totals.at(-1)).toBe(drawn.receivedBytes);
  });

  it("counts whole minutes by the injected clock", async () => {
    let now = standing();
    const { media, receiver } = await start({ now: () => now });
    const client = await connect(media);
    now += 59_999;
    await client.update();
    now += 58_000;
    await client.disconnect();
    expect(receiver.received.flatMap(({ body }) => (body.data ? [body.data.minutes] : []))).toEqual([0, 0, 1]);
  });

  it("ends once, even if it is disconnected repeatedly", async () => {
    const { media, receiver } = await start();
    const client = await connect(media);
    await Promise.all([client.disconnect(), client.disconnect()]);
    await client.update();
    expect(receiver.types.filter((type) => type.startsWith("connection."))).toEqual([
      "connection.created",
      "connection.destroyed",
    ]);
  });

  it("is reported in order, even if it ends before the first event is answered", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { media, receiver } = await start({ sockets: 2 }, async ({ body }) => {
      if (body.type === "connection.created") await held;
      return undefined;
    });
    const connecting = connect(media);
    await expect.poll(() => receiver.types).toContain("connection.created");
    await fetch(media.apiUrl, {
      method: "POST",
      headers: { "x-media-target": "Media_20151104.DisconnectChannel" },
      body: '{"channel_id":"lobby@demo"}',
    });
    // This request uses the second socket: all earlier requests have arrived when it is answered.
    await media.fail();
    expect(receiver.types.slice(-2)).toEqual(["connection.created", "connection.failed"]);
    release();
    await connecting;
    await media.settle();
    expect(receiver.types.slice(-2)).toEqual(["connection.destroyed", "session.destroyed"]);
  });
});

describe("the intake's responses", () => {
  it("change the client id, and set the metadata of events and sessions", async () => {
    const { media, receiver } = await start({}, ({ path, body }) => {
      if (path.endsWith("/auth")) return { json: { allowed: true, client_id: "anna", event_metadata: { a: 1 } } };
      if (body.type === "session.created") return { json: { session_metadata: { b: 2 } } };
      return undefined;
    });
    const client = await connect(media, { clientId: "otto", bundleId: "bundle" });
    expect(client.clientId).toBe("anna");
    await client.disconnect();
    const [auth, opened, created, , closed] = receiver.received.map(({ body }) => body);
    expect(auth).toMatchObject({ client_id: "otto", bundle_id: "bundle" });
    expect(opened).not.toHaveProperty("session_metadata");
    expect(created).toMatchObject({ client_id: "anna", bundle_id: "bundle", event_metadata: { a: 1 } });
    expect(closed).toMatchObject({ session_metadata: { b: 2 } });
  });

  it("refuse a client with a reason, and no event is sent for it", async () => {
    const { media, receiver } = await start({}, () => ({ json: { allowed: false, reason: "TOKEN-HAS-ENDED" } }));
    const client = await media.connect({ channelId: "lobby@demo" });
    expect(client).toEqual({ allowed: false, reason: "TOKEN-HAS-ENDED", status: 200 });
    await media.settle();
    expect(receiver.types).toEqual(["auth"]);
    expect(media.sums).toMatchObject({ attempts: 1, allowed: 0, refused: { "TOKEN-HAS-ENDED": 1 }, unanswered: 0 });
  });

  it.each([
    ["a status other than 2xx", { status: 503, json: { allowed: true } }, /answered 503/, 1],
    ["a body that is not JSON", { text: "<html>" }, /could not be read/, 0],
    ["JSON that is not an object", { text: "true" }, /could not be read/, 0],
    ["a text as the value of allowed", { json: { allowed: "true" } }, /could not be read/, 0],
    ["a broken connection", "reset", /No answer/, 1],
    ["silence", "silence", /none within 500 ms/, 1],
  ] as const)("refuse a client with %s, too", async (_, answer, reason, unanswered) => {
    const { media, receiver } = await start({ timeoutMs: 500 }, () => answer);
    expect(await media.connect({ channelId: "lobby@demo" })).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(reason),
    });
    expect(media.sums.unanswered).toBe(unanswered);
    expect(receiver.types).toEqual(["auth"]);
  });
});

describe("delivery", () => {
  it("sends the key in the header or in the path", async () => {
    const { media, receiver } = await start();
    await (await connect(media)).disconnect();
    expect(new Set(receiver.received.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer mi_test"]));

    const other = await start({ keyIn: "path" });
    await (await connect(other.media)).disconnect();
    expect(new Set(other.receiver.received.map(({ headers }) => headers.authorization))).toEqual(new Set([undefined]));
    expect(other.receiver.received[0]?.path).toBe("/intake/mi_test/auth");
  });

  it("never retries, and counts unacknowledged events as lost", async () => {
    const { media, receiver } = await start({ timeoutMs: 1500 }, ({ body }) => {
      if (body.type === "connection.created") return { status: 500 };
      if (body.type === "connection.updated") return "silence";
      return body.type === "connection.destroyed" ? "reset" : undefined;
    });
    const client = await connect(media);
    await client.update();
    await client.disconnect();
    expect(receiver.types).toHaveLength(6);
    expect(media.sums.events).toEqual({
      "session.created": { sent: 1, acknowledged: 1, lost: 0 },
      "connection.created": { sent: 1, acknowledged: 0, lost: 1 },
      "connection.updated": { sent: 1, acknowledged: 0, lost: 1 },
      "connection.destroyed": { sent: 1, acknowledged: 0, lost: 1 },
      "session.destroyed": { sent: 1, acknowledged: 1, lost: 0 },
    });
    expect(media.sums).toMatchObject({ connections: 0, receivedBytes: 0, sessions: 1 });
    const fates = media.sent.map(({ status, acknowledged }) => [status, acknowledged]);
    expect(fates).toEqual([
      [200, true],
      [204, true],
      [500, false],
      [undefined, false],
      [undefined, false],
      [204, true],
    ]);
  });

  it("limits its connections, and keeps them alive", async () => {
    let asked = 0;
    let letGo = (): void => {};
    const threeHaveCome = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { media, receiver } = await start({ sockets: 3 }, async () => {
      if (++asked === 3) letGo();
      await threeHaveCome;
      return undefined;
    });
    await Promise.all(Array.from({ length: 50 }, () => connect(media)));
    await media.close();
    expect(receiver.sockets).toBe(3);
    expect(receiver.mostAtATime).toBe(3);
  });

  it("reports exact channel counts when many clients connect concurrently", async () => {
    const { media, receiver } = await start({ sockets: 1 });
    const [sender] = await Promise.all([
      connect(media, { role: "sendonly" }),
      connect(media, { role: "recvonly" }),
      connect(media),
    ]);
    const seen = receiver.received.flatMap(({ body }) => (body.type ? [] : [body.channel_connections]));
    expect(seen[0]).toBe(0);
    const created = receiver.ofType("connection.created").at(-1).data;
    expect(created).toMatchObject({
      channel_connections: 3,
      channel_sendrecv_connections: 1,
      channel_sendonly_connections: 1,
      channel_recvonly_connections: 1,
    });
    await sender.disconnect();
    expect(receiver.ofType("connection.destroyed")[0].data).toMatchObject({
      channel_connections: 2,
      channel_sendrecv_connections: 1,
      channel_sendonly_connections: 0,
      channel_recvonly_connections: 1,
    });
    await media.close();
    const last = receiver.ofType("connection.destroyed").at(-1).data;
    expect(last).toMatchObject({
      channel_connections: 0,
      channel_sendrecv_connections: 0,
      channel_sendonly_connections: 0,
      channel_recvonly_connections: 0,
    });
  });

  it("has increasing timestamps and unique ids", async () => {
    const { media, receiver } = await start({ sockets: 1 });
    await Promise.all(Array.from({ length: 20 }, (_, i) => connect(media, { channelId: `room-${i % 3}@demo` })));
    await media.close();
    const times = receiver.received.map(({ body }) => body.timestamp);
    expect(times).toEqual([...new Set(times)].sort());
    expect(times.every((time) => /^2026-04-01T09:30:15\.\d{6}Z$/.test(time))).toBe(true);
    const ids = receiver.received.flatMap(({ body }) => body.id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const auth = receiver.received[0]?.body;
    const destroyed = receiver.ofType("connection.destroyed").at(-1);
    const end = receiver.ofType("session.destroyed").at(-1);
    expect(destroyed.data.created_timestamp > auth.timestamp).toBe(true);
    expect(end.destroyed_timestamp > destroyed.data.destroyed_timestamp).toBe(true);
  });

  it("refuses invalid URLs and options", async () => {
    const right = { intakeUrl: "http://127.0.0.1:1/intake", intakeKey: "k" };
    await expect(startFakeMedia({ ...right, intakeUrl: "https://x" })).rejects.toThrow(/http:\/\/ URL/);
    await expect(startFakeMedia({ ...right, misbehaviour: { late: 2 } })).rejects.toThrow(/late is 2/);
    await expect(startFakeMedia({ ...right, sockets: 0 })).rejects.toThrow(/sockets is 0/);
  });
});
