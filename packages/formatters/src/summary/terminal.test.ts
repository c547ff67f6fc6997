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
