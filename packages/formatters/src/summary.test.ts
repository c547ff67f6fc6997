import type { LogKind } from "@media-ops/contract";
import { checkBlocks } from "@media-ops/fake-slack";
import { summarize } from "@media-ops/reports";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chartOf } from "./chart.js";
import * as markdown from "./markdown/index.js";
import * as slack from "./slack/index.js";
import { summaryFacts, summaryWords } from "./summary.js";
import * as terminal from "./terminal/index.js";
import { anyEntries, anyKind } from "./test/arbitrary.js";
import { ofEntries } from "./test/of-entries.js";
import { now, samples } from "./test/samples.js";
import { colours } from "./test/terminal-text.js";
import { clockFor } from "./values/words.js";

function webhooks(...statuses: number[]): unknown[] {
  return statuses.map((status, at) => ({ status, elapsed_time_ms: at + 1, url: `https://hooks.example/${status}` }));
}

const wordsOf = (kind: LogKind, entries: readonly unknown[]): string =>
  summaryWords(summarize(kind, entries), clockFor({ now }));
const outcomeOf = (entries: readonly unknown[]): string =>
  wordsOf(
    "webhooks",
    entries.map((entry) => ({ ...(entry as object), elapsed_time_ms: null })),
  );

describe("the words of a summary", () => {
  it("use the singular for one entry", () => {
    expect(wordsOf("sessions", samples.sessions.slice(0, 1))).toBe("1 session. It lasted 2 h 5 min. It was in lobby.");
    expect(wordsOf("sessions", samples.sessions.slice(0, 2))).toMatch(/^2 sessions\. /);
  });

  it.each<[string, number[], string]>([
    ["none failed", [200, 204, 302], "None of 3 webhooks failed."],
    ["the only one succeeded", [200], "The only webhook did not fail."],
    ["the only one failed", [503], "The only webhook failed, with status 503. It was for hooks.example/503."],
    ["one failed", [200, 404], "1 of 2 webhooks failed, with status 404. It was for hooks.example/404."],
    ["all failed", [503, 503], "All 2 webhooks failed, all with status 503. All of these were for hooks.example/503."],
    [
      "they were not answered",
      [200, 0, 0],
      "2 of 3 webhooks failed, all without an answer. All of these were for hooks.example/0.",
    ],
    [
      "one status is most frequent",
      [200, 503, 503, 404],
      "3 of 4 webhooks failed, most often with status 503. Failed most often: hooks.example/503 (2×).",
    ],
    ["no status is most frequent", [200, 503, 404], "2 of 3 webhooks failed."],
  ])("name the most frequent status and URL of failures if %s", (_, statuses, words) => {
    expect(outcomeOf(webhooks(...statuses))).toBe(words);
  });

  it("show a percentage only for many entries", () => {
    const statuses = Array.from({ length: 1000 }, (_, at) => (at % 8 === 0 ? 503 : 200));
    expect(outcomeOf(webhooks(...statuses))).toMatch(/^125 of 1,000 webhooks failed \(13%\), all with status 503\./);
  });

  it.each<[string, number[], string]>([
    ["one", [84], "It took 84 ms."],
    ["several equal ones", [84, 84, 84], "All took at most 84 ms."],
    ["a few", [5, 84, 1240], "Half took at most 84 ms, the slowest 1.24 s."],
    [
      "many",
      Array.from({ length: 100 }, (_, at) => at + 1),
      "Half took at most 50 ms, 95% at most 95 ms, the slowest 100 ms.",
    ],
  ])("show the processing time of %s", (_, times, words) => {
    const entries = times.map((elapsed_time_ms) => ({ status: 200, elapsed_time_ms }));
    expect(wordsOf("api", entries)).toMatch(new RegExp(`\\. ${words}$`));
  });

  it.each<[string, number[], string]>([
    ["one", [44], "It lasted 44 min."],
    ["a short one", [0], "It lasted less than a minute."],
    ["short ones", [0, 0], "All lasted less than a minute."],
    ["a few", [0, 3, 125], "Half lasted at most 3 min, the longest 2 h 5 min."],
  ])("show the duration of %s", (_, minutes, words) => {
    expect(
      wordsOf(
        "sessions",
        minutes.map((duration_min) => ({ duration_min })),
      ),
    ).toMatch(new RegExp(`\\. ${words}$`));
  });

  it("shorten a long name, and show its control characters", () => {
    const url = `https://hooks.example/\n${"x".repeat(500)}`;
    expect(wordsOf("webhooks", [{ status: 500, url }])).toMatch(/It was for hooks\.example\/␊x+…x+\.$/);
  });
});

