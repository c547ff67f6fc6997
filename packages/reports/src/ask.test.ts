import type { LogKind } from "@media-ops/contract";
import { createMediaClient, type LogWhere, type MediaClient } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { describe, expect, it } from "vitest";
import { KINDS as kinds } from "./entries/index.js";
import {
  askDigest,
  askStatus,
  askSummary,
  type CountQuestion,
  type DigestLog,
  type ListQuestion,
  type LogService,
  type LogStatusOptions,
  logStatus,
  summarize,
} from "./index.js";

const now = Date.parse("2026-11-21T14:05:30Z");
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

interface ServiceOptions {
  /** The time before which it does not search. @default it searches everything */
  reach?: number;
  /** The number of entries that it lists at most. @default all */
  most?: number;
  /** Whether it counts. @default true */
  counts?: boolean;
  /** A log that it does not have, as a service from before that log. @default none */
  lacks?: LogKind;
}

/** A service that holds these entries in each log that is asked for. */
function countingService(entries: readonly unknown[], options: ServiceOptions = {}) {
  const { reach = -Infinity, most = Infinity, counts = true, lacks } = options;
  const asked: (CountQuestion | ListQuestion)[] = [];
  const logs = new Map<LogKind, MediaClient["logs"]>();
  const logsOf = (kind: LogKind) => {
    const known = logs.get(kind);
    if (known) return known;
    const service = createFakeMediaService({ now: () => now });
    service.add(kind, ...([...entries].reverse() as object[]));
    const client = createMediaClient({ ...service.clientOptions, maxRetries: 0, now: () => now });
    logs.set(kind, client.logs);
    return client.logs;
  };
  const within = <Question extends CountQuestion | ListQuestion>(question: Question) => {
    asked.push(question);
    const { since = "1970-01-01T00:00:00Z", until = new Date(now).toISOString() } = question;
    const isShort = Date.parse(since) < reach;
    const start = new Date(Math.min(reach, Date.parse(until) - 1));
    return { isShort, question: isShort ? { ...question, since: start.toISOString() } : question };
  };
  const refuse = (code: string): never => {
    throw Object.assign(new Error(`refused: ${code}`), { code });
  };
  return {
    asked,
    async count(kind: LogKind, given: CountQuestion) {
      const { isShort, question } = within(given);
      if (!counts) refuse("NotFound");
      if (kind === lacks) refuse("BadRequest");
      const answer = await logsOf(kind).count(kind, question);
      return { ...answer, ...(isShort && { complete: false }) };
    },
    async list(kind: LogKind, given: ListQuestion) {
      const { isShort, question } = within(given);
      if (kind === lacks) refuse("NotFound");
      const limit = Math.min(question.limit ?? 1000, most);
      const { data, complete, searchedTo } = await logsOf(kind)
        .list(kind, { ...question, limit })
        .withResponse();
      const to = searchedTo ?? (isShort ? question.since : undefined);
      return { data, complete: complete && !isShort, ...(to !== undefined && { searchedTo: to }) };
    },
  };
}

/** A webhook some seconds ago. */
const webhook = (secondsAgo: number, status = 200, url = "https://hooks.example/media") => ({
  timestamp: new Date(now - secondsAgo * 1000).toISOString(),
  type: "session.created",
  url,
  status,
  elapsed_time_ms: secondsAgo % 97,
});

/** 834 failures half an hour ago, then thousands of good ones; 12 failures in the hour before. */
const trial = [
  ...Array.from({ length: 4000 }, (_, at) => webhook(1 + at / 100)),
  ...Array.from({ length: 834 }, (_, at) => webhook(1800 + at / 50, at % 3 === 0 ? 0 : 503, "https://down.example/in")),
  ...Array.from({ length: 12 }, (_, at) => webhook(4000 + at, 500)),
];
const lastHour = { now, since: now - HOUR };

const event = (secondsAgo: number, more: object = {}) => ({
  timestamp: new Date(now - secondsAgo * 1000).toISOString(),
  type: "connection.created",
  outcome: "ok",
  ...more,
});
const full = { outcome: "refused", reason: "channel-full", client_id: "c1", node_name: "node-1" };
const failed = { outcome: "failed", reason: "ice-timeout", client_id: "c2", node_name: "node-2" };
const events = [
  ...Array.from({ length: 60 }, (_, at) => event(1 + at)),
  ...Array.from({ length: 30 }, (_, at) => event(100 + at, failed)),
  event(200, { ...full, count: 12 }),
  event(300, { ...failed, reason: undefined, elapsed_time_ms: 20_000 }),
  event(4000, failed),
];

