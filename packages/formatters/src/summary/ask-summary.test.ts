import { askStatus, askSummary, summarize } from "@media-ops/reports";
import type { LogWhere } from "@media-ops/sdk";
import { describe, expect, it } from "vitest";
import { formatSummary as formatSlack } from "../slack/index.js";
import { markOf } from "../status/words.js";
import { formatSummary as formatTerminal } from "../terminal/index.js";
import { countingService } from "../test/counting-service.js";
import { now } from "../test/samples.js";
import { clockFor } from "../values/time.js";
import { formatSummary as formatMarkdown } from "./markdown.js";
import { summaryWords } from "./words.js";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const clock = clockFor({ now });

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
    expect(summaryWords(summary, clock)).toMatch(
      /^834 of 4,834 webhooks failed \(17%\), most often with status 503\. Compared with the period before: 12 → 834\. The first failed at 13:35:13 UTC\. None failed since 13:40:00 UTC\. All of these were for down\.example\/in\. /,
    );
  });

  it("has the same numbers as one made of all entries", async () => {
    const options = { ...lastHour, until: now, timeZone: "Asia/Kolkata", by: ["url", "status"] } as const;
    const counted = await askSummary(countingService(trial), "webhooks", options);
    const made = summarize("webhooks", trial.slice(0, -12), options);
    expect({ ...counted, before: undefined }).toEqual({ ...made, before: undefined });
  });

  it.each<[where: LogWhere<"webhooks">, only: "failed" | "ok" | undefined]>([
    [{ failed: true }, "failed"],
    [{ failed: false }, "ok"],
    [{ status: { gte: 400 } }, "failed"],
    [{ status: { gt: 399 } }, "failed"],
    [{ status: { eq: [0, 503] } }, "failed"],
    [{ status: { any: [{ eq: 0 }, { gte: 500, lte: 599 }] } }, "failed"],
    [{ status: { all: [{ gte: 500 }, { not: { eq: 503 } }] } }, "failed"],
    [{ status: { gte: 200, lte: 299 } }, "ok"],
    [{ status: { eq: 204 } }, "ok"],
    [{ status: { lt: 400 } }, undefined],
    [{ status: { eq: [200, 503] } }, undefined],
    [{ status: { gte: 300 } }, undefined],
    [{ status: { not: { gte: 400 } } }, undefined],
    [{ url: { contains: "hooks" } }, undefined],
  ])("knows whether its conditions leave failed entries only, or others only: %j", async (where, only) => {
    const summary = await askSummary(countingService([]), "webhooks", { ...lastHour, where });
    expect(summary.only).toBe(only);
  });

  it("says once how many failed, and how many before, if only these were requested", async () => {
    const service = countingService(trial);
    const summary = await askSummary(service, "webhooks", { ...lastHour, where: { failed: true } });
    const texts = [formatTerminal, formatMarkdown].map((format) =>
      format(summary, { now, width: 90 }).replaceAll(/\s+/g, " "),
    );
    for (const text of [...texts, JSON.stringify(formatSlack(summary, { now }).blocks)]) {
      expect(text.match(/834 failed webhooks/g)).toHaveLength(1);
      expect(text.match(/12 → 834/g)).toHaveLength(1);
      expect(text).toContain("Failed webhooks over time");
      expect(text).not.toMatch(/Succeeded|100%|\bFailed\b[^ ]/);
    }
    const good = await askSummary(service, "webhooks", { ...lastHour, where: { failed: false } });
    const text = formatTerminal(good, { now, width: 90 });
    expect(text).toContain("4,000 successful webhooks.");
    expect(text).toContain("Successful webhooks over time");
    expect(text).not.toMatch(/Failed (?!with)|failed/);
  });

  it("starts with the first matching entry if no start is requested, and compares nothing", async () => {
    const summary = await askSummary(countingService(trial), "webhooks", { now });
    expect(summary).toMatchObject({ count: 4846, period: { from: now - 4_011_000, to: now } });
    expect(summary).not.toHaveProperty("before");
    expect(await askSummary(countingService([]), "webhooks", { now })).toMatchObject({ count: 0, complete: true });
  });

  it("compares with no period that begins before the 30 days that are kept", async () => {
    const service = countingService(trial);
    expect(await askSummary(service, "webhooks", { now, since: now - 20 * 24 * HOUR })).not.toHaveProperty("before");
    expect(await askSummary(service, "webhooks", { now, since: now - 15 * 24 * HOUR })).toHaveProperty("before");
  });

  it.each([true, false])("says that nothing is known of the time before the 30 days (counts: %s)", async (counts) => {
    const DAYS = 24 * HOUR;
    const service = countingService(trial.slice(-100), { counts, most: 1000 });
    const longer = await askSummary(service, "webhooks", { now, since: now - 60 * DAYS });
    expect(longer).toMatchObject({ count: 100, complete: false, period: { from: now - 30 * DAYS, to: now } });
    expect(longer.overTime.filter(({ complete }) => complete).length).toBeLessThan(longer.overTime.length);
    const text = formatTerminal(longer, { now, width: 90 });
    expect(text).toMatch(/^Incomplete: only .+ was searched\.\n/);
    expect(text).toContain("░ was not searched.");
    expect(text).not.toMatch(/Rising|Falling/);
    expect(await askSummary(service, "webhooks", { now, since: now - 30 * DAYS })).toMatchObject({ complete: true });
    const earlier = { now, since: now - 60 * DAYS, until: now - 40 * DAYS };
    const nothing = await askSummary(service, "webhooks", earlier);
    expect(nothing).toMatchObject({ count: 0, complete: false });
    expect(formatTerminal(nothing, { now, width: 90 })).toMatch(/^Nothing is known of this time: entries are kept/);
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
    expect(summaryWords(summary, clock)).toMatch(/^834 failed webhooks, most often with status 503\./);
  });

  it("leaves the calls of tools out of the API log, unless they are asked for", async () => {
    const url = "https://media.example/orgs/list-api-logs";
    const service = countingService([webhook(1, 200, `${url}?from=bot`), webhook(2, 200, url)]);
    expect(await askSummary(service, "api", lastHour)).toMatchObject({ count: 1, isWithoutTools: true });
    const where = { url: { contains: "from=bot" } };
    expect(await askSummary(service, "api", { ...lastHour, where })).toMatchObject({ count: 2 });
    expect(await askStatus(service, "api", { now })).toMatchObject({ lastHour: { count: 1, isWithoutTools: true } });
  });
});

