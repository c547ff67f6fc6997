import { describe, expect, it } from "vitest";
import { json, startServer } from "../test/http-server.js";
import { createMediaClient, type MediaClient, MediaResponseError } from "./index.js";
import { trace, why } from "./reports/index.js";

describe("an answer that no service of the contract gives", () => {
  const event = { timestamp: "2026-04-01T09:30:16Z", type: "connection.failed", client_id: "camera" };
  const noEntries = [null, 5, "x", [], true];
  const counts = { complete: true, total: { count: 1 }, groups: [], omitted_groups: 0, periods: [] };

  /** Answers each listing and each count in the same way, as a service that knows searches. */
  async function connectTo(entries: unknown, counted: unknown = counts): Promise<MediaClient> {
    const server = await startServer((response, request) => {
      const isCount = request.url?.startsWith("/orgs/count-logs");
      json(isCount ? counted : entries, 200, { "x-searched-to": "2026-04-01T09:00:00Z" })(response, request);
    });
    return createMediaClient({ baseUrl: server.baseUrl, apiKey: "key", now: () => Date.parse("2026-04-01T10:00:00Z") });
  }

  it.each(["connection", "session", "client", "bundle", "channel"] as const)(
    "leaves in the trace of a %s only what is an entry",
    async (as) => {
      const { lines } = await trace(await connectTo([...noEntries, event]), { what: "camera", as });
      expect(lines.length).toBeGreaterThan(0);
      for (const { entry } of lines) expect(entry).toEqual(event);
    },
  );

  it("leaves nothing of what is no entry among what a traced text may name", async () => {
    const client = await connectTo(noEntries);
    expect(await trace(client, { what: "camera" })).toMatchObject({ subject: undefined, lines: [], candidates: [] });
  });

  it("leaves an explanation without what is no entry", async () => {
    const groups = [{ by: { reason: "ice-timeout", client_id: 5, node_name: null }, count: 1 }];
    const { causes } = await why(await connectTo(noEntries, { ...counts, groups }));
    expect(causes).toMatchObject([{ detail: undefined, clients: [], nodes: [] }, { detail: undefined }]);
  });

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
    await expect(why(client)).rejects.toBeInstanceOf(MediaResponseError);
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
