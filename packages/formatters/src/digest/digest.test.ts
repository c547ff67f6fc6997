import type { LogCounts, LogKind } from "@media-ops/contract";
import { askDigest, type DigestLog, type LogService } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { countingService } from "../test/counting-service.js";
import {
  callAt,
  calm,
  connectionAt,
  entriesIn,
  eventAt,
  serviceOf,
  sessionAt,
  threeDays,
  troubled,
  webhookAt,
} from "../test/digest-samples.js";
import { kinds, now } from "../test/samples.js";

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

/** The end of the digest: the last whole minute. */
const to = Math.floor(now / MINUTE) * MINUTE;

async function logOf(kind: LogKind, service: LogService): Promise<DigestLog | undefined> {
  const { logs } = await askDigest(serviceOf({ [kind]: service }), { now, kinds: [kind] });
  expect(logs.length).toBeLessThan(2);
  return logs[0];
}

const failure = (code?: string): Error => Object.assign(new Error("It failed."), code && { code });

describe("a digest", () => {
  it("has the 24 hours before the last whole minute, for each log", async () => {
    const { period, logs } = await askDigest(troubled, { now });
    expect(period).toEqual({ from: to - DAY, to });
    expect(logs.map(({ kind }) => kind)).toEqual(kinds);
    for (const { day } of logs) expect(day).toMatchObject({ complete: true, period });
  });

  it("compares what failed and how long it took with the day before and a week before", async () => {
    const service = countingService(
      threeDays((ago) => entriesIn(ago, 1200 - 20 * ago, webhookAt(ago === 0 ? 8 : 100))),
    );
    expect(await logOf("webhooks", service)).toMatchObject({
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
      webhooks: countingService(threeDays((ago) => entriesIn(ago, 90, webhookAt(3)))),
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
    const api = await logOf("api", countingService(threeDays((ago) => entriesIn(ago, 90, callAt(4, 45)))));
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
    expect(overTime.map(({ count }) => count).every((count) => count > 17 && count < 23)).toBe(true);
  });

  it("compares nothing with a day that is not known wholly", async () => {
    const service = countingService(
      threeDays((ago) => entriesIn(ago, 100, webhookAt(10))),
      { reach: to - 1.5 * DAY },
    );
    const log = await logOf("webhooks", service);
    expect(log).toMatchObject({ day: { count: 100, complete: true } });
    expect(log).not.toHaveProperty("dayBefore");
    expect(log).not.toHaveProperty("weekBefore");
  });

  it("takes a count that begins later than asked for as one of a part: older entries are not kept", async () => {
    const kept = countingService(threeDays((ago) => entriesIn(ago, 100, webhookAt(10))));
    const keepsLess: LogService = {
      ...kept,
      count: async (kind, question): Promise<LogCounts> => {
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

  it("leaves out a log that the service does not have, whether it counts others or none", async () => {
    for (const counts of [true, false]) {
      expect(await logOf("events", countingService([], { counts, lacks: "events" }))).toBeUndefined();
    }
  });

  it("has the error of a log that does not answer, and the other logs", async () => {
    const error = failure("Timeout");
    const silent: LogService = { count: () => Promise.reject(error), list: () => Promise.reject(error) };
    const { logs } = await askDigest(
      {
        count: (kind, question) => (kind === "webhooks" || kind === "events" ? silent : calm).count(kind, question),
        list: silent.list,
      },
      { now },
    );
    expect(logs.filter(({ day }) => day === undefined)).toEqual([
      { kind: "webhooks", error },
      { kind: "events", error },
    ]);
    expect(logs).toHaveLength(kinds.length);
  });

  it("does not know the rest if only the 24 hours were counted", async () => {
    const service = countingService(threeDays((ago) => entriesIn(ago, 100, webhookAt(10))));
    let calls = 0;
    const tired: LogService = {
      ...service,
      count: (kind, question) =>
        calls++ === 0 ? service.count(kind, question) : Promise.reject(failure("TooManyRequests")),
    };
    const log = await logOf("webhooks", tired);
    expect(log).toMatchObject({ day: { count: 100, failures: { count: 10, where: [] }, overTime: [] } });
    expect(log).not.toHaveProperty("dayBefore");
    expect(log).not.toHaveProperty("weekBefore");
  });
});
