import { databaseUrl } from "@media-ops/testing";
import { afterAll, describe, expect, it } from "vitest";
import type { NewEntry } from "../logs/log-store.js";
import { openLogs } from "../stores.js";
import { type CallOptions, openTestStorage, pathOf, startTestService } from "../test/harness.js";

const now = Date.parse("2026-04-01T10:30:00Z");
const unlimited = { MEDIA_SEARCHES_PER_MINUTE: "0", MEDIA_LISTINGS_PER_MINUTE: "0" };
const shared = await startTestService({ now: () => now, env: unlimited, atEnd: afterAll });
const { listWebhookLogs: path, countLogs } = pathOf;

const timeOf = (n: number): string => new Date(now - 60_000 + n * 1000).toISOString();

/** A webhook at a time, or so many seconds after the first. */
function webhook(at: number | string, more: object = {}): Omit<NewEntry, "projectId"> {
  const timestamp = typeof at === "string" ? at : timeOf(at);
  const elapsed_time_ms = typeof at === "string" ? 5 : at;
  const entry = { timestamp, type: "session.created", url: "https://a.example/", status: 200, elapsed_time_ms };
  return { kind: "webhooks", timestamp, text: JSON.stringify({ ...entry, ...more }) };
}

let projects = 0;
/** Calls with the key of a new project. */
async function newProject() {
  const projectId = `p${projects++}`;
  const key = await shared.createKey(projectId);
  const call = (to: string, options: CallOptions = {}) => shared.call(to, { key, ...options });
  return {
    key,
    call,
    list: (body?: object, options: CallOptions = {}) => call(path, { body, ...options }),
    count: async (body: object) => (await call(countLogs, { body })).body,
    append: (...entries: Omit<NewEntry, "projectId">[]) =>
      shared.append(...entries.map((entry) => ({ projectId, ...entry }))),
  };
}

const searchHeaders = (headers: Headers) =>
  Object.fromEntries(["x-searched-to", "x-next-cursor", "x-follow-cursor"].map((name) => [name, headers.get(name)]));
const none = { "x-searched-to": null, "x-next-cursor": null, "x-follow-cursor": null };
const numbers = (body: unknown): number[] =>
  (body as { elapsed_time_ms: number }[]).map((entry) => entry.elapsed_time_ms);

describe("a listing with members of a search", () => {
  it("has the pages of what matches, and says how far it has searched", async () => {
    const { list, append } = await newProject();
    await append(...[0, 1, 2, 3, 4].map((n) => webhook(n, { status: n % 2 === 0 ? 500 : 200 })));
    const body = { where: { failed: true }, since: timeOf(-1), limit: 2 };
    const first = await list(body);
    expect(numbers(first.body)).toEqual([4, 2]);
    const { "x-next-cursor": cursor, ...others } = searchHeaders(first.headers);
    const searchedTo = (n: number) => ({ "x-searched-to": timeOf(n).replace(".000Z", "Z") });
    expect(others).toEqual({ ...searchedTo(2), "x-follow-cursor": expect.any(String) });
    const last = await list({ ...body, cursor, limit: 10 });
    expect(numbers(last.body)).toEqual([0]);
    expect(searchHeaders(last.headers)).toEqual({ ...none, ...searchedTo(-1) });
  });

  it("may begin with the oldest entries, and goes up to now", async () => {
    const { list, append } = await newProject();
    await append(...[0, 1, 2].map((n) => webhook(n)));
    const { body, headers } = await list({ order: "oldest" });
    expect(numbers(body)).toEqual([0, 1, 2]);
    expect(headers.get("x-searched-to")).toBe("2026-04-01T10:30:00.000Z");
    const until = await list({ order: "oldest", until: "2099-01-01T09:00:00+09:00" });
    expect(until.headers.get("x-searched-to")).toBe("2099-01-01T00:00:00Z");
  });

  it("finds nothing that is older than 30 days", async () => {
    const { list, append } = await newProject();
    await append(webhook(0), webhook(-31 * 86_400, { elapsed_time_ms: 31 }));
    const { body, headers } = await list({ since: "2020-01-01T00:00:00Z" });
    expect(numbers(body)).toEqual([0]);
    expect(headers.get("x-searched-to")).toBe("2026-03-02T10:30:00Z");
    expect((await list({ until: "2020-01-01T00:00:00Z" })).body).toEqual([]);
  });

  it("sends the texts as they were stored, compressed if they are large", async () => {
    const { list, append } = await newProject();
    const timestamp = timeOf(0);
    const text = `{ "timestamp": ${JSON.stringify(timestamp)},  "type":"a.b", "url": "https://é.example/", "status":2e2, "elapsed_time_ms": 1 }`;
    await append({ kind: "webhooks", timestamp, text });
    expect((await list({ limit: 5 })).text).toBe(`[${text}]`);
    await append(...Array.from({ length: 20 }, (_, n) => webhook(n + 1)));
    const many = await list({ order: "oldest" }, { headers: { "accept-encoding": "gzip" } });
    expect(many.headers.get("content-encoding")).toBe("gzip");
    expect(many.text.startsWith(`[${text},`)).toBe(true);
  });

  it("has no header of a search if it has none of its members", async () => {
    const { list, append } = await newProject();
    await append(webhook(0));
    for (const body of [undefined, {}]) expect(searchHeaders((await list(body)).headers)).toEqual(none);
    expect(searchHeaders((await shared.call(path, { body: { project_id: "demo" } })).headers)).toEqual(none);
  });

  it("shows the caller's own earlier calls in the API log", async () => {
    const { call } = await newProject();
    await call(`${pathOf.createAccessToken}?from=bot`);
    expect((await call(pathOf.listApiLogs, { body: { where: { from: { eq: "bot" } } } })).body).toHaveLength(1);
  });
});

