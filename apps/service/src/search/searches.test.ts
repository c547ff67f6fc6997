import { databaseUrl } from "@media-ops/testing";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { NewEntry } from "../logs/log-store.js";
import { openStorage } from "../storage/open-storage.js";
import { openLogs } from "../stores.js";
import { pathOf, startTestService } from "../test/harness.js";

const path = pathOf.listWebhookLogs;
const start = Date.now() - 60_000;
const timeOf = (n: number): string => new Date(start + n * 1000).toISOString();

/** A webhook, so many seconds after the start. */
const webhook = (n: number, more: object = {}): NewEntry => {
  const timestamp = timeOf(n);
  const entry = {
    timestamp,
    type: "session.created",
    url: `https://hooks.example/${n}`,
    status: 200,
    elapsed_time_ms: n,
  };
  return { projectId: "demo", kind: "webhooks", timestamp, text: JSON.stringify({ ...entry, ...more }) };
};

const searchHeaders = (headers: Headers) =>
  Object.fromEntries(["x-searched-to", "x-next-cursor", "x-follow-cursor"].map((name) => [name, headers.get(name)]));
const numbers = (body: unknown): number[] =>
  (body as { elapsed_time_ms: number }[]).map((entry) => entry.elapsed_time_ms);

describe("a listing with members of a search", () => {
  it("has the pages of what matches, and says how far it has searched", async () => {
    const { call, append } = await startTestService();
    await append(...[0, 1, 2, 3, 4].map((n) => webhook(n, { status: n % 2 === 0 ? 500 : 200 })));
    const body = { where: { failed: true }, since: timeOf(-1), limit: 2 };
    const first = await call(path, { body });
    expect(numbers(first.body)).toEqual([4, 2]);
    const {
      "x-searched-to": searchedTo,
      "x-next-cursor": cursor,
      "x-follow-cursor": follow,
    } = searchHeaders(first.headers);
    expect(searchedTo).toBe(timeOf(2).replace(/\.?0*Z$/, "Z"));
    expect(follow).toBeTypeOf("string");
    const last = await call(path, { body: { ...body, cursor, limit: 10 } });
    expect(numbers(last.body)).toEqual([0]);
    expect(searchHeaders(last.headers)).toEqual({
      "x-searched-to": timeOf(-1).replace(/\.?0*Z$/, "Z"),
      "x-next-cursor": null,
      "x-follow-cursor": null,
    });
  });

  it("may begin with the oldest entries, and goes up to now", async () => {
    const { call, append } = await startTestService();
    await append(...[0, 1, 2].map((n) => webhook(n)));
    const { body, headers } = await call(path, { body: { order: "oldest" } });
    expect(numbers(body)).toEqual([0, 1, 2]);
    expect(Date.parse(headers.get("x-searched-to") ?? "")).toBeGreaterThan(Date.now() - 10_000);
    const until = await call(path, { body: { order: "oldest", until: "2099-01-01T09:00:00+09:00" } });
    expect(until.headers.get("x-searched-to")).toBe("2099-01-01T00:00:00Z");
  });

  it("finds nothing that is older than 30 days", async () => {
    const { call, append } = await startTestService();
    await append(webhook(0), webhook(-31 * 86_400, { elapsed_time_ms: 31 }));
    const { body, headers } = await call(path, { body: { since: "2020-01-01T00:00:00Z" } });
    expect(numbers(body)).toEqual([0]);
    expect(Date.parse(headers.get("x-searched-to") ?? "")).toBeGreaterThan(Date.now() - 30.01 * 86_400_000);
    const past = await call(path, { body: { until: "2020-01-01T00:00:00Z" } });
    expect(past.body).toEqual([]);
  });

  it("sends the texts as they were stored, compressed if they are large", async () => {
    const { call, append } = await startTestService();
    const text = `{ "timestamp": ${JSON.stringify(timeOf(0))},  "type":"a.b", "url": "https://é.example/", "status":2e2, "elapsed_time_ms": 1 }`;
    await append({ projectId: "demo", kind: "webhooks", timestamp: timeOf(0), text });
    expect((await call(path, { body: { limit: 5 } })).text).toBe(`[${text}]`);
    await append(...Array.from({ length: 20 }, (_, n) => webhook(n + 1)));
    const many = await call(path, { body: { order: "oldest" }, headers: { "accept-encoding": "gzip" } });
    expect(many.headers.get("content-encoding")).toBe("gzip");
    expect(many.text.startsWith(`[${text},`)).toBe(true);
  });

  it("has no header of a search if it has none of its members", async () => {
    const { call, append } = await startTestService();
    await append(webhook(0));
    for (const body of [undefined, {}, { project_id: "demo" }]) {
      const { headers } = await call(path, { body });
      expect(searchHeaders(headers)).toEqual({ "x-searched-to": null, "x-next-cursor": null, "x-follow-cursor": null });
    }
  });

  it("is refused for another project", async () => {
    const { call } = await startTestService();
    expect((await call(path, { body: { project_id: "other", limit: 1 } })).status).toBe(403);
  });

  it("shows the caller's own earlier calls in the API log", async () => {
    const { call } = await startTestService();
    await call(`${pathOf.createAccessToken}?from=bot`);
    const { body } = await call(pathOf.listApiLogs, { body: { where: { from: { eq: "bot" } } } });
    expect(body).toHaveLength(1);
  });
});