describe("a summary asked of a service that counts", () => {
  it("covers the whole period, and compares it with the one before", async () => {
    const summary = await askSummary(countingService(trial, { most: 1000 }), "webhooks", lastHour);
    expect(summary).toMatchObject({
      count: 4834,
      complete: true,
      period: { from: now - HOUR, to: now },
      before: { count: 12, failed: 12 },
      failures: {
        count: 834,
        byStatus: [
          { status: 503, count: 556 },
          { status: 0, count: 278 },
        ],
        where: [{ name: "https://down.example/in", count: 834 }],
        first: now - 1_816_660,
      },
    });
  });

  it("names the reasons, the clients and the nodes of events that failed or were refused", async () => {
    expect(await askSummary(countingService(events), "events", lastHour)).toMatchObject({
      count: 103,
      before: { count: 1, failed: 1 },
      failures: {
        count: 43,
        byStatus: [],
        byReason: [
          { name: "ice-timeout", count: 30 },
          { name: "channel-full", count: 12 },
        ],
        where: [
          { name: "c2", count: 31 },
          { name: "c1", count: 12 },
        ],
        nodes: [
          { name: "node-2", count: 31 },
          { name: "node-1", count: 12 },
        ],
        first: now - 300_000,
      },
    });
  });

  it("does not take how long connections existed for a processing time", async () => {
    const elapsed_ms = { p50: 20_000, p95: 20_000, p99: 20_000, max: 20_000 };
    const { count, ...service } = countingService(events);
    const measuring: LogService = {
      ...service,
      async count(kind, question) {
        const { total, groups, periods, ...counts } = await count(kind, question);
        const measured = <T extends object>(one: T) => ({ ...one, elapsed_ms });
        return { ...counts, total: measured(total), groups: groups.map(measured), periods: periods.map(measured) };
      },
    };
    const summary = await askSummary(measuring, "events", { ...lastHour, by: ["reason"] });
    expect(JSON.stringify(summary)).not.toMatch(/elapsed|p95/);
  });

  it.each<[LogKind, readonly unknown[], readonly unknown[], readonly ("url" | "status" | "outcome" | "reason")[]]>([
    ["webhooks", trial, trial.slice(0, -12), ["url", "status"]],
    ["events", events, events.slice(0, -1), ["outcome", "reason"]],
  ])("has the same numbers as one made of all entries: %s", async (kind, all, inHour, by) => {
    const options = { ...lastHour, until: now, timeZone: "Asia/Kolkata", by };
    const counted = await askSummary(countingService(all), kind, options);
    const made = summarize(kind, inHour, options);
    expect({ ...counted, before: undefined }).toEqual({ ...made, channels: undefined, before: undefined });
  });

  it.each<[LogKind, where: LogWhere<"webhooks"> | LogWhere<"events">, only: "failed" | "ok" | undefined]>([
    ["webhooks", { failed: true }, "failed"],
    ["webhooks", { failed: false }, "ok"],
    ["webhooks", { status: { gte: 400 } }, "failed"],
    ["webhooks", { status: { gt: 399 } }, "failed"],
    ["webhooks", { status: { eq: [0, 503] } }, "failed"],
    ["webhooks", { status: { any: [{ eq: 0 }, { gte: 500, lte: 599 }] } }, "failed"],
    ["webhooks", { status: { all: [{ gte: 500 }, { not: { eq: 503 } }] } }, "failed"],
    ["webhooks", { status: { gte: 200, lte: 299 } }, "ok"],
    ["webhooks", { status: { eq: 204 } }, "ok"],
    ["webhooks", { status: { lt: 400 } }, undefined],
    ["webhooks", { status: { eq: [200, 503] } }, undefined],
    ["webhooks", { status: { gte: 300 } }, undefined],
    ["webhooks", { status: { not: { gte: 400 } } }, undefined],
    ["webhooks", { url: { contains: "hooks" } }, undefined],
    ["events", { failed: true }, "failed"],
    ["events", { outcome: { eq: "refused" } }, "failed"],
    ["events", { outcome: { eq: ["failed", "refused"] } }, "failed"],
    ["events", { outcome: { not: { eq: "ok" } } }, "failed"],
    ["events", { outcome: { eq: "ok" } }, "ok"],
    ["events", { outcome: { eq: ["ok", "failed"] } }, undefined],
    ["events", { outcome: { contains: "e" } }, undefined],
    ["events", { reason: { eq: "ice-timeout" } }, undefined],
  ])("of %s knows whether its conditions leave failed entries only, or others only: %j", async (kind, where, only) => {
    expect((await askSummary(countingService([]), kind, { ...lastHour, where })).only).toBe(only);
  });

  it("starts with the first matching entry if no start is requested, and compares nothing", async () => {
    const summary = await askSummary(countingService(trial), "webhooks", { now });
    expect(summary).toMatchObject({ count: 4846, period: { from: now - 4_011_000, to: now } });
    expect(summary).not.toHaveProperty("before");
    expect(await askSummary(countingService([]), "webhooks", { now })).toMatchObject({ count: 0, complete: true });
  });

  it("compares with no period that begins before the 30 days that are kept", async () => {
    const service = countingService(trial);
    expect(await askSummary(service, "webhooks", { now, since: now - 20 * DAY })).not.toHaveProperty("before");
    expect(await askSummary(service, "webhooks", { now, since: now - 15 * DAY })).toHaveProperty("before");
  });

  it.each([true, false])("says that nothing is known of the time before the 30 days (counts: %s)", async (counts) => {
    const service = countingService(trial.slice(-100), { counts, most: 1000 });
    const longer = await askSummary(service, "webhooks", { now, since: now - 60 * DAY });
    expect(longer).toMatchObject({ count: 100, complete: false, period: { from: now - 30 * DAY, to: now } });
    const { overTime } = longer;
    for (const { from, complete } of overTime) expect(complete).toBe(from >= now - 30 * DAY);
    expect(overTime.at(-1)?.complete).toBe(true);
    expect(await askSummary(service, "webhooks", { now, since: now - 30 * DAY })).toMatchObject({ complete: true });
    const until = now - 40 * DAY;
    expect(await askSummary(service, "webhooks", { now, since: now - 60 * DAY, until })).toMatchObject({
      count: 0,
      complete: false,
      period: { from: until, to: until },
    });
  });

  it("says what was counted if that is not all", async () => {
    const summary = await askSummary(countingService(trial, { reach: now - MINUTE }), "webhooks", lastHour);
    expect(summary).toMatchObject({ count: 4000, complete: false, period: { from: now - MINUTE, to: now } });
    expect(summary.overTime.filter(({ complete }) => !complete)).toHaveLength(summary.overTime.length - 1);
    expect(summary).not.toHaveProperty("before");
  });

  it("asks only for what failed if that is all that is wanted", async () => {
    const summary = await askSummary(countingService(trial), "webhooks", { ...lastHour, where: { failed: true } });
    expect(summary).toMatchObject({ count: 834, only: "failed", failures: { count: 834 } });
  });

  it("leaves the calls of tools out of the API log, unless they are asked for", async () => {
    const url = "https://media.example/orgs/list-api-logs";
    const service = countingService([webhook(1, 200, `${url}?from=bot`), webhook(2, 200, url)]);
    expect(await askSummary(service, "api", lastHour)).toMatchObject({ count: 1, isWithoutTools: true });
    const asked = await askSummary(service, "api", { ...lastHour, where: { url: { contains: "from=bot" } } });
    expect(asked).toMatchObject({ count: 1 });
    expect(asked).not.toHaveProperty("isWithoutTools");
    expect(await askStatus(service, "api", { now })).toMatchObject({ lastHour: { count: 1, isWithoutTools: true } });
  });

  it("is not made if the service fails otherwise", async () => {
    const failing = { ...countingService([]), count: () => Promise.reject(new TypeError("broken")) };
    await expect(askSummary(failing, "webhooks", lastHour)).rejects.toThrow("broken");
  });
});