it.each([
  [path, { limit: 1 }],
  [countLogs, { kind: "api" }],
])("%s accepts the key's own project by name, and refuses another's", async (to, body) => {
  expect((await shared.call(to, { body: { ...body, project_id: "demo" } })).status).toBe(200);
  expect((await shared.call(to, { body: { ...body, project_id: "other" } })).status).toBe(403);
});

const contains = (length: number, text: string) => Array.from({ length }, (_, n) => `${text}${n}`);
const costly = (url: object) => ({ kind: "webhooks", where: { url } });

describe("a request is refused", () => {
  it.each<[string, object, string, string | RegExp]>([
    [path, { where: { statsu: { eq: 1 } } }, "/where/statsu", "Is not a known field. Did you mean status?"],
    [path, { where: { url: { contain: "a" } } }, "/where/url/contain", "Is not a known field. Did you mean contains?"],
    [path, { where: { status: 503 } }, "/where/status", 'Must be a JSON object such as {"gte":400}.'],
    [path, { where: { url: "hooks" } }, "/where/url", 'Must be a JSON object such as {"contains":"hooks"}.'],
    [path, { where: { status: { eq: "404" } } }, "/where/status/eq", "Must be a number or a list of numbers."],
    [path, { where: { status: { eq: [404, "500"] } } }, "/where/status/eq/1", "Must be a number."],
    [path, { where: { status: { eq: [] } } }, "/where/status/eq", "Must have from 1 to 100 items."],
    [path, { where: { status: {} } }, "/where/status", "Must have one of eq, gt, gte, lt, lte, any, all, not."],
    [path, { where: { url: { contains: 5 } } }, "/where/url/contains", "Must be a string or a list of strings."],
    [path, { where: { failed: 1 } }, "/where/failed", "Must be true or false."],
    [
      path,
      { where: { timestamp: { gt: "yesterday" } } },
      "/where/timestamp/gt",
      "Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z.",
    ],
    [path, { since: "2026-04-01" }, "/since", "Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z."],
    [
      path,
      { since: "2026-04-01T09:00:00Z", until: "2026-04-01T18:00:00+09:00" },
      "/until",
      "Must be later than since, which is 2026-04-01T09:00:00Z, but is 2026-04-01T18:00:00+09:00. Send a later time, or leave one of them out.",
    ],
    [path, { limit: 1001 }, "/limit", "Must be a whole number from 1 to 1000."],
    [path, { order: "latest" }, "/order", "Must be one of newest, oldest."],
    [
      path,
      { cursor: "abc" },
      "/cursor",
      "Must be an x-next-cursor or x-follow-cursor of an earlier answer, unchanged. To begin anew, leave it out.",
    ],
    [
      path,
      { wait_s: 5 },
      "/wait_s",
      "Needs a cursor that follows the log. Send an x-follow-cursor as cursor, or the x-next-cursor of a listing with one; or leave wait_s out.",
    ],
    [countLogs, {}, "/kind", "Is required."],
    [countLogs, { kind: "calls" }, "/kind", "Must be one of sessions, connections, api, media-api, webhooks, events."],
    [countLogs, { kind: "webhooks", where: { session_id: { eq: "S" } } }, "/where/session_id", /Is not a known field/],
    [
      countLogs,
      { kind: "webhooks", where: { satus: { eq: 1 } } },
      "/where/satus",
      "Is not a known field. Did you mean status?",
    ],
    [countLogs, { kind: "sessions", by: ["url"] }, "/by/0", "Must be one of channel_id, session_id."],
    [countLogs, { kind: "api", by: ["url", "url"] }, "/by", "Must have each item only once."],
    [countLogs, { kind: "api", since: "now" }, "/since", /Must be an RFC 3339 date-time/],
    [
      countLogs,
      { kind: "api", since: "2026-04-01T09:00:00Z", until: "2026-04-01T17:00:00+09:00" },
      "/until",
      /Must be later than since/,
    ],
    [
      countLogs,
      { kind: "api", every: 60 },
      "/every",
      "Must be at least 1298: this range has more than 2000 periods of 60 s.",
    ],
    [countLogs, { kind: "api", offset: 3600 }, "/offset", /Add every/],
    [countLogs, { kind: "api", limit: 10 }, "/limit", /Is not a known field/],
    [
      countLogs,
      costly({ any: Array(3).fill({ contains: contains(70, "a") }) }),
      "/where",
      "Must have at most 200 values to compare with, but has 210. Split it into several calls.",
    ],
    [
      countLogs,
      costly({ like: contains(41, "é".repeat(50)) }),
      "/where",
      "Must have at most 4096 bytes of text to compare with, but has 4172. Split it into several calls.",
    ],
  ])("by %s: %j, at %s", async (to, body, pointer, detail) => {
    const answer = await shared.call(to, { body });
    expect(answer.status).toBe(400);
    const [first] = (answer.body as { errors: { pointer: string; detail: string }[] }).errors;
    expect(first).toEqual({ pointer, detail: typeof detail === "string" ? detail : expect.stringMatching(detail) });
  });

  it("unless its conditions cost no more than they may", async () => {
    const body = costly({ any: Array(2).fill({ contains: contains(100, "aab") }) });
    expect((await shared.call(countLogs, { body })).status).toBe(200);
  });

  it("if its cursor belongs to another question", async () => {
    const { list, append, call } = await newProject();
    await append(webhook(0), webhook(1));
    const cursor = (await list({ limit: 1 })).headers.get("x-next-cursor") ?? "";
    for (const [other, body] of [
      [path, { order: "oldest", cursor }],
      [path, { where: { failed: true }, cursor }],
      [pathOf.listApiLogs, { cursor }],
    ] as const)
      expect((await call(other, { body })).body).toMatchObject({ status: 400, errors: [{ pointer: "/cursor" }] });
    expect((await list({ cursor, limit: 3 })).status).toBe(200);
  });

  it("if its key has made too many that take long", async () => {
    const { call, append } = await startTestService({ now: () => now, env: { MEDIA_SEARCHES_PER_MINUTE: "1" } });
    const urls = Array.from({ length: 4000 }, (_, n) => `https://hooks.example/${n}${"a".repeat(500)}`);
    await append(...urls.map((url) => ({ projectId: "demo", ...webhook(0, { url }) })));
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
  const followed = async (more: object = {}) => {
    const project = await newProject();
    const body = { limit: 100, ...more };
    const { headers } = await project.list(body);
    const follow = (cursor: string | null, wait_s?: number) =>
      project.list({ ...body, cursor, ...(wait_s !== undefined && { wait_s }) });
    return { ...project, body, follow, cursor: headers.get("x-follow-cursor") };
  };

  it("holds the call until an entry matches, and yields each once", async () => {
    const { append, follow, cursor } = await followed({ where: { failed: true } });
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

  it("notices what another process writes, and ends at once when the service stops", async () => {
    const url = await databaseUrl();
    const target = await startTestService({ now: () => now, env: { MEDIA_DATABASE_URL: url } });
    const body = { limit: 100 };
    const cursor = (await target.call(path, { body })).headers.get("x-follow-cursor");
    const follow = (wait_s = 0) => target.call(path, { body: { ...body, cursor, wait_s } });
    const other = await openLogs(await openTestStorage(url), () => now);
    const held = follow(30);
    await other.append([{ projectId: "demo", ...webhook(0) }]);
    const appended = performance.now();
    const answer = await held;
    expect(numbers(answer.body)).toEqual([0]);
    expect(performance.now() - appended).toBeLessThan(10_000);

    const next = { ...body, cursor: answer.headers.get("x-next-cursor") };
    const stopped = [1, 2].map(() => target.call(path, { body: { ...next, wait_s: 30 } }));
    await expect.poll(async () => (await target.call(path, { body: next })).status).toBe(200);
    const stopping = performance.now();
    await target.service.stop();
    expect((await Promise.all(stopped)).map((one) => one.body)).toEqual([[], []]);
    expect(performance.now() - stopping).toBeLessThan(15_000);
  });

  it("answers with nothing when the time is over; own calls in the API log do not wake it if it does not look for them", async () => {
    const { call } = await newProject();
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
    const { body, follow, cursor, key } = await followed();
    const leave = new AbortController();
    const calls = Array.from({ length: 100 }, () =>
      fetch(shared.service.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
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

describe("POST /orgs/count-logs", () => {
  it("counts the entries of the key's project by field and by time", async () => {
    const { append, count } = await newProject();
    await append(
      webhook("2026-04-01T08:59:59.999999Z"),
      webhook("2026-04-01T09:00:00Z", { status: 503, elapsed_time_ms: 40 }),
      webhook("2026-04-01T09:10:00.5Z", { status: 0, url: "https://b.example/", elapsed_time_ms: 10_000 }),
    );
    const body = await count({ kind: "webhooks", by: ["url"], every: 3600 });
    const some = (entries: number, failed: number, p50: number, max: number) => ({
      ...{ entries, count: entries, failed },
      elapsed_ms: { p50, p95: max, p99: max, max },
    });
    expect(body).toEqual({
      since: "2026-03-02T10:30:00Z",
      until: "2026-04-01T10:30:00Z",
      complete: true,
      total: some(3, 2, 40, 10_000),
      groups: [
        { by: { url: "https://a.example/" }, ...some(2, 1, 5, 40) },
        { by: { url: "https://b.example/" }, ...some(1, 1, 10_000, 10_000) },
      ],
      omitted_groups: 0,
      periods: [
        { start: "2026-04-01T08:00:00Z", ...some(1, 0, 5, 5) },
        { start: "2026-04-01T09:00:00Z", ...some(2, 2, 40, 10_000) },
      ],
    });
  });

  it("counts from since on and before until, with all digits, in any time zone", async () => {
    const { append, count } = await newProject();
    const times = ["2026-04-01T09:00:00.0000001Z", "2026-04-01T09:00:00.0000002Z", "2026-04-01T09:00:00.0000003Z"];
    await append(...times.map((timestamp) => webhook(timestamp)));
    const since = "2026-04-01T18:00:00.00000020+09:00";
    const until = "2026-04-01T09:00:00.0000003Z";
    expect(await count({ kind: "webhooks", since, until })).toMatchObject({
      since: "2026-04-01T09:00:00.0000002Z",
      until,
      total: { entries: 1 },
    });
  });

  it("counts nothing in a range without entries: before the last 30 days, or after all of them", async () => {
    const { append, count } = await newProject();
    await append(webhook("2026-03-01T09:00:00Z"));
    const ranges = [
      { since: "2026-02-28T00:00:00Z", until: "2026-03-02T00:00:00Z" },
      { since: "2026-04-02T00:00:00Z" },
      {},
    ];
    for (const range of ranges) {
      const body = await count({ kind: "webhooks", every: 3600, by: ["status"], ...range });
      expect(body).toMatchObject({ complete: true, total: { entries: 0, failed: 0 }, groups: [], periods: [] });
    }
  });

  it("counts what a clock that is ahead has written, unless the range ends before it", async () => {
    const { append, count } = await newProject();
    await append(webhook("2026-04-01T10:29:59.5Z"), webhook("2026-04-01T10:35:00.5Z"), webhook("2026-04-01T11:30:00Z"));
    const since = "2026-04-01T10:00:00Z";
    const open = await count({ kind: "webhooks", since });
    expect(open).toMatchObject({ since, until: "2026-04-01T10:35:01Z", total: { entries: 2 } });
    const until = "2026-04-01T10:30:00Z";
    expect(await count({ kind: "webhooks", since, until })).toMatchObject({
      since,
      until,
      total: { entries: 1 },
    });
  });

  it("is recorded in the API log, and counts the calls before it", async () => {
    const { count } = await newProject();
    for (let call = 0; call < 3; call++) await count({ kind: "webhooks" });
    const counted = () => count({ kind: "api", where: { url: { contains: "count-logs" } } });
    expect(await counted()).toMatchObject({ total: { count: 3, failed: 0 } });
    expect(await counted()).toMatchObject({ total: { count: 4, failed: 0 } });
  });
});
