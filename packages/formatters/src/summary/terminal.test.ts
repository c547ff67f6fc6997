import { describe, expect, it } from "vitest";
import { formatSummary } from "../terminal/index.js";
import { ofEntries } from "../test/of-entries.js";
import { now, samples } from "../test/samples.js";
import { colours, withoutColours } from "../test/terminal-text.js";

const summed = ofEntries(formatSummary);

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
const chartOf = (text: string): string[] => text.split("\n\n").at(-1)?.split("\n") ?? [];

describe("a summary", () => {
  it("has words, numbers and a chart", () => {
    expect(summed("webhooks", entries, { ...options, width: 70 }).split("\n")).toEqual([
      "Webhook log",
      expect.stringMatching(/^2 of 5 webhooks failed/),
      expect.any(String),
      "",
      "Webhooks     5",
      "Failed       2 (40%)",
      "Failed with  ✗ 503 (1×), ▲ 404 (1×)",
      "Failed most  a.example/ (2×)",
      "Took         p50 20 ms · p95 900 ms · p99 900 ms · max 900 ms",
      "Period       2026-11-21 13:59:00 to 2026-11-21 14:10:00 UTC",
      "",
      "Webhooks over time (UTC)",
      "       █ Succeeded  ▒ Failed",
      "13:59            0         0",
      "14:00            2         1  ███████████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒",
      "14:01            0         0",
      "14:02            1         0  █████████████",
      "14:03            0         1  ▒▒▒▒▒▒▒▒▒▒▒▒▒",
      "14:04            0         0",
      "14:05            0         0",
      "14:06            0         0",
      "14:07            0         0",
      "14:08            0         0",
      "14:09            0         0",
    ]);
  });

  it("draws processing times on request", () => {
    expect(chartOf(summed("webhooks", entries, { ...options, chart: "latency", width: 60 }))).toEqual([
      "How long webhooks took (UTC)",
      "        █ p50   ▒ p95",
      "14:00   20 ms  900 ms  █▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒",
      "14:02   10 ms   10 ms  █",
      "14:03  100 ms  100 ms  ████",
    ]);
  });

  it("draws small bars on one line if long ones do not fit", () => {
    expect(chartOf(summed("webhooks", entries, { ...options, width: 30 }))).toEqual([
      "Webhooks over time (UTC)",
      "Succeeded, at most 2",
      "·█·▄·······",
      "Failed, at most 1",
      "·█··█······",
      "13:59 to 14:09",
    ]);
    expect(chartOf(summed("webhooks", entries, { ...options, width: 9 })).slice(-6)).toEqual([
      "·█·······",
      "Failed,",
      "at most 1",
      "··█······",
      "14:01 to",
      "14:09",
    ]);
  });

  it("draws a single bar if all values are in one bucket", () => {
    expect(chartOf(summed("sessions", samples.sessions.slice(0, 1), { now, width: 60 })).slice(0, 3)).toEqual([
      "Sessions over time (UTC)",
      "          Sessions",
      "14:03:22         1  ████████████████████████████████████████",
    ]);
  });

  it("says first if it is incomplete, and hatches what was not searched", () => {
    const searchedTo = Date.parse("2026-11-21T14:00:00Z");
    const since = Date.parse("2026-11-21T13:55:00Z");
    const lines = summed("webhooks", entries, { ...options, since, searchedTo, width: 60 }).split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "Incomplete: only 14:00:00–14:10:00 UTC was searched.",
      "Webhook log",
      expect.stringMatching(/^2 of 5 webhooks there failed\. /),
    ]);
    expect(lines.filter((line) => /^(?:13:5[59]|14:00|░)/.test(line))).toEqual([
      "13:55            ?         ?  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░",
      "13:59            ?         ?  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░",
      "14:00            2         1  ████████████████████▒▒▒▒▒▒▒▒▒▒",
      "░ was not searched.",
    ]);
    const sparks = chartOf(summed("webhooks", entries, { ...options, since, searchedTo, width: 30 }));
    expect(sparks).toContain("░░░░░█·▄·······");
  });

  it("has a table of the requested groups, the worst first", () => {
    const mixed = [...entries, { ...entries[0], url: "https://b.example/" }];
    const text = summed("webhooks", mixed, { ...options, by: ["url"], width: 60 });
    expect(text).toContain(
      [
        "Sent to     Count   Failed     p95",
        "a.example/      5  2 (40%)  900 ms",
        "b.example/      1        0    5 ms",
      ].join("\n"),
    );
  });

  it("draws no chart if no entry has a time", () => {
    expect(summed("api", [{ status: 200 }], { now })).not.toContain("over time");
  });

  it("of no entries says so", () => {
    expect(summed("api", [], { now })).toBe("API log\nNo API calls.");
    expect(summed("api", [], { now, title: "Calls\nsince 13:00" })).toBe("Calls␊since 13:00\nNo API calls.");
  });

  it("writes times in the requested zone", () => {
    const text = summed("webhooks", entries, { ...options, timeZone: "Asia/Tokyo" });
    expect(text).toContain("2026-11-21 22:59:00 to 2026-11-21 23:10:00 Asia/Tokyo");
    expect(text).toContain("\nWebhooks over time\n");
    expect(text).toMatch(/^23:00 /m);
  });

  it("has a bar for each local day of the zone", () => {
    const month = ["2026-11-03T12:00:00Z", "2026-11-21T14:00:00Z"].map((timestamp) => ({ timestamp }));
    const text = summed("webhooks", month, { now, timeZone: "Asia/Kolkata" });
    expect(text).toMatch(/^Nov 3 {2}.*\n(?:Nov .*\n){17}Nov 21 /m);
  });

  it("is coloured on request, and has the same text without colours", () => {
    const coloured = summed("webhooks", entries, { ...options, color: true });
    expect(colours(coloured)).toContain("<1>Webhook log<22>");
    expect(colours(coloured)).toMatch(/<32>█+<39><31>▒+<39>/);
    expect(withoutColours(coloured)).toBe(summed("webhooks", entries, options));
  });
});