describe("a service without counts", () => {
  it("gives a summary of what it lists, which says how far that reaches", async () => {
    const service = countingService(trial, { counts: false, most: 1000 });
    const summary = await askSummary(service, "webhooks", lastHour);
    expect(summary).toMatchObject({ count: 1000, complete: false, failures: { count: 0 } });
    expect(summary.period?.from).toBeGreaterThan(now - 11_000);
    const small = countingService(trial.slice(0, 500), { counts: false, most: 1000 });
    expect(await askSummary(small, "webhooks", lastHour)).toMatchObject({ count: 500, complete: true });
  });

  it("gives a state that is unknown", async () => {
    const status = await askStatus(countingService(trial, { counts: false, most: 1000 }), "webhooks", { now });
    expect(status).toMatchObject({ newest: now - 1000, lastHour: { complete: false, failures: { count: 0 } } });
  });
});

describe("the state of a log of a service that counts", () => {
  it("has all failures of the last hour", async () => {
    const status = await askStatus(countingService(trial, { most: 1000 }), "webhooks", { now });
    expect(status).toMatchObject({
      newest: now - 1000,
      lastHour: { count: 4834, complete: true, failures: { count: 834, byStatus: [{ status: 503 }, { status: 0 }] } },
    });
  });

  it("is unknown if the hour was not counted wholly, and has no newest entry if the log is empty", async () => {
    const status = await askStatus(countingService(trial, { reach: now - MINUTE }), "webhooks", { now });
    expect(status.lastHour).toMatchObject({ complete: false, failures: { count: 0 } });
    const empty = await askStatus(countingService([]), "webhooks", { now });
    expect(empty).toMatchObject({ lastHour: { count: 0, complete: true, failures: { count: 0 } } });
    expect(empty).not.toHaveProperty("newest");
  });

  it("counts no refused call of the API log as a failure", async () => {
    const calls = [webhook(1, 404), webhook(2, 503), webhook(3, 0), webhook(4)];
    const status = await askStatus(countingService(calls), "api", { now });
    expect(status).toMatchObject({ lastHour: { count: 4, failures: { count: 2 } } });
  });
});

