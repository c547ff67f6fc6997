import { expect, it } from "vitest";
import { json, startServer } from "../test/http-server.js";
import { createMediaClient, MediaNotFoundError, MediaServiceUnavailableError, MediaUsageError } from "./index.js";

it.each([
  ["all connections of a channel", { channel_id: "lobby@demo" }, "Media_20151104.DisconnectChannel"],
  ["one connection", { channel_id: "lobby@demo", connection_id: "c1" }, "Media_20151104.DisconnectConnection"],
])("disconnect ends %s, on behalf of a person", async (_, request, target) => {
  const server = await startServer(json({}));
  const client = createMediaClient({ baseUrl: server.baseUrl, apiKey: "key" });
  await expect(client.disconnect(request, { requestedBy: "ann", headers: { "x-more": "1" } })).resolves.toEqual({});
  expect(server.requests).toMatchObject([
    {
      body: JSON.stringify(request),
      headers: { "x-media-target": target, "x-requested-by": "ann", "x-more": "1", authorization: "Bearer key" },
    },
  ]);
});

it("disconnect is not retried, unless that is requested", async () => {
  const server = await startServer(json({ status: 503 }, 503, { "retry-after": "0" }));
  const client = createMediaClient({ baseUrl: server.baseUrl, apiKey: "key" });
  await expect(client.disconnect({ channel_id: "a@demo" })).rejects.toBeInstanceOf(MediaServiceUnavailableError);
  expect(server.requests).toHaveLength(1);
  await expect(client.disconnect({ channel_id: "a@demo" }, { maxRetries: 1 })).rejects.toThrow();
  expect(server.requests).toHaveLength(3);
});

it("disconnect reports what the media server refuses, and may find it the next time", async () => {
  const server = await startServer(json({ error_type: "CONNECTION-NOT-FOUND" }, 404), json({}));
  const client = createMediaClient({ baseUrl: server.baseUrl, apiKey: "key" });
  const request = { channel_id: "a@demo", connection_id: "c1" };
  await expect(client.disconnect(request)).rejects.toBeInstanceOf(MediaNotFoundError);
  await expect(client.disconnect(request)).resolves.toEqual({});
});

it("disconnect sends nothing for a request that is none", async () => {
  const client = createMediaClient({ baseUrl: "http://127.0.0.1:9", apiKey: "key" });
  await expect(client.disconnect(JSON.parse('"lobby@demo"'))).rejects.toBeInstanceOf(MediaUsageError);
});