describe("the facts of a summary", () => {
  it("are the least that is known if not all was searched", () => {
    const searchedTo = Date.parse("2026-11-21T00:00:00Z");
    const facts = (entries: readonly object[], kind: "webhooks" | "connections" = "webhooks") =>
      summaryFacts(summarize(kind, entries, { searchedTo })).slice(0, 2);
    expect(facts(samples.webhooks)).toMatchObject([{ text: "≥5" }, { title: "Failed", text: "≥3" }]);
    const good = { timestamp: "2026-11-21T14:00:00Z", status: 200 };
    expect(facts([good])).toMatchObject([{ text: "≥1" }, { title: "Failed", text: "?" }]);
    expect(facts([])).toEqual([{ title: "Webhooks", text: "≥0" }]);
  });

  it("are only the count if there are no entries", () => {
    expect(summaryFacts(summarize("connections", []))).toEqual([{ title: "Connections", text: "0" }]);
  });
});

const at = (...times: string[]) => times.map((timestamp) => ({ timestamp, status: 200, elapsed_time_ms: 5 }));

function labelsOf(times: string[], timeZone?: string): string[] {
  return chartOf(summarize("webhooks", at(...times)), "entries", timeZone)?.labels ?? [];
}

describe("the labels of a chart", () => {
  it.each<[string, string[], string | undefined, string, string]>([
    [
      "the time to the second within minutes",
      ["2026-11-21T14:00:00Z", "2026-11-21T14:00:40Z"],
      undefined,
      "14:00:00",
      "14:00:40",
    ],
    ["the time within a day", ["2026-11-21T10:00:00Z", "2026-11-21T14:00:00Z"], undefined, "10:00", "14:00"],
    [
      "date and time across midnight",
      ["2026-11-20T23:00:00Z", "2026-11-21T01:00:00Z"],
      undefined,
      "Nov 20 23:00",
      "Nov 21 01:00",
    ],
    ["the date within weeks", ["2026-11-03T10:00:00Z", "2026-11-21T10:00:00Z"], undefined, "Nov 3", "Nov 21"],
    [
      "date and time within weeks if days begin at another time",
      ["2026-11-03T10:00:00Z", "2026-11-21T10:00:00Z"],
      "Asia/Kolkata",
      "Nov 3 05:30",
      "Nov 21 05:30",
    ],
    ["the year if it changes", ["2025-12-31T10:00:00Z", "2026-01-12T10:00:00Z"], undefined, "2025-12-31", "2026-01-12"],
  ])("are %s", (_, times, timeZone, first, last) => {
    const labels = labelsOf(times, timeZone);
    expect([labels.at(0), labels.at(-1)]).toEqual([first, last]);
  });

  it("are days if the buckets are local days, even if one is shorter", () => {
    const entries = at("2026-03-29T10:00:00Z", "2026-04-12T10:00:00Z");
    const chart = chartOf(summarize("webhooks", entries, { timeZone: "Europe/Berlin" }), "entries", "Europe/Berlin");
    expect(chart?.labels).toHaveLength(15);
    expect(chart?.labels.slice(0, 2)).toEqual(["Mar 29", "Mar 30"]);
  });

  it("distinguish an hour that occurs twice because clocks are put back", () => {
    const labels = labelsOf(["2026-11-01T05:00:00Z", "2026-11-01T07:00:00Z"], "America/New_York");
    expect(labels).toContain("01:00");
    expect(labels).toContain("01:00 (2)");
  });

  it("are at most 20 characters long and unique, for any entries", () => {
    const anyTimeZone = fc.constantFrom("UTC", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe");
    const anyCase = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntries(kind), anyTimeZone));
    fc.assert(
      fc.property(anyCase, fc.constantFrom("entries", "latency"), ([kind, entries, timeZone], of) => {
        const chart = chartOf(summarize(kind, entries), of, timeZone);
        if (!chart) return;
        expect(chart.labels.length).toBeLessThanOrEqual(20);
        expect(new Set(chart.labels).size).toBe(chart.labels.length);
        expect(Math.max(...chart.labels.map((label) => label.length))).toBeLessThanOrEqual(20);
        for (const { values } of chart.series) expect(values).toHaveLength(chart.labels.length);
      }),
    );
  });
});

const inSlack = ofEntries(slack.formatSummary);