describe("the state of an event log", () => {
  const kiosk = event(1, { outcome: "refused", reason: "expired", client_id: "kiosk", count: 12 });
  const [late, phone] = [event(1, full), event(1, failed)];
  const refused = {
    count: 13,
    byReason: [
      { name: "expired", count: 12 },
      { name: "channel-full", count: 1 },
    ],
  };

  it.each([true, false])("has the failed connections, and the refused clients apart (counts: %s)", async (counts) => {
    const service = countingService([kiosk, phone, late], { counts });
    const status = await askStatus(service, "events", { now });
    const failures = { count: 1, byReason: [{ name: "ice-timeout", count: 1 }], where: [{ name: "c2" }] };
    expect(status).toMatchObject({ lastHour: { count: 14, complete: true, failures }, refused });
    expect(status).not.toHaveProperty("isMissing");
    if (counts) expect(service.asked).toHaveLength(6);
  });

  it.each([true, false])("is well if clients were refused only, and asks no more (counts: %s)", async (counts) => {
    const service = countingService([kiosk, late], { counts });
    const status = await askStatus(service, "events", { now });
    expect(status).toMatchObject({ lastHour: { count: 13, complete: true, failures: { count: 0 } }, refused });
    if (counts) expect(service.asked).toHaveLength(2);
  });

  it("says that there may be more refused clients if the hour was not counted wholly, and no reason", async () => {
    const service = countingService([kiosk, late], { reach: now - MINUTE });
    const status = await askStatus(service, "events", { now });
    expect(status).toMatchObject({ lastHour: { complete: false }, refused: { count: 13, byReason: [] } });
  });

  it.each([true, false])("says that a service has none (counts: %s)", async (counts) => {
    const service = countingService([webhook(1)], { lacks: "events", counts });
    const status = await askStatus(service, "events", { now });
    expect(status).toMatchObject({ kind: "events", isMissing: true, lastHour: { count: 0, complete: true } });
    expect(await askStatus(service, "webhooks", { now })).toMatchObject({ newest: now - 1000, lastHour: { count: 1 } });
  });

  it("is not known if the service fails, and another log that it lacks is an error", async () => {
    const failing = { ...countingService([]), list: () => Promise.reject(new TypeError("broken")) };
    await expect(askStatus(failing, "events", { now })).rejects.toThrow("broken");
    const service = countingService([], { lacks: "webhooks" });
    await expect(askStatus(service, "webhooks", { now })).rejects.toThrow("refused: BadRequest");
  });
});