describe("a search is refused", async () => {
  const shared = await startTestService({ atEnd: afterAll });

  it.each([
    [{ where: { statsu: { eq: 1 } } }, "/where/statsu", "Is not a known field. Did you mean status?"],
    [{ where: { url: { contain: "a" } } }, "/where/url/contain", "Is not a known field. Did you mean contains?"],
    [{ where: { status: 503 } }, "/where/status", 'Must be a JSON object such as {"gte":400}.'],
    [{ where: { url: "hooks" } }, "/where/url", 'Must be a JSON object such as {"contains":"hooks"}.'],
    [{ where: { status: { eq: "404" } } }, "/where/status/eq", "Must be a number or a list of numbers."],
    [{ where: { status: { eq: [404, "500"] } } }, "/where/status/eq/1", "Must be a number."],
    [{ where: { status: { eq: [] } } }, "/where/status/eq", "Must have from 1 to 100 items."],
    [{ where: { status: {} } }, "/where/status", "Must have one of eq, gt, gte, lt, lte, any, all, not."],
    [{ where: { url: { contains: 5 } } }, "/where/url/contains", "Must be a string or a list of strings."],
    [{ where: { failed: 1 } }, "/where/failed", "Must be true or false."],
    [
      { where: { timestamp: { gt: "yesterday" } } },
      "/where/timestamp/gt",
      "Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z.",
    ],
    [{ since: "2026-04-01" }, "/since", "Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z."],
    [
      { since: "2026-04-01T09:00:00Z", until: "2026-04-01T18:00:00+09:00" },
      "/until",
      "Must be later than since, which is 2026-04-01T09:00:00Z, but is 2026-04-01T18:00:00+09:00. Send a later time, or leave one of them out.",
    ],
    [{ limit: 1001 }, "/limit", "Must be a whole number from 1 to 1000."],
    [{ order: "latest" }, "/order", "Must be one of newest, oldest."],
    [
      { cursor: "abc" },
      "/cursor",
      "Must be an x-next-cursor or x-follow-cursor of an earlier answer, unchanged. To begin anew, leave it out.",
    ],
    [
      { wait_s: 5 },
      "/wait_s",
      "Needs a cursor that follows the log. Send an x-follow-cursor as cursor, or the x-next-cursor of a listing with one; or leave wait_s out.",
    ],
  ])("%j: at %s", async (body, pointer, detail) => {
    const answer = await shared.call(path, { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ errors: [{ pointer, detail }] });
  });

  it("if its cursor belongs to another question", async () => {
    const { call, append } = await startTestService();
    await append(webhook(0), webhook(1));
    const { headers } = await call(path, { body: { limit: 1 } });
    const cursor = headers.get("x-next-cursor") ?? "";
    for (const [other, body] of [
      [path, { order: "oldest", cursor }],
      [path, { where: { failed: true }, cursor }],
      [pathOf.listApiLogs, { cursor }],
    ] as const) {
      const answer = await call(other, { body });
      expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: "/cursor" }] });
    }
    expect((await call(path, { body: { cursor, limit: 3 } })).status).toBe(200);
  });

  it("if its key has made too many that take long", async () => {
    const { call, append } = await startTestService({ env: { MEDIA_SEARCHES_PER_MINUTE: "1" } });
    await append(
      ...Array.from({ length: 4000 }, (_, n) => webhook(0, { url: `https://hooks.example/${n}${"a".repeat(500)}` })),
    );
    // Each pattern tries every a of each text.
    const like = Array.from({ length: 19 }, (_, n) => `*${"a*".repeat(100)}b${n}*`);
    const long = { where: { url: { like } } };
    expect((await call(path, { body: long })).status).toBe(200);
    const refused = await call(path, { body: long });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(refused.body).toMatchObject({
      detail: expect.stringContaining("has made 1 long search calls within a minute"),
    });
    expect((await call(path, { body: { limit: 1 } })).status).toBe(200);
  });
});

