import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createMediaClient } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { explainFailures } from "./explain-failures.js";
import { failingWebhooks } from "./failing-webhooks.js";
import { longSessions } from "./long-sessions.js";
import { viewerToken } from "./viewer-token.js";
import { watchWebhooks } from "./watch.js";
import { createWebhookReceiver } from "./webhook-receiver.js";

it.each([true, false])(
  "failing-webhooks counts failures by receiver and status (service that counts: %s)",
  async (extensions) => {
    const service = createFakeMediaService({ extensions });
    service.add(
      "webhooks",
      { status: 200 },
      { status: 500 },
      { status: 500 },
      { status: 0, url: "https://down.example" },
    );
    const client = createMediaClient(service.clientOptions);
    const lines = ["2 × 500 from https://hooks.example/media", "1 × no answer from https://down.example"];
    await expect(failingWebhooks(client)).resolves.toEqual(lines);
    service.add("webhooks", ...Array.from({ length: 997 }, () => ({})));
    const [first, ...others] = await failingWebhooks(client);
    expect(extensions ? [first, ...others] : others).toEqual(lines);
    if (!extensions) expect(first).toMatch(/^\(only since 20.*Z\)$/);
  },
);

it("explain-failures names the cause that affects the most clients first", async () => {
  const service = createFakeMediaService();
  const refused = { type: "admission.refused", outcome: "refused", reason: "expired", client_id: "kiosk" } as const;
  const failed = { type: "connection.failed", outcome: "failed", reason: "ice-timeout", node_name: "node-2" } as const;
  service.add("events", { ...refused, count: 6000 }, { ...failed, client_id: "a" }, { ...failed, client_id: "b" });
  await expect(explainFailures(createMediaClient(service.clientOptions), Date.now() + 1)).resolves.toEqual([
    "2 failed and 6000 refused of the last hour",
    "2 failed: ice-timeout, 0 before, 2 clients, all on node-2",
    "6000 refused: expired, 0 before, client kiosk, all on node-1",
  ]);
});

it("viewer-token requests the documented token, and reports errors", async () => {
  const service = createFakeMediaService();
  const client = createMediaClient(service.clientOptions);
  expect((await viewerToken(client, "lobby@demo")).split(".")).toHaveLength(3);
  expect(service.calls[0]?.body).toMatchObject({ channel_id: "lobby@demo", role: "recvonly" });
  await expect(viewerToken(client, "lobby")).rejects.toThrow("no token for lobby: /channel_id: Must be");
});

it("long-sessions keeps microseconds", async () => {
  const service = createFakeMediaService();
  service.add(
    "sessions",
    { created_timestamp: "2026-04-01T09:30:15.000001Z", destroyed_timestamp: "2026-04-01T09:30:16.000003Z" },
    { created_timestamp: "2026-04-01T09:30:15Z", destroyed_timestamp: "2026-04-01T09:30:17Z" },
  );
  const lines = await longSessions(createMediaClient(service.clientOptions), 2);
  expect(lines.map((line) => line.match(/: ([\d.]+ s)/)?.[1])).toEqual(["2 s", "1.000002 s"]);
});

it("watch reports failures as they happen, and resumes", async () => {
  const service = createFakeMediaService();
  const client = createMediaClient(service.clientOptions);
  const lines: string[] = [];
  let saved: string | undefined;
  const watch = () => {
    const stop = new AbortController();
    const report = (line: string, cursor: string | undefined): void => {
      lines.push(line);
      saved = cursor;
      stop.abort();
    };
    return watchWebhooks(client, report, { signal: stop.signal, ...(saved && { saved }) });
  };
  const watching = watch();
  await expect.poll(() => service.calls.length).toBe(2);
  service.add("webhooks", { status: 200 }, { status: 503 }, { status: 0 });
  await watching;
  await watch();
  expect(lines).toEqual([expect.stringContaining(" connection.created 503 "), expect.stringContaining(" 0 ")]);
});

it("webhook-receiver passes on signed events, and refuses everything else", async () => {
  const key = Buffer.alloc(32, 7);
  const types: unknown[] = [];
  const server = createWebhookReceiver(`whsec_${key.toString("base64")}`, ({ type }) => void types.push(type));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") return expect.fail();

  const body = '{"type":"session.created","id":"1"}';
  const seconds = Math.floor(Date.now() / 1000);
  const mac = createHmac("sha256", key).update(`msg_1.${seconds}.${body}`).digest("base64");
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": `${seconds}`, "webhook-signature": `v1,${mac}` };
  const send = async (text: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${address.port}`, { method: "POST", body: text, headers })).status;
  expect(await send(body)).toBe(204);
  expect(await send(`${body} `)).toBe(400);
  expect(types).toEqual(["session.created"]);
});