describe("a service without counts", () => {
  it("gives a summary of what it lists, which says how far that reaches", async () => {
    const service = countingService(trial, { counts: false, most: 1000 });
    const summary = await askSummary(service, "webhooks", lastHour);
    expect(summary).toMatchObject({ count: 1000, complete: false, failures: { count: 0 } });
    expect(summary.period?.from).toBeGreaterThan(now - 11_000);
    expect(summaryWords(summary, clock)).toMatch(/^None of 1,000 webhooks there failed\./);
    const small = countingService(trial.slice(0, 500), { counts: false, most: 1000 });
    expect(await askSummary(small, "webhooks", lastHour)).toMatchObject({ count: 500, complete: true });
  });

  it("gives a state that is unknown", async () => {
    const status = await askStatus(countingService(trial, { counts: false, most: 1000 }), "webhooks", { now });
    expect(status).toMatchObject({ newest: now - 1000, lastHour: { complete: false, failures: { count: 0 } } });
    expect(markOf(status)).toBe("?");
  });
});

describe("the state of a log of a service that counts", () => {
  it("has all failures of the last hour", async () => {
    const status = await askStatus(countingService(trial, { most: 1000 }), "webhooks", { now });
    expect(status).toMatchObject({
      newest: now - 1000,
      lastHour: { count: 4834, complete: true, failures: { count: 834, byStatus: [{ status: 503 }, { status: 0 }] } },
    });
    expect(markOf(status)).toBe("▲");
  });

  it("is unknown if the hour was not counted wholly", async () => {
    const status = await askStatus(countingService(trial, { reach: now - MINUTE }), "webhooks", { now });
    expect(markOf(status)).toBe("?");
    expect(markOf(await askStatus(countingService([]), "webhooks", { now }))).toBe("–");
    expect(markOf(await askStatus(countingService([webhook(1)]), "webhooks", { now }))).toBe("✓");
  });

  it("counts no refused call of the API log as a failure", async () => {
    const calls = [webhook(1, 404), webhook(2, 503), webhook(3, 0), webhook(4)];
    expect(await askStatus(countingService(calls), "api", { now })).toMatchObject({
      lastHour: { count: 4, failures: { count: 2 } },
    });
  });
});

it("other failures of a service are thrown", async () => {
  const failing = { ...countingService([]), count: () => Promise.reject(new TypeError("broken")) };
  await expect(askSummary(failing, "webhooks", lastHour)).rejects.toThrow("broken");
});