describe("following", () => {
  const followed = async (env: Record<string, string> = {}, more: object = {}) => {
    const target = await startTestService({ env });
    const body = { limit: 100, ...more };
    const { headers } = await target.call(path, { body });
    const follow = (cursor: string | null, wait_s?: number) =>
      target.call(path, { body: { ...body, cursor, ...(wait_s !== undefined && { wait_s }) } });
    return { ...target, body, follow, cursor: headers.get("x-follow-cursor") };
  };

  it("holds the call until an entry matches, and yields each once", async () => {
    const { append, follow, cursor } = await followed({}, { where: { failed: true } });
    await append(webhook(0));
    const held = follow(cursor, 30);
    await append(webhook(1));
    await append(webhook(2, { status: 500 }), webhook(3));
    const appended = performance.now();
    const answer = await held;
    expect(performance.now() - appended).toBeLessThan(10_000);
    expect(numbers(answer.body)).toEqual([2]);
    expect(answer.headers.get("x-searched-to")).toBeNull();
    const next = answer.headers.get("x-next-cursor");
    expect((await follow(next)).body).toEqual([]);
    await append(webhook(-5, { status: 0, elapsed_time_ms: 5 }));
    expect(numbers((await follow(next)).body)).toEqual([5]);
  });

  it("notices what another process writes", async () => {
    const url = await databaseUrl();
    const { follow, cursor } = await followed({ MEDIA_DATABASE_URL: url });
    const storage = await openStorage(url);
    onTestFinished(() => storage.close());
    const other = await openLogs(storage, Date.now);
    const held = follow(cursor, 30);
    await other.append([webhook(0)]);
    const appended = performance.now();
    expect(numbers((await held).body)).toEqual([0]);
    expect(performance.now() - appended).toBeLessThan(10_000);
  });

  it("answers with nothing when the time is over, and with a cursor to go on", async () => {
    const { append, follow, cursor } = await followed();
    const answer = await follow(cursor, 1);
    expect(answer.body).toEqual([]);
    await append(webhook(0));
    expect(numbers((await follow(answer.headers.get("x-next-cursor"))).body)).toEqual([0]);
  });

  it("ends at once when the service stops", async () => {
    const { service, follow, cursor } = await followed();
    const held = [follow(cursor, 30), follow(cursor, 30)];
    await expect.poll(async () => (await follow(cursor)).status).toBe(200);
    const stopping = performance.now();
    await service.stop();
    expect((await Promise.all(held)).map(({ body }) => body)).toEqual([[], []]);
    expect(performance.now() - stopping).toBeLessThan(15_000);
  });

  it("is not woken by its own calls in the API log if it does not look for them", async () => {
    const { call } = await startTestService();
    const where = { from: { not: { like: "*" } } };
    const { headers } = await call(`${pathOf.listApiLogs}?from=cli`, { body: { where } });
    const cursor = headers.get("x-follow-cursor");
    const started = performance.now();
    const answer = await call(`${pathOf.listApiLogs}?from=cli-follow`, { body: { where, cursor, wait_s: 1 } });
    expect(performance.now() - started).toBeGreaterThan(900);
    expect(answer.body).toEqual([]);
    const next = answer.headers.get("x-next-cursor");
    const held = call(`${pathOf.listApiLogs}?from=cli-follow`, { body: { where, cursor: next, wait_s: 30 } });
    await call(pathOf.createAccessToken);
    expect((await held).body).toMatchObject([{ url: expect.stringContaining(pathOf.createAccessToken) }]);
  });

  it("holds 100 calls of a key, and forgets those whose caller has left", async () => {
    const { service, body, follow, cursor, apiKey } = await followed();
    const leave = new AbortController();
    const calls = Array.from({ length: 100 }, () =>
      fetch(service.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ ...body, cursor, wait_s: 30 }),
        signal: leave.signal,
      }).catch(() => undefined),
    );
    const refused = () => follow(cursor, 1).then(({ status }) => status);
    await expect.poll(refused).toBe(429);
    leave.abort();
    await Promise.all(calls);
    await expect.poll(refused).toBe(200);
  });
});
