import type { LogKind } from "@media-ops/contract";
import type { Digest, DigestDay, DigestLog, Summary } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { headlineOf } from "./digest.js";
import * as slack from "./slack/index.js";
import { calm, now, troubled } from "./test/samples.js";
import { previewOf } from "./test/slack-preview.js";

const period = { from: 0, to: 86_400_000 };

interface Given {
  count?: number;
  failed?: number;
  refused?: number;
  p95?: number;
  complete?: boolean;
}

/** A log on a day and the day before; a week before was like the day before. */
function log(kind: LogKind, given: Given, dayBefore?: DigestDay, weekBefore = dayBefore): DigestLog {
  const { count = 1000, failed, refused, p95, complete = true } = given;
  const day: Summary = {
    kind,
    count,
    complete,
    bytes: [],
    overTime: [],
    ...(failed !== undefined && { failures: { count: failed, byStatus: [], where: [] } }),
    ...(p95 !== undefined && { elapsed: { p50: p95, p95, p99: p95, max: p95 } }),
  };
  return {
    kind,
    day,
    ...(refused !== undefined && { refused: { count: refused, byReason: [] } }),
    ...(dayBefore && { dayBefore }),
    ...(weekBefore && { weekBefore }),
  };
}

const headline = (...logs: DigestLog[]) => {
  const { mark, words } = headlineOf({ period, logs });
  return `${mark} ${words}`;
};

describe("what stands out in a digest", () => {
  it.each<[name: string, log: DigestLog, words: string]>([
    [
      "twice the share of failures",
      log("webhooks", { failed: 20 }, { count: 1000, failed: 10 }),
      "Webhooks failed 2× as often as on the day before.",
    ],
    [
      "the share, not the number",
      log("webhooks", { count: 1500, failed: 30 }, { count: 1000, failed: 4 }),
      "Webhooks failed 5× as often as on the day before.",
    ],
    [
      "failures after none",
      log("media-api", { failed: 12 }, { count: 900, failed: 0 }),
      "Media API calls failed 12 times, and never on the day before.",
    ],
    [
      "many failures, as before",
      log("webhooks", { failed: 120 }, { count: 1000, failed: 110 }),
      "12% of the webhooks failed, 11% on the day before.",
    ],
    [
      "many failures after a day without entries",
      log("webhooks", { failed: 120 }, { count: 0, failed: 0 }),
      "12% of the webhooks failed.",
    ],
    [
      "many failures, of which a part was counted",
      log("webhooks", { failed: 120, complete: false }),
      "At least 120 webhooks failed.",
    ],
    [
      "many failed connections",
      log("events", { failed: 120 }, { count: 900, failed: 100 }),
      "120 connections failed, 100 on the day before.",
    ],
    [
      "failed connections among refused clients",
      log("events", { failed: 20, refused: 800 }, { count: 1000, failed: 25, refused: 800 }),
      "20 connections failed, 25 on the day before.",
    ],
    [
      "more refused clients",
      log("events", { failed: 0, refused: 50 }, { count: 1000, failed: 0, refused: 10 }),
      "Clients were refused 5× as often as on the day before.",
    ],
    [
      "refused clients after none",
      log("events", { failed: 0, refused: 50 }, { count: 1000, failed: 0, refused: 0 }),
      "Clients were refused 50 times, and never on the day before.",
    ],
    [
      "slower calls",
      log("api", { failed: 0, p95: 310 }, { count: 900, failed: 0, p95: 100 }),
      "API calls took 3.1× as long as on the day before: p95 is 310 ms.",
    ],
    [
      "more traffic than on both days",
      log("connections", { count: 3000 }, { count: 900 }, { count: 1000 }),
      "3× as many connections as on the day before or a week before.",
    ],
    [
      "less traffic than on both days",
      log("connections", { count: 100 }, { count: 900 }, { count: 1000 }),
      "89% fewer connections than on the day before or a week before.",
    ],
    ["no traffic", log("connections", { count: 0 }, { count: 900 }), "No connections, but 900 on the day before."],
  ])("%s", (_, one, words) => {
    expect(headline(one)).toBe(`▲ ${words}`);
  });

  it.each<[name: string, log: DigestLog]>([
    ["few failures", log("webhooks", { failed: 9 }, { count: 1000, failed: 1 })],
    ["as many failures of as much", log("webhooks", { failed: 19 }, { count: 1000, failed: 10 })],
    ["more failures of more", log("webhooks", { count: 5000, failed: 50 }, { count: 3000, failed: 30 })],
    ["few refused clients", log("events", { failed: 0, refused: 9 }, { count: 1000, failed: 0, refused: 1 })],
    ["calls that are still fast", log("api", { failed: 0, p95: 30 }, { count: 900, failed: 0, p95: 3 })],
    [
      "slower calls of which there are few",
      log("api", { count: 49, failed: 0, p95: 900 }, { count: 60, failed: 0, p95: 100 }),
    ],
    ["a Monday that is like the last one", log("connections", { count: 3000 }, { count: 900 }, { count: 2900 })],
    ["little traffic", log("sessions", { count: 99 }, { count: 9 })],
  ])("is not %s", (_, one) => {
    expect(headline(one)).toBe("✓ Nothing stands out.");
  });

  it("is named with new failures first, and traffic once", () => {
    const before = { count: 1000, failed: 10, p95: 100 };
    expect(
      headline(log("api", { failed: 100 }, { count: 1000, failed: 90 }), log("webhooks", { failed: 30 }, before)),
    ).toBe("▲ Webhooks failed 3× as often as on the day before. 10% of the API calls failed, 9% on the day before.");
    expect(
      headline(
        log("sessions", { count: 10 }, { count: 1000 }),
        log("connections", { count: 20 }, { count: 1000 }),
        log("api", { failed: 0, p95: 200 }, before),
        log("webhooks", { failed: 30 }, before),
      ),
    ).toBe(
      "▲ Webhooks failed 3× as often as on the day before. API calls took 2× as long as on the day before: p95 is 200 ms. 98% fewer connections than on the day before or a week before.",
    );
    const all = (["api", "media-api", "webhooks", "events"] as const).map((kind) =>
      log(kind, { failed: 30, refused: 40, p95: 200 }, { ...before, refused: 10 }),
    );
    expect(headline(...all)).toMatch(/ before\. 8 more below\.$/);
  });
});

