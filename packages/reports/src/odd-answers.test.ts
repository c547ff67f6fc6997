import { createMediaClient, MediaResponseError, MediaUsageError } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { describe, expect, it } from "vitest";
import { askTrace, askWhy } from "./index.js";

describe("an answer that no service of the contract gives", () => {
  const event = { timestamp: "2026-04-01T09:30:16Z", type: "connection.failed", client_id: "camera" };
  const noEntries = [null, 5, "x", [], true];
  const counts = { complete: true, total: { count: 1 }, groups: [], omitted_groups: 0, periods: [] };

  /** Answers each listing and each count in the same way, as a service that knows searches. */
  const connectTo = (entries: unknown, counted: unknown = counts) =>
    createMediaClient({
      baseUrl: "http://media.test",
      apiKey: "key",
      now: () => Date.parse("2026-04-01T10:00:00Z"),
      fetch: async (url) =>
        Response.json(String(url).includes("/orgs/count-logs") ? counted : entries, {
          headers: { "x-searched-to": "2026-04-01T09:00:00Z" },
        }),
    });

  it.each(["connection", "session", "client", "bundle", "channel"] as const)(
    "leaves in the trace of a %s only what is an entry",
    async (as) => {
      const { lines } = await askTrace(connectTo([...noEntries, event]), { what: "camera", as });
      expect(lines.length).toBeGreaterThan(0);
      for (const { entry } of lines) expect(entry).toEqual(event);
    },
  );

  it("leaves nothing of what is no entry among what a traced text may name", async () => {
    const traced = await askTrace(connectTo(noEntries), { what: "camera" });
    expect(traced).toMatchObject({ subject: undefined, lines: [], candidates: [] });
  });

  it("leaves an explanation without what is no entry", async () => {
    const groups = [{ by: { reason: "ice-timeout", client_id: 5, node_name: null }, count: 1 }];
    const { causes } = await askWhy(connectTo(noEntries, { ...counts, groups }));
    expect(causes).toMatchObject([{ detail: undefined, clients: [], nodes: [] }, { detail: undefined }]);
  });

  it("is a response error as the counts of an explanation", async () => {
    const explained = askWhy(connectTo([event], { ...counts, groups: [null] }));
    await expect(explained).rejects.toBeInstanceOf(MediaResponseError);
  });
});

it.each(["demo", 7, null])("a request that is not an object is refused: %j", async (request) => {
  const service = createFakeMediaService();
  const client = createMediaClient(service.clientOptions);
  for (const ask of [askTrace, askWhy] as const) {
    const asked = Reflect.apply(ask, undefined, [client, request]);
    await expect(asked).rejects.toThrow(MediaUsageError);
    await expect(asked).rejects.toThrow("The request must be an object");
  }
  expect(service.calls).toHaveLength(0);
});
