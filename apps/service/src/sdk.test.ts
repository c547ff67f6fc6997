// Tests the published client against the service.
import {
  createMediaClient,
  expiresIn,
  type LogKind,
  type LogWhere,
  MediaBadRequestError,
  MediaForbiddenError,
  MediaTooManyRequestsError,
  MediaUnauthorizedError,
} from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
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

const DAY_MS = 24 * 60 * 60 * 1000;

/** The same entries in the service and in the SDK's fake of it, in an order other than that of their times. */
async function twins() {
  const target = await startTestService({ env: { MEDIA_LISTINGS_PER_MINUTE: "0", MEDIA_SEARCHES_PER_MINUTE: "0" } });
  const fake = createFakeMediaService();
  const start = Date.now() - 10 * DAY_MS;
  const digits = ["", ".5", ".500", ".000001", ".0000010001", ".123456"];
  for (let i = 0; i < 60; i++) {
    const seconds = ((i * 37) % 60) * 3600 - (i % 3) * 3600;
    const timestamp = `${new Date(start + seconds * 1000).toISOString().slice(0, 19)}${digits[i % digits.length]}Z`;
    const [entry] = fake.add("webhooks", {
      timestamp,
      type: i % 2 ? "session.created" : "connection.destroyed",
      url: `https://hooks.example/${i % 5}*Path`,
      status: [200, 0, 404, 500, 204][i % 5] ?? 200,
      elapsed_time_ms: (i * 13) % 100,
    });
    await target.append({ projectId: "demo", kind: "webhooks", timestamp, text: JSON.stringify(entry) });
  }
  const iso = (hours: number): string => new Date(start + hours * 3_600_000).toISOString();
  return { target, client: clientOf(target), fake: createMediaClient(fake.clientOptions), iso };
}

it("searches and counts as the SDK's fake does", async () => {
  const { client, fake, iso } = await twins();
  const wheres: LogWhere<"webhooks">[] = [
    {},
    { failed: true },
    { failed: false, elapsed_time_ms: { any: [{ lt: 10 }, { gte: 50, not: { eq: [52, 65] } }] } },
    { url: { like: "*/1\\*Path" }, type: { starts_with: ["session.", "x"] } },
    { url: { contains: "PATH", not: { contains: "/3" } } },
    { timestamp: { gt: iso(20), all: [{ lte: iso(40) }] } },
  ];
  for (const where of wheres) {
    for (const order of ["newest", "oldest"] as const) {
      for (const range of [{}, { since: iso(10) }, { since: new Date(iso(5)), until: iso(50) }]) {
        const request = { where, order, ...range };
        const seen: unknown[] = [];
        for await (const entry of client.logs.webhooks.all({ ...request, limit: 25 })) seen.push(entry);
        expect(seen, JSON.stringify(request)).toEqual(await fake.logs.webhooks(request));
        const pages: unknown[][] = [];
        for await (const page of client.logs.webhooks.all({ ...request, limit: 25 }).pages()) {
          pages.push(page.data);
          expect(page.complete).toBe(page.nextCursor === undefined);
        }
        expect(pages.flat()).toEqual(seen);
        expect(pages.slice(0, -1).map(({ length }) => length)).toEqual(pages.slice(1).map(() => 25));
        const [page, same] = [client, fake].map(({ logs }) => logs.webhooks({ ...request, limit: 60 }).withResponse());
        expect((await page)?.complete).toBe((await same)?.complete);
      }
    }
    const request = { where, since: iso(0), until: iso(70), by: ["status" as const], every: 86_400, offset: 32_400 };
    const [counts, same] = await Promise.all([client, fake].map(({ logs }) => logs.count("webhooks", request)));
    expect(withoutPercentiles(counts)).toEqual(withoutPercentiles(same));
  }
});

const withoutPercentiles = (counts: unknown): unknown =>
  JSON.parse(JSON.stringify(counts, (name, value) => (name === "elapsed_ms" ? undefined : value)));

it("follows the service from a saved cursor: nothing is lost or repeated", async () => {
  const { target, client } = await twins();
  const { followCursor } = await client.logs.webhooks({ limit: 1 }).withResponse();
  const ids = Array.from({ length: 40 }, (_, i) => i);
  const add = async (some: readonly number[]) => {
    for (const id of some) {
      const timestamp = new Date(Date.now() - id * 1000).toISOString();
      const text = JSON.stringify({ timestamp, type: "x", url: "https://x.example", status: 200, elapsed_time_ms: id });
      await target.append({ projectId: "demo", kind: "webhooks", timestamp, text });
    }
  };
  await add(ids.slice(0, 30));
  const seen: number[] = [];
  let saved = followCursor;
  for (const count of [1, 12, 17, 10]) {
    const entries = client.logs.follow("webhooks", { cursor: saved });
    if (seen.length === 30) void add(ids.slice(30));
    for (let i = 0; i < count; i++) {
      const { value } = await entries.next();
      seen.push(value?.entry.elapsed_time_ms ?? -1);
      saved = value?.cursor;
    }
    await entries.return(undefined);
  }
  expect(seen).toEqual(ids);
});
