import { describe, expect, it } from "vitest";
import { pathOf, startTestService } from "../test/harness.js";
import { openDoor } from "../test/intake-harness.js";
import { connectionCreated, connectionDestroyed, connectionOf, momentAt } from "../test/media-events.js";

const path = pathOf.listLiveChannels;

describe("POST /orgs/list-live-channels", () => {
  it("shows a client from its admission until its connection ends", async () => {
    const { isLetIn, tell, call } = await openDoor({ most: 5 });
    const connection = connectionOf({ createdAt: momentAt(2000) });
    const { connectionId, sessionId } = connection;
    const lobby = async () => (await call(path, { body: { channel_id: "lobby@demo" } })).body;
    await isLetIn({ connectionId, at: momentAt(1000), role: "sendrecv" });
    expect(await lobby()).toMatchObject({
      connections: 0,
      channels: [
        {
          connections: 0,
          admitted: 1,
          roles: {},
          limits: { min: 5, max: 5 },
          clients: [{ connection_id: connectionId, state: "admitted", since: "2026-04-01T10:00:01.00025Z" }],
        },
      ],
    });
    await tell(connectionCreated(connection));
    expect(await lobby()).toMatchObject({
      connections: 1,
      channels: [
        {
          connections: 1,
          admitted: 0,
          roles: { sendrecv: 1 },
          since: "2026-04-01T10:00:02.00025Z",
          limits: { min: 5, max: 5 },
          clients: [
            {
              connection_id: connectionId,
              state: "connected",
              session_id: sessionId,
              role: "sendrecv",
              node_name: "node-1",
              max_channel_connections: 5,
            },
          ],
        },
      ],
    });
    await tell(connectionDestroyed(connection));
    expect(await lobby()).toMatchObject({ connections: 0, channels: [], omitted_channels: 0 });
  });

  it("takes a channel by its name as by its id, and not by both", async () => {
    const { tell, call } = await openDoor();
    await tell(connectionCreated(connectionOf({ channelId: "a@b@demo" })));
    const [byName, byId] = [
      await call(path, { body: { channel: "a@b" } }),
      await call(path, { body: { channel_id: "a@b@demo" } }),
    ];
    expect(byName.body).toMatchObject({ channels: [{ channel_id: "a@b@demo", clients: [{ state: "connected" }] }] });
    expect(byId.body).toEqual(byName.body);
    expect(await call(path, { body: { channel: "a@b", channel_id: "a@b@demo" } })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/channel", detail: expect.stringContaining("together with channel_id") }] },
    });
  });

  it("lists the channels of the key's project, without their connections", async () => {
    const { tell, call, createKey } = await openDoor();
    const other = await createKey("other");
    await tell(
      connectionCreated(connectionOf({ channelId: "a@b@demo" })),
      connectionCreated(connectionOf({ channelId: "a@b@other" })),
    );
    const { body } = await call(path, { body: { project_id: "demo" } });
    expect(body).toMatchObject({ connections: 1, channels: [{ channel_id: "a@b@demo", connections: 1 }] });
    expect(body).not.toHaveProperty(["channels", 0, "clients"]);
    expect((await call(path, { key: other })).body).toMatchObject({ channels: [{ channel_id: "a@b@other" }] });
  });

  it("refuses another project and its channels, whether they exist or not, and what is not a channel", async () => {
    const { call } = await startTestService();
    for (const [body, detail] of [
      [{ project_id: "other" }, "Leave project_id out"],
      [{ channel_id: "lobby@demo@other" }, "<channel_name>@demo"],
    ] as const) {
      expect(await call(path, { body })).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining(detail) },
      });
    }
    for (const channel_id of ["lobby", `${"é".repeat(126)}@demo`]) {
      const refused = { status: 400, body: { errors: [{ pointer: "/channel_id" }] } };
      expect(await call(path, { body: { channel_id } })).toMatchObject(refused);
    }
  });

  it("counts as a listing against the rate limit", async () => {
    const { call } = await startTestService({ env: { MEDIA_LISTINGS_PER_MINUTE: "2" } });
    const left = async (of: string) => (await call(of)).headers.get("ratelimit-remaining");
    expect([await left(pathOf.listSessionLogs), await left(path)]).toEqual(["1", "0"]);
    expect((await call(path)).status).toBe(429);
  });
});