function chartIn({ blocks }: slack.SlackMessage): slack.DataVisualizationBlock {
  const chart = blocks.find((block): block is slack.DataVisualizationBlock => block.type === "data_visualization");
  if (!chart) throw new Error("The message has no chart.");
  return chart;
}

describe("a summary", () => {
  it("has the period in the chart's zone for every reader, and names the zone", () => {
    const { blocks } = inSlack("webhooks", samples.webhooks, { now, timeZone: "Asia/Tokyo" });
    expect(JSON.stringify(blocks.at(-1))).toMatch(/"Period: 2026-11-20 [\d:]+ to 2026-11-21 23:05:28 Asia\/Tokyo"/);
    expect(JSON.stringify(blocks)).not.toContain("<!date");
  });

  it("has lines for processing times on request, and bars if a line would cross a gap", () => {
    const of = (entries: readonly unknown[]) => chartIn(inSlack("webhooks", entries, { now, chart: "latency" }));
    const entries = [0, 1, 2].map((second) => ({ timestamp: `2026-11-21T14:00:0${second}Z`, elapsed_time_ms: 5 }));
    const { chart } = of(entries);
    expect(chart).toMatchObject({
      type: "line",
      series: [{ name: "p50" }, { name: "p95" }],
      axis_config: { y_label: "ms" },
    });
    expect(of(samples.webhooks).chart).toMatchObject({ type: "bar", axis_config: { y_label: "ms" } });
  });

  it("has only words if there are no entries", () => {
    const { blocks, text } = inSlack("webhooks", [], { now, title: "Webhooks of today" });
    expect(blocks.map(({ type }) => type)).toEqual(["rich_text", "section"]);
    expect(text).toBe("Webhooks of today: No webhooks.");
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  });

  it("has no chart if no entry has a time", () => {
    const { blocks } = inSlack("webhooks", [{ status: 200 }], { now });
    expect(blocks.map(({ type }) => type)).toEqual(["rich_text", "section", "section", "context"]);
    expect(JSON.stringify(blocks.at(-1))).toContain("No entry has a time.");
  });
});

const summed = ofEntries(terminal.formatSummary);

const entries = [
  [0, 200, 5],
  [0, 200, 20],
  [0, 503, 900],
  [2, 200, 10],
  [3, 404, 100],
].map(([minute = 0, status, elapsed_time_ms]) => {
  return { timestamp: `2026-11-21T14:0${minute}:00Z`, status, elapsed_time_ms, url: "https://a.example/" };
});
const options = { now, since: Date.parse("2026-11-21T13:59:00Z"), until: Date.parse("2026-11-21T14:10:00Z") };
/** The lines after the last empty one. */
const drawnIn = (text: string): string[] => text.split("\n\n").at(-1)?.split("\n") ?? [];

describe("a summary", () => {
  it("draws small bars on one line if long ones do not fit", () => {
    expect(drawnIn(summed("webhooks", entries, { ...options, width: 30 }))).toEqual([
      "Webhooks over time (UTC)",
      "Succeeded, at most 2",
      "·█·▄·······",
      "Failed, at most 1",
      "·█··█······",
      "13:59 to 14:09",
    ]);
    expect(drawnIn(summed("webhooks", entries, { ...options, width: 9 })).slice(-6)).toEqual([
      "·█·······",
      "Failed,",
      "at most 1",
      "··█······",
      "14:01 to",
      "14:09",
    ]);
  });

  it("draws a single bar if all values are in one bucket", () => {
    expect(drawnIn(summed("sessions", samples.sessions.slice(0, 1), { now, width: 60 })).slice(0, 3)).toEqual([
      "Sessions over time (UTC)",
      "          Sessions",
      "14:03:22         1  ████████████████████████████████████████",
    ]);
  });

  it("of no entries says so", () => {
    expect(summed("api", [], { now })).toBe("API log\nNo API calls.");
    expect(summed("api", [], { now, title: "Calls\nsince 13:00" })).toBe("Calls␊since 13:00\nNo API calls.");
  });

  it("has a bar for each local day of the zone", () => {
    const month = ["2026-11-03T12:00:00Z", "2026-11-21T14:00:00Z"].map((timestamp) => ({ timestamp }));
    const text = summed("webhooks", month, { now, timeZone: "Asia/Kolkata" });
    expect(text).toMatch(/^Nov 3 {2}.*\n(?:Nov .*\n){17}Nov 21 /m);
  });

  it("is coloured on request", () => {
    const coloured = colours(summed("webhooks", entries, { ...options, color: true }));
    expect(coloured).toContain("<1>Webhook log<22>");
    expect(coloured).toMatch(/<32>█+<39><31>▒+<39>/);
  });
});

