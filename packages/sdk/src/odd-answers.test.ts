import { describe, expect, it } from "vitest";
import { json, startServer } from "../test/http-server.js";
import { createMediaClient, type MediaClient, MediaResponseError } from "./index.js";

describe("an answer that no service of the contract gives", () => {
  const event = { timestamp: "2026-04-01T09:30:16Z", type: "connection.failed", client_id: "camera" };
  const counts = { complete: true, total: { count: 1 }, groups: [], omitted_groups: 0, periods: [] };

  /** Answers each listing and each count in the same way, as a service that knows searches. */
  async function connectTo(entries: unknown, counted: unknown = counts): Promise<MediaClient> {
    const server = await startServer((response, request) => {
      const isCount = request.url?.startsWith("/orgs/count-logs");
      json(isCount ? counted : entries, 200, { "x-searched-to": "2026-04-01T09:00:00Z" })(response, request);
    });
    return createMediaClient({ baseUrl: server.baseUrl, apiKey: "key", now: () => Date.parse("2026-04-01T10:00:00Z") });
  }

  it.each([
    null,
    [],
    {},
    { ...counts, total: null },
    { ...counts, total: {} },
    { ...counts, groups: undefined },
    { ...counts, groups: {} },
    { ...counts, groups: [null] },
    { ...counts, groups: [{ count: 1 }] },
    { ...counts, groups: [{ count: "1", by: {} }] },
    { ...counts, periods: undefined },
    { ...counts, periods: [null] },
  ])("is a response error as a count: %j", async (counted) => {
    const client = await connectTo([event], counted);
    await expect(client.logs.count("events")).rejects.toBeInstanceOf(MediaResponseError);
  });

  it.each([
    null,
    [],
    {},
    { channels: {} },
    { channels: [null] },
    { channels: [{}] },
    { channels: [{ channel_id: 5 }] },
    { channels: [{ channel_id: "lobby@demo", clients: null }] },
    { channels: [{ channel_id: "lobby@demo", clients: [null] }] },
    { channels: [{ channel_id: "lobby@demo", clients: [{}] }] },
  ])("is a response error as live channels: %j", async (answer) => {
    await expect((await connectTo(answer)).live()).rejects.toBeInstanceOf(MediaResponseError);
  });
});