describe("the state of a log, of its entries,", () => {
  const at = (minutes: number, fields: object = {}): object => ({ ...webhook(60 * minutes), ...fields });

  it("has a summary of the last hour, and the newest entry in any position, and none without a time", () => {
    const entries = [at(5), { status: 500 }, at(2), null, at(59), at(60)];
    const { newest, lastHour } = logStatus("api", entries, { now });
    expect(newest).toBe(now - 2 * MINUTE);
    expect(lastHour).toMatchObject({ kind: "api", count: 3, failures: { count: 0 }, complete: true });
    expect(lastHour.overTime.at(0)?.from).toBeLessThanOrEqual(now - HOUR);
    expect(lastHour.overTime.at(-1)?.to).toBeGreaterThan(now);
  });

  it("counts no failure if the service only refused invalid requests", () => {
    const statuses = [200, 400, 401, 403, 429].map((status) => at(5, { status }));
    expect(logStatus("api", statuses, { now }).lastHour.failures?.count).toBe(0);
    expect(logStatus("webhooks", statuses, { now }).lastHour.failures?.count).toBe(4);
    const { lastHour } = logStatus("api", [...statuses, at(5, { status: 500 }), at(5, { status: 0 })], { now });
    expect(lastHour.failures).toMatchObject({ count: 2, byStatus: [{ status: 500 }, { status: 0 }] });
  });

  it.each([[[]], [[{}, "text"]]])("of %j has no newest entry", (entries) => {
    const status = logStatus("sessions", entries, { now });
    expect(status).not.toHaveProperty("newest");
    expect(status).toMatchObject({ lastHour: { count: 0, complete: true } });
  });

  it.each<[why: string, entries: unknown[], options: Omit<LogStatusOptions, "now">, complete: boolean]>([
    ["as many as the limit, all within this hour", Array(1000).fill(at(5)), {}, false],
    ["one fewer", Array(999).fill(at(5)), {}, true],
    ["as many as the limit, with an older one", [...Array(999).fill(at(5)), at(61)], {}, true],
    ["as many as the limit, one without a time", [...Array(999).fill(at(5)), {}], {}, false],
    ["few of a search that did not reach back", [at(5)], { searchedTo: now - 30 * MINUTE }, false],
    ["few of a search that did", [at(5)], { searchedTo: now - 60 * MINUTE }, true],
    ["many of a complete listing", Array(1000).fill(at(5)), { searchedTo: now - 60 * MINUTE }, true],
  ])("of %s says whether the hour may have more entries", (_, entries, options, complete) => {
    expect(logStatus("api", entries, { now, ...options }).lastHour.complete).toBe(complete);
  });

  it("is refused if the current time is not finite", () => {
    expect(() => logStatus("api", [], { now: Number.NaN })).toThrow(/^now must be .* is NaN/);
  });
});

