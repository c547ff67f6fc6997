import { describe, expect, it } from "vitest";
import { connect, standing, start } from "./test/start.js";

describe("several nodes", () => {
  it("each report their own connections, and the sessions of their first clients", async () => {
    const { media, receiver } = await start({ nodeName: "node-1" });
    const first = await connect(media, { nodeName: "node-2" });
    const second = await connect(media);
    await first.disconnect();
    await second.disconnect();
    expect(receiver.received.map(({ body }) => [body.type ?? "auth", body.node_name])).toEqual([
      ["auth", "node-2"],
      ["session.created", "node-2"],
      ["connection.created", "node-2"],
      ["auth", "node-1"],
      ["connection.created", "node-1"],
      ["connection.destroyed", "node-2"],
      ["connection.destroyed", "node-1"],
      ["session.destroyed", "node-2"],
    ]);
  });

  it("vanish together, each with its own event", async () => {
    const { media, receiver } = await start({ nodeName: "node-1" });
    await connect(media, { nodeName: "node-2" });
    await connect(media, { nodeName: "node-3" });
    await media.vanish();
    const vanished = receiver.ofType("session.vanished").map((body) => body.node_name);
    expect(vanished).toEqual(["node-1", "node-2", "node-3"]);
  });
});

describe("a node", () => {
  it("that vanishes sends only that event", async () => {
    const { media, receiver } = await start({ nodeName: "node-7" });
    const client = await connect(media);
    await connect(media, { channelId: "stage@demo" });
    const before = receiver.received.length;
    await media.vanish();
    await client.update();
    await client.disconnect();
    await media.settle();
    expect(receiver.types.slice(before)).toEqual(["session.vanished"]);
    expect(receiver.received.at(-1)).toMatchObject({ path: "/intake/session", body: { node_name: "node-7" } });
    expect(media.connections).toBe(0);
    expect(client.isConnected).toBe(false);
    expect((await connect(media)).sessionId).not.toBe(client.sessionId);
  });

  it("that vanishes drops its delayed events", async () => {
    const { media, receiver } = await start({ time: "virtual", misbehaviour: { late: 1 } });
    await connect(media);
    await media.vanish();
    await media.settle();
    expect(receiver.types).toEqual(["auth", "session.vanished"]);
  });

  it("that vanishes refuses clients that were connecting", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { media, receiver } = await start({}, async ({ path }) => {
      if (path.endsWith("/auth")) await held;
      return undefined;
    });
    const asking = media.connect({ channelId: "lobby@demo" });
    await expect.poll(() => receiver.types).toEqual(["auth"]);
    await media.vanish();
    release();
    expect(await asking).toMatchObject({ allowed: false });
    expect(receiver.types).toEqual(["auth", "session.vanished"]);
  });

  it("that vanishes lets no admitted client connect, and reports no failure of one", async () => {
    const { media, receiver } = await start();
    const clients = [await media.admit({ channelId: "lobby@demo" }), await media.admit({ channelId: "lobby@demo" })];
    await media.vanish();
    const [one, other] = clients;
    if (!one?.allowed || !other?.allowed) throw new Error("refused");
    expect(await one.connect()).toMatchObject({ allowed: false, reason: "The node has died." });
    await other.fail("ICE-TIMEOUT");
    expect(receiver.types).toEqual(["auth", "auth", "session.vanished"]);
  });

  it("that is closed ends all connections and sessions in order, and refuses new clients", async () => {
    const { media, receiver } = await start({ sessionEndsAfterMs: 60_000 });
    const late = media.connect({ channelId: "lobby@demo" });
    await connect(media, { channelId: "stage@demo" });
    await media.close();
    expect((await late).allowed).toBe(true);
    expect(receiver.types.filter((type) => type === "session.destroyed")).toHaveLength(2);
    expect(media.sums).toMatchObject({ sessions: 2, connections: 2 });
    expect(await media.connect({ channelId: "lobby@demo" })).toMatchObject({ allowed: false });
    await expect(fetch(media.apiUrl)).rejects.toThrow();
  });

  it("that is closed abruptly sends nothing more", async () => {
    const { media, receiver } = await start({}, ({ body }) =>
      body.type === "connection.updated" ? "silence" : undefined,
    );
    const client = await connect(media);
    const updating = client.update();
    await expect.poll(() => receiver.types).toContain("connection.updated");
    await media.close({ abrupt: true });
    await updating;
    expect(receiver.types.at(-1)).toBe("connection.updated");
    expect(media.sums.events["connection.updated"]?.lost).toBe(1);
  });

  it("keeps a session for the configured time after its last connection", async () => {
    const { media, receiver } = await start({ time: "virtual", sessionEndsAfterMs: 5000 });
    await (await connect(media)).disconnect();
    await media.pass(4999);
    expect(receiver.types.at(-1)).toBe("connection.destroyed");
    await media.pass(1);
    expect(receiver.received.at(-1)?.body).toMatchObject({
      type: "session.destroyed",
      destroyed_time: standing() / 1000 + 5,
    });
  });

  it("keeps no records if they are disabled", async () => {
    const { media } = await start({ keepsRecords: false });
    await connect(media);
    await media.close();
    expect(media.sent).toEqual([]);
    expect(media.sums.connections).toBe(1);
  });
});
