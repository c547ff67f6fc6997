import { describe, expect, it } from "vitest";
import { operations } from "./api.js";
import type { FakeMedia } from "./index.js";
import { connect, start } from "./test/start.js";

interface Call {
  target?: string;
  body?: string;
  path?: string;
  method?: string;
}

async function call(media: FakeMedia, { target, body = "{}", path = "/", method = "POST" }: Call) {
  const response = await fetch(`${media.apiUrl}${path}`, {
    method,
    headers: target === undefined ? {} : { "x-media-target": target },
    ...(method !== "GET" && { body }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const ask = (media: FakeMedia, operation: string, body: object = {}) =>
  call(media, { target: `Media_20151104.${operation}`, body: JSON.stringify(body) });

describe("the operations", () => {
  it("are complete", () => {
    expect(Object.keys(operations).sort()).toEqual([
      "DisconnectChannel",
      "DisconnectConnection",
      "ListChannelConnections",
      "ListConnections",
    ]);
  });

  it("DisconnectChannel ends all connections of a channel, and no others", async () => {
    const { media, receiver } = await start();
    const inside = [await connect(media), await connect(media)];
    const elsewhere = await connect(media, { channelId: "stage@demo" });
    expect(await ask(media, "DisconnectChannel", { channel_id: "lobby@demo" })).toMatchObject({
      status: 200,
      body: {},
    });
    await media.settle();
    expect(receiver.ofType("connection.destroyed").map((body) => body.connection_id)).toEqual(
      inside.map(({ connectionId }) => connectionId),
    );
    expect(receiver.types.at(-1)).toBe("session.destroyed");
    expect(inside.map(({ isConnected }) => isConnected)).toEqual([false, false]);
    expect(elsewhere.isConnected).toBe(true);
  });

  it("DisconnectConnection ends one connection", async () => {
    const { media } = await start();
    const [first, second] = [await connect(media), await connect(media)];
    const body = { channel_id: "lobby@demo", connection_id: first.connectionId };
    expect(await ask(media, "DisconnectConnection", body)).toMatchObject({ status: 200, body: {} });
    await media.settle();
    expect([first.isConnected, second.isConnected]).toEqual([false, true]);
    expect(await ask(media, "DisconnectConnection", body)).toMatchObject({
      status: 404,
      body: { error_type: "CONNECTION-NOT-FOUND" },
    });
  });

  it("ListChannelConnections and ListConnections list the current connections", async () => {
    const { media } = await start();
    const first = await connect(media, { clientId: "anna", role: "sendonly" });
    const second = await connect(media, { channelId: "stage@demo" });
    const listed = await ask(media, "ListChannelConnections", { channel_id: "lobby@demo" });
    expect(listed.body).toEqual([
      {
        channel_id: "lobby@demo",
        session_id: first.sessionId,
        connection_id: first.connectionId,
        client_id: "anna",
        bundle_id: first.connectionId,
        role: "sendonly",
        created_time: 1775035815,
        created_timestamp: expect.stringMatching(/^2026-04-01T09:30:15\.\d{6}Z$/),
      },
    ]);
    const all = await ask(media, "ListConnections");
    expect(all.body).toMatchObject([{ connection_id: first.connectionId }, { connection_id: second.connectionId }]);
  });
});

describe("the API refuses", () => {
  const target = "Media_20151104.ListConnections";
  const channel = "Media_20151104.DisconnectChannel";
  it.each<[string, Call, number, string]>([
    ["another path", { target, path: "/api" }, 404, "NOT_FOUND"],
    ["a query", { target, path: "/?a=1" }, 404, "NOT_FOUND"],
    ["another method", { target, method: "GET" }, 405, "METHOD_NOT_ALLOWED"],
    ["a call without the header", {}, 400, "MISSING_TARGET"],
    ["a target without a date", { target: "Media.ListConnections" }, 400, "INVALID_TARGET"],
    ["a target with another prefix", { target: "Other_20151104.ListConnections" }, 400, "INVALID_TARGET"],
    ["an unknown operation", { target: "Media_20151104.MakeCoffee" }, 400, "UNKNOWN_TARGET"],
    ["an inherited member name", { target: "Media_20151104.toString" }, 400, "UNKNOWN_TARGET"],
    ["a body that is not JSON", { target, body: "{" }, 400, "INVALID_JSON"],
    ["a body that is not an object", { target, body: "[]" }, 400, "INVALID_JSON"],
    ["a body without a channel", { target: channel }, 400, "INVALID_CHANNEL_ID"],
    ["an unknown channel", { target: channel, body: '{"channel_id":"x@demo"}' }, 404, "CHANNEL-NOT-FOUND"],
    ["a body that is too long", { target, body: `{"a":"${"a".repeat(70_000)}"}` }, 413, "BODY_TOO_LARGE"],
  ])("%s", async (_, refused, status, error_type) => {
    const { media } = await start();
    const answer = await call(media, refused);
    expect(answer).toMatchObject({ status, body: { error_type } });
    expect(answer.headers.get("allow")).toBe(status === 405 ? "POST" : null);
  });

  it("a request without a connection", async () => {
    const { media } = await start();
    await connect(media);
    const answer = await ask(media, "DisconnectConnection", { channel_id: "lobby@demo" });
    expect(answer).toMatchObject({ status: 400, body: { error_type: "INVALID_CONNECTION_ID" } });
  });
});