describe("a summary of a period", () => {
  const url = "https://down.example/in";
  const webhookAt = (secondsAgo: number, more: object = { status: 200 }) => ({
    timestamp: new Date(now - secondsAgo * 1000).toISOString(),
    ...more,
  });
  const good = Array.from({ length: 4000 }, (_, at) => webhookAt(1 + at / 100));
  const bad = Array.from({ length: 834 }, (_, at) => webhookAt(1800 + at / 50, { status: at % 3 ? 503 : 0, url }));
  const lastHour = { since: now - 3_600_000, until: now };
  const before = { count: 12, failed: 12 };
  const clock = clockFor({ now });

  it("is compared with the one before, and says when the first failed, and since when none did", () => {
    expect(summaryWords({ ...summarize("webhooks", [...good, ...bad], lastHour), before }, clock)).toBe(
      "834 of 4,834 webhooks failed (17%), most often with status 503. Compared with the period before: 12 → 834. The first failed at 13:35:13 UTC. None failed since 13:40:00 UTC. All of these were for down.example/in.",
    );
  });

  it("says once how many failed, and how many before, if only these were requested", () => {
    const failed = { ...summarize("webhooks", bad, lastHour), before, only: "failed" as const };
    const texts = [terminal.formatSummary, markdown.formatSummary].map((format) =>
      format(failed, { now, width: 90 }).replaceAll(/\s+/g, " "),
    );
    for (const text of [...texts, JSON.stringify(slack.formatSummary(failed, { now }).blocks)]) {
      expect(text.match(/834 failed webhooks/g)).toHaveLength(1);
      expect(text.match(/12 → 834/g)).toHaveLength(1);
      expect(text).toContain("Failed webhooks over time");
      expect(text).not.toMatch(/Succeeded|100%|\bFailed\b[^ ]/);
    }
    const succeeded = { ...summarize("webhooks", good, lastHour), only: "ok" as const };
    const text = terminal.formatSummary(succeeded, { now, width: 90 });
    expect(text).toContain("4,000 successful webhooks.");
    expect(text).toContain("Successful webhooks over time");
    expect(text).not.toMatch(/Failed (?!with)|failed/);
  });

  it("claims nothing about the time that is not kept", () => {
    const daysAgo = (days: number) => now - days * 86_400_000;
    const kept = summarize("webhooks", bad, { since: daysAgo(60), until: now, searchedTo: daysAgo(30) });
    const text = terminal.formatSummary(kept, { now, width: 90 });
    expect(text).toMatch(/^Incomplete: only .+ was searched\.\n/);
    expect(text).toContain("░ was not searched.");
    expect(text).not.toMatch(/Rising|Falling/);
    const gone = summarize("webhooks", [], { since: daysAgo(60), until: daysAgo(40), searchedTo: daysAgo(40) });
    expect(terminal.formatSummary(gone, { now, width: 90 })).toMatch(
      /^Nothing is known of this time: entries are kept/,
    );
  });

  it("names the reasons, clients and nodes of events that failed or were refused", () => {
    const failed = { outcome: "failed", reason: "ice-timeout", client_id: "c2", node_name: "node-2" };
    const events = [
      ...Array(60).fill({ outcome: "ok" }),
      ...Array(30).fill(failed),
      { ...failed, reason: undefined },
      { outcome: "refused", reason: "channel-full", client_id: "c1", node_name: "node-1", count: 12 },
    ];
    const text = terminal.formatSummary(summarize("events", events, { by: ["outcome", "reason"] }), {
      now,
      width: 300,
    });
    expect(text).toContain("43 of 103 events failed (42%), most often with the reason ICE timeout. ");
    expect(text).toContain(" Failed most often: client c2 (31×).");
    expect(text).toMatch(/^Failed with +ICE timeout \(30×\), channel full \(12×\)$/m);
    expect(text).toMatch(/^On nodes +node-2 \(31×\), node-1 \(12×\)$/m);
    expect(text).toMatch(
      /^Outcome +Reason +Count +Failed\n✗ failed +ICE timeout +30 +30 \(100%\)\n▲ refused +channel full +12 +12 \(100%\)\n✗ failed +– +1 +1 \(100%\)\n✓ ok +– +60 +0$/m,
    );
  });
});