describe("a digest in which nothing stands out", () => {
  const fine = log("webhooks", { failed: 0 }, { count: 1000, failed: 0 });

  it("gives no all-clear for what is not known", () => {
    expect(headline(fine, { kind: "events" })).toBe("? Nothing stands out in what is known.");
    expect(headline(fine, log("api", { complete: false }, { count: 1 }))).toBe(
      "? Nothing stands out in what is known.",
    );
    expect(headline(fine, log("api", {}))).toBe("? Nothing stands out in what is known.");
    expect(headline({ kind: "events" }, { kind: "api" })).toBe("? Nothing is known: no log answered.");
    expect(headline()).toBe("? Nothing is known: no log answered.");
  });

  it("says if nothing was logged", () => {
    expect(headline(log("webhooks", { count: 0, failed: 0 }, { count: 0, failed: 0 }))).toBe("– Nothing was logged.");
    expect(headline(fine)).toBe("✓ Nothing stands out.");
  });
});

/** The lines of a message's heading and logs. */
const linesOf = ({ blocks }: slack.SlackMessage): string[] =>
  previewOf(blocks.filter(({ type }) => type === "rich_text"))
    .replaceAll(/\*\*|^- /gm, "")
    .split(/<br>|\n+/);

const format = (digest: Digest, timeZone?: string) =>
  slack.formatDigest(digest, { now, timeZone, title: "Digest of demo" });

describe("a digest", () => {
  it.each<[name: string, log: Partial<DigestLog>, words: string]>([
    [
      "a fall",
      { dayBefore: { count: 400 }, weekBefore: { count: 301 } },
      "300 webhooks, ▼ 25% on the day before, ▼ 0.3% on a week before.",
    ],
    [
      "a multiple",
      { dayBefore: { count: 100 }, weekBefore: { count: 40 } },
      "300 webhooks, ▲ 3× the day before, ▲ 7.5× a week before.",
    ],
    [
      "none",
      { dayBefore: { count: 0 }, weekBefore: { count: 300 } },
      "300 webhooks, none the day before, as many as a week before.",
    ],
    [
      "a day that is not known",
      { dayBefore: { count: 300 } },
      "300 webhooks, as many as the day before, a week before is not known.",
    ],
    ["no day that is known", {}, "300 webhooks, the days before are not known."],
  ])("compares with %s", (_, days, words) => {
    const day = { kind: "webhooks" as const, count: 300, complete: true, bytes: [], overTime: [] };
    const digest: Digest = { period: { from: now - 86_400_000, to: now }, logs: [{ kind: "webhooks", day, ...days }] };
    expect(linesOf(format(digest)).at(-1)).toBe(`Webhook log: ${words}`);
  });

  it("names first the logs that gave no answer or were counted in part, and gives no all-clear", () => {
    const unanswered = (["api", "events"] as const).map((kind) => ({ kind, error: new Error("It failed.") }));
    const message = format({
      period,
      logs: [log("webhooks", { count: 17, failed: 1, complete: false }), ...unanswered],
    });
    expect(linesOf(message)).toEqual([
      "No answer: API log and event log. Only partly counted: webhook log.",
      "Digest of demo",
      "? Nothing stands out in what is known.",
      "Webhook log: at least 17 webhooks. At least 1 failed.",
      "API log: no answer",
      "Event log: no answer",
    ]);
    expect(message.text).toBe(
      "No answer: API log and event log. Only partly counted: webhook log. Digest of demo: Nothing stands out in what is known.",
    );
    expect(linesOf(format({ period, logs: unanswered })).slice(0, 2)).toEqual([
      "Digest of demo",
      "? Nothing is known: no log answered.",
    ]);
  });

  it("has one chart: of the log with the most failures, or of the connections", () => {
    const charts = ({ blocks }: slack.SlackMessage) => blocks.filter(({ type }) => type === "data_visualization");
    expect(charts(format(troubled, "Asia/Tokyo"))).toMatchObject([
      {
        title: "Webhooks over time",
        chart: { series: [{ name: "Succeeded" }, { name: "Failed" }], axis_config: { x_label: "Asia/Tokyo" } },
      },
    ]);
    expect(charts(format(calm))).toMatchObject([{ title: "Connections over time" }]);
    expect(charts(format({ period, logs: [] }))).toEqual([]);
  });

  it("shows only what failed in a chart of events, where a refused client did not succeed", () => {
    const { period, logs } = troubled;
    const message = format({ period, logs: logs.filter(({ kind }) => kind === "events") });
    expect(message.blocks[2]).toMatchObject({
      title: "Failed events over time",
      chart: { series: [{ name: "Events" }] },
    });
  });
});