describe("a digest", () => {
  /** The end of the digest: the last whole minute. */
  const to = Math.floor(now / MINUTE) * MINUTE;

  /** Entries spread evenly over the 24 hours that ended so many days ago, the newest first. */
  const entriesIn = (daysAgo: number, count: number, entryAt: (at: number) => object): object[] =>
    Array.from({ length: count }, (_, at) => ({
      ...entryAt(at),
      timestamp: new Date(now - daysAgo * DAY - ((at + 1) * DAY) / (count + 1)).toISOString(),
    }));
  const threeDays = (entryOf: (daysAgo: number) => object[]): object[] => [0, 1, 7].flatMap(entryOf);

  /** A webhook; each of so many fails. */
  const webhookAt = (failsEach: number) => (at: number) => ({
    url: at % 7 === 0 ? "https://hooks.example/old" : "https://hooks.example/media",
    status: at % failsEach === 0 ? (at % (3 * failsEach) === failsEach ? 0 : 503) : 200,
    elapsed_time_ms: 84 + (at % 50),
  });
  const connectionAt = () => ({ duration_min: 10, total_received_bytes: 40_000_000, total_sent_bytes: 1_000_000 });
  /** Most connections are made, some fail, and some clients are refused. */
  const eventAt = (failsEach: number, refusedEach: number) => (at: number) => {
    if (at % failsEach === 1) return { outcome: "failed", reason: "ice-timeout", client_id: `c${at % 3}` };
    if (at % refusedEach === 2) return { outcome: "refused", reason: "expired", count: 3 };
    return { outcome: "ok", client_id: `c${at}` };
  };
  const callAt = (at: number) => ({ status: at % 45 === 3 ? 500 : at % 4 === 1 ? 400 : 200, elapsed_time_ms: 3 });
  const sessionAt = (at: number) => ({ duration_min: 60 + at });

  /** A service with a log of each kind. */
  const serviceOf = (logs: Partial<Record<LogKind, LogService>>): LogService => ({
    count: (kind, question) => (logs[kind] ?? countingService([])).count(kind, question),
    list: (kind, question) => (logs[kind] ?? countingService([])).list(kind, question),
  });
  async function logOf(kind: LogKind, service: LogService): Promise<DigestLog | undefined> {
    const { logs } = await askDigest(serviceOf({ [kind]: service }), { now, kinds: [kind] });
    expect(logs.length).toBeLessThan(2);
    return logs[0];
  }
  const hundredADay = threeDays((ago) => entriesIn(ago, 100, webhookAt(10)));

  it("has the 24 hours before the last whole minute, for each log", async () => {
    const { period, logs } = await askDigest(serviceOf({ webhooks: countingService(hundredADay) }), { now });
    expect(period).toEqual({ from: to - DAY, to });
    expect(logs.map(({ kind }) => kind)).toEqual(kinds);
    for (const { day } of logs) expect(day).toMatchObject({ complete: true, period });
  });

  it("compares what failed and how long it took with the day before and a week before", async () => {
    const entries = threeDays((ago) => entriesIn(ago, 1200 - 20 * ago, webhookAt(ago === 0 ? 8 : 100)));
    expect(await logOf("webhooks", countingService(entries))).toMatchObject({
      day: {
        count: 1200,
        failures: {
          count: 150,
          byStatus: [
            { status: 503, count: 100 },
            { status: 0, count: 50 },
          ],
          where: [
            { name: "https://hooks.example/media", count: 128 },
            { name: "https://hooks.example/old", count: 22 },
          ],
        },
        elapsed: { p95: 131 },
      },
      dayBefore: { count: 1180, failed: 12, p95: 131 },
      weekBefore: { count: 1060, failed: 11, p95: 131 },
    });
  });

  it("counts each log at most four times, and sums what connections and sessions took", async () => {
    const services = {
      sessions: countingService(threeDays((ago) => entriesIn(ago, 40 + ago, sessionAt))),
      connections: countingService(threeDays((ago) => entriesIn(ago, 400, connectionAt))),
      events: countingService(threeDays((ago) => entriesIn(ago, 90, eventAt(9, 10)))),
      webhooks: countingService(hundredADay),
    };
    const { logs } = await askDigest(serviceOf(services), { now, project_id: "demo" });
    for (const { asked } of Object.values(services)) {
      expect(asked.length).toBeLessThanOrEqual(4);
      for (const question of asked) expect(question).toMatchObject({ project_id: "demo" });
    }
    expect(logs.find(({ kind }) => kind === "sessions")).toMatchObject({
      minutes: 40 * 60 + (40 * 39) / 2,
      dayBefore: { count: 41, minutes: 41 * 60 + (41 * 40) / 2 },
    });
    expect(logs.find(({ kind }) => kind === "connections")).toMatchObject({
      day: { bytes: [{ total: 400 * 40_000_000 }, { total: 400 * 1_000_000 }] },
      dayBefore: { bytes: 400 * 41_000_000 },
    });
  });

  it("takes invalid calls and refused clients for no failures of the service, on any day and in any period", async () => {
    const api = await logOf("api", countingService(threeDays((ago) => entriesIn(ago, 90, callAt))));
    expect(api).toMatchObject({
      day: { failures: { count: 2, byStatus: [{ status: 500, count: 2 }] }, isWithoutTools: true },
      dayBefore: { failed: 2 },
    });
    const events = await logOf("events", countingService(threeDays((ago) => entriesIn(ago, 900, eventAt(30, 20)))));
    expect(events).toMatchObject({
      day: {
        failures: { count: 30, byReason: [{ name: "ice-timeout", count: 30 }], where: [{ name: "c1", count: 30 }] },
      },
      refused: { count: 135, byReason: [{ name: "expired", count: 135 }] },
      dayBefore: { failed: 30, refused: 135 },
    });
    for (const log of [api, events]) {
      const failed = log?.day?.overTime.reduce((sum, bucket) => sum + bucket.failed, 0);
      expect(failed).toBe(log?.day?.failures?.count);
    }
  });

  it.each(["UTC", "Asia/Kolkata"])("has twelve whole periods of two hours, in %s", async (timeZone) => {
    const service = countingService(entriesIn(0, 240, webhookAt(10)));
    const { logs } = await askDigest(serviceOf({ webhooks: service }), { now, timeZone, kinds: ["webhooks"] });
    const overTime = logs[0]?.day?.overTime ?? [];
    expect(overTime.map(({ from, to }) => [from, to])).toEqual(
      Array.from({ length: 12 }, (_, at) => [to - DAY + 2 * at * HOUR, to - DAY + 2 * (at + 1) * HOUR]),
    );
    expect(overTime.every(({ count }) => count > 17 && count < 23)).toBe(true);
  });

  it("compares nothing with a day that is not known wholly", async () => {
    const log = await logOf("webhooks", countingService(hundredADay, { reach: to - 1.5 * DAY }));
    expect(log).toMatchObject({ day: { count: 100, complete: true } });
    expect(log).not.toHaveProperty("dayBefore");
    expect(log).not.toHaveProperty("weekBefore");
  });

  it("takes a count that begins later than asked for as one of a part: older entries are not kept", async () => {
    const kept = countingService(hundredADay);
    const keepsLess: LogService = {
      ...kept,
      async count(kind, question) {
        const counts = await kept.count(kind, question);
        const oldest = new Date(to - 2 * DAY).toISOString();
        return { ...counts, since: [counts.since, oldest].sort().at(-1) ?? oldest };
      },
    };
    const log = await logOf("webhooks", keepsLess);
    expect(log).toMatchObject({ day: { complete: true }, dayBefore: { count: 100 } });
    expect(log).not.toHaveProperty("weekBefore");
  });

  it("has the least that is known of a day of which a part was counted", async () => {
    const log = await logOf("webhooks", countingService(entriesIn(0, 240, webhookAt(10)), { reach: to - 5 * HOUR }));
    expect(log).toMatchObject({ day: { complete: false, count: 50, failures: { count: 5, byStatus: [], where: [] } } });
    expect(log?.day?.overTime.map(({ complete }) => complete)).toEqual([...Array(10).fill(false), true, true]);
  });

  it("summarizes what a service without counts lists, and compares it with nothing", async () => {
    const service = countingService(entriesIn(0, 1200, webhookAt(8)), { counts: false, most: 1000 });
    const log = await logOf("webhooks", service);
    expect(log).toMatchObject({ day: { complete: false, count: 1000, failures: { count: 125 } } });
    expect(log).not.toHaveProperty("dayBefore");
    const events = await logOf("events", countingService(entriesIn(0, 90, eventAt(9, 10)), { counts: false }));
    expect(events).toMatchObject({ day: { complete: true, failures: { count: 10 } }, refused: { count: 24 } });
  });

  it.each([true, false])("leaves out a log that the service does not have (counts: %s)", async (counts) => {
    expect(await logOf("events", countingService([], { counts, lacks: "events" }))).toBeUndefined();
  });

  it("has the error of a log that does not answer, and the other logs", async () => {
    const error = Object.assign(new Error("It failed."), { code: "Timeout" });
    const silent: LogService = { count: () => Promise.reject(error), list: () => Promise.reject(error) };
    const { logs } = await askDigest(serviceOf({ webhooks: silent, events: silent }), { now });
    expect(logs.filter(({ day }) => day === undefined)).toEqual([
      { kind: "webhooks", error },
      { kind: "events", error },
    ]);
    expect(logs).toHaveLength(kinds.length);
  });

  it("does not know the rest if only the 24 hours were counted", async () => {
    const service = countingService(hundredADay);
    let calls = 0;
    const tired: LogService = {
      ...service,
      count: (kind, question) => (calls++ === 0 ? service.count(kind, question) : Promise.reject(new Error("429"))),
    };
    const log = await logOf("webhooks", tired);
    expect(log).toMatchObject({ day: { count: 100, failures: { count: 10, where: [] }, overTime: [] } });
    expect(log).not.toHaveProperty("dayBefore");
    expect(log).not.toHaveProperty("weekBefore");
  });
});
