// Tests the published client against the service.
import {
  createMediaClient,
  expiresIn,
  type LogKind,
  MediaBadRequestError,
  MediaForbiddenError,
  MediaTooManyRequestsError,
  MediaUnauthorizedError,
} from "@media-ops/sdk";
import { expect, expectTypeOf, it } from "vitest";
import type { LogKind as OwnLogKind } from "./logs/log-store.js";
import { startTestService, type TestService } from "./test/harness.js";

const clientOf = ({ service, apiKey }: TestService, options: { apiKey?: string } = {}) =>
  createMediaClient({ baseUrl: service.url, apiKey, maxRetries: 0, ...options });

it("lists the logs and creates tokens", async () => {
  expectTypeOf<LogKind>().toEqualTypeOf<OwnLogKind>();
  const client = clientOf(await startTestService());
  expect(await client.logs.sessions()).toEqual([]);
  expect(await client.logs.connections()).toEqual([]);
  expect(await client.logs.mediaApi()).toEqual([]);
  expect(await client.logs.webhooks({ project_id: "demo" })).toEqual([]);
  const token = await client.tokens.create({ channel_id: "lobby@demo", expiration_time: expiresIn("10m") });
  expect(token.access_token.split(".")).toHaveLength(3);
  expect((await client.logs.api()).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});

it("reports refusals with their reason", async () => {
  const target = await startTestService({ env: { MEDIA_TOKENS_PER_MINUTE: "2" } });
  const client = clientOf(target);
  const misspelt = JSON.parse('{ "expiration_tme": "2036-04-01T03:10:00Z" }');
  await expect(client.tokens.create(misspelt)).rejects.toThrow("Did you mean expiration_time?");
  await expect(client.tokens.create({ channel_id: "lobby" })).rejects.toBeInstanceOf(MediaBadRequestError);
  await expect(client.tokens.create()).rejects.toMatchObject({ retryAfterMs: expect.any(Number) });
  await expect(client.tokens.create()).rejects.toBeInstanceOf(MediaTooManyRequestsError);
  await expect(client.logs.api({ project_id: "other" })).rejects.toBeInstanceOf(MediaForbiddenError);
  await expect(clientOf(target, { apiKey: "mo_x_y" }).logs.api()).rejects.toBeInstanceOf(MediaUnauthorizedError);
});

it("follows a log of the service", async () => {
  const target = await startTestService({ env: { MEDIA_LISTINGS_PER_MINUTE: "0" } });
  const client = clientOf(target);
  const stop = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const { entry } of client.logs.follow("webhooks", { intervalMs: 20, signal: stop.signal })) {
      seen.push(entry.timestamp);
      if (seen.length === 2) stop.abort();
    }
  })();
  for (const timestamp of [new Date().toISOString(), new Date(Date.now() + 1000).toISOString()]) {
    await expect.poll(() => metricsOf(target)).toContain("list-webhook-logs");
    const text = JSON.stringify({
      timestamp,
      type: "session.created",
      url: "https://hooks.example/",
      status: 200,
      elapsed_time_ms: 1,
    });
    await target.append({ projectId: "demo", kind: "webhooks", timestamp, text });
  }
  await following.catch(() => {});
  expect(seen).toHaveLength(2);
});

const metricsOf = async ({ service }: TestService): Promise<string> =>
  (await fetch(`${service.internalUrl}/metrics`)).text();
