import { afterAll, describe, expect, it } from "vitest";
import type { NewEntry } from "../logs/log-store.js";
import { pathOf, startTestService } from "../test/harness.js";

const now = Date.parse("2026-04-01T10:30:00Z");
const shared = await startTestService({ now: () => now, atEnd: afterAll });

const webhook = (timestamp: string, more: object = {}) => {
  const entry = {
    timestamp,
    type: "session.created",
    url: "https://a.example/",
    status: 200,
    elapsed_time_ms: 5,
    ...more,
  };
  return { kind: "webhooks" as const, timestamp, text: JSON.stringify(entry) };
};

/** Counts with the key of a new project. */
async function newProject(projectId: string) {
  const key = await shared.createKey(projectId);
  return {
    append: (...entries: Omit<NewEntry, "projectId">[]) =>
      shared.append(...entries.map((entry) => ({ projectId, ...entry }))),
    count: (body: unknown) => shared.call(pathOf.countLogs, { key, body }),
  };
}

const contains = (length: number, text: string) => Array.from({ length }, (_, n) => `${text}${n}`);

it.each([
  [{ any: Array(3).fill({ contains: contains(70, "a") }) }, "200 values to compare with, but has 210"],
  [{ like: contains(41, "é".repeat(50)) }, "4096 bytes of text to compare with, but has 4172"],
])("conditions that would cost too much are refused, with the limit: %#", async (url, limit) => {
  const { body } = await shared.call(pathOf.countLogs, { body: { kind: "webhooks", where: { url } } });
  const detail = `Must have at most ${limit}. Split it into several calls.`;
  expect(body).toMatchObject({ errors: [{ pointer: "/where", detail }] });
});

it("conditions that cost as much as they may are answered", async () => {
  const where = { url: { any: Array(2).fill({ contains: contains(100, "aab") }) } };
  expect((await shared.call(pathOf.countLogs, { body: { kind: "webhooks", where } })).status).toBe(200);
});

describe("POST /orgs/count-logs", () => {
  it("counts the entries of the key's project by field and by time", async () => {
    const { append, count } = await newProject("counted");
    await append(
      webhook("2026-04-01T08:59:59.999999Z"),
      webhook("2026-04-01T09:00:00Z", { status: 503, elapsed_time_ms: 40 }),
      webhook("2026-04-01T09:10:00.5Z", { status: 0, url: "https://b.example/", elapsed_time_ms: 10_000 }),
    );
    const { body } = await count({ kind: "webhooks", by: ["url"], every: 3600 });
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
    const { append, count } = await newProject("ranged");
    const times = ["2026-04-01T09:00:00.0000001Z", "2026-04-01T09:00:00.0000002Z", "2026-04-01T09:00:00.0000003Z"];
    await append(...times.map((timestamp) => webhook(timestamp)));
    const since = "2026-04-01T18:00:00.00000020+09:00";
    const until = "2026-04-01T09:00:00.0000003Z";
    expect((await count({ kind: "webhooks", since, until })).body).toMatchObject({
      since: "2026-04-01T09:00:00.0000002Z",
      until,
      total: { entries: 1 },
    });
  });

  it("counts nothing in a range without entries: before the last 30 days, or after all of them", async () => {
    const { append, count } = await newProject("empty");
    await append(webhook("2026-03-01T09:00:00Z"));
    const ranges = [
      { since: "2026-02-28T00:00:00Z", until: "2026-03-02T00:00:00Z" },
      { since: "2026-04-02T00:00:00Z" },
      {},
    ];
    for (const range of ranges) {
      const { body } = await count({ kind: "webhooks", every: 3600, by: ["status"], ...range });
      expect(body).toMatchObject({ complete: true, total: { entries: 0, failed: 0 }, groups: [], periods: [] });
    }
  });

  it("counts what a clock that is ahead has written, unless the range ends before it", async () => {
    const { append, count } = await newProject("ahead");
    await append(webhook("2026-04-01T10:29:59.5Z"), webhook("2026-04-01T10:35:00.5Z"), webhook("2026-04-01T11:30:00Z"));
    const since = "2026-04-01T10:00:00Z";
    const open = await count({ kind: "webhooks", since });
    expect(open.body).toMatchObject({ since, until: "2026-04-01T10:35:01Z", total: { entries: 2 } });
    const until = "2026-04-01T10:30:00Z";
    expect((await count({ kind: "webhooks", since, until })).body).toMatchObject({
      since,
      until,
      total: { entries: 1 },
    });
  });

  it("is recorded in the API log, and counts the calls before it", async () => {
    const { count } = await newProject("recorded");
    for (let call = 0; call < 3; call++) await count({ kind: "webhooks" });
    const counted = async () => (await count({ kind: "api", where: { url: { contains: "count-logs" } } })).body;
    expect(await counted()).toMatchObject({ total: { count: 3, failed: 0 } });
    expect(await counted()).toMatchObject({ total: { count: 4, failed: 0 } });
  });

  it("accepts the key's own project by name, and refuses another's", async () => {
    expect((await shared.call(pathOf.countLogs, { body: { kind: "api", project_id: "demo" } })).status).toBe(200);
    expect((await shared.call(pathOf.countLogs, { body: { kind: "api", project_id: "other" } })).status).toBe(403);
  });

  it.each([
    ["no kind", {}, "/kind", "Is required."],
    [
      "an unknown kind",
      { kind: "calls" },
      "/kind",
      "Must be one of sessions, connections, api, media-api, webhooks, events.",
    ],
    [
      "another log's condition",
      { kind: "webhooks", where: { session_id: { eq: "S" } } },
      "/where/session_id",
      /Is not a known field/,
    ],
    [
      "a misspelt condition",
      { kind: "webhooks", where: { satus: { eq: 1 } } },
      "/where/satus",
      "Is not a known field. Did you mean status?",
    ],
    ["another log's field", { kind: "sessions", by: ["url"] }, "/by/0", "Must be one of channel_id, session_id."],
    ["a field twice", { kind: "api", by: ["url", "url"] }, "/by", "Must have each item only once."],
    ["no time", { kind: "api", since: "now" }, "/since", /Must be an RFC 3339 date-time/],
    [
      "a reversed range",
      { kind: "api", since: "2026-04-01T09:00:00Z", until: "2026-04-01T17:00:00+09:00" },
      "/until",
      /Must be later than since/,
    ],
    [
      "too many periods",
      { kind: "api", every: 60 },
      "/every",
      "Must be at least 1298: this range has more than 2000 periods of 60 s.",
    ],
    ["an offset alone", { kind: "api", offset: 3600 }, "/offset", /Add every/],
    ["an unknown member", { kind: "api", limit: 10 }, "/limit", /Is not a known field/],
  ])("refuses %s", async (_, body, pointer, detail) => {
    const answer = await shared.call(pathOf.countLogs, { body });
    expect(answer.status).toBe(400);
    const [first] = (answer.body as { errors: { pointer: string; detail: string }[] }).errors;
    expect(first).toEqual({ pointer, detail: typeof detail === "string" ? detail : expect.stringMatching(detail) });
  });
});
