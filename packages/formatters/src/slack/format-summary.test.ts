import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { now, samples } from "../test/samples.js";
import { type DataVisualizationBlock, formatSummary, type SlackMessage } from "./index.js";

function chartIn({ blocks }: SlackMessage): DataVisualizationBlock {
  const chart = blocks.find((block): block is DataVisualizationBlock => block.type === "data_visualization");
  if (!chart) throw new Error("The message has no chart.");
  return chart;
}

describe("a summary", () => {
  it("has words before numbers, then the chart, then the period", () => {
    const { blocks, text } = formatSummary("webhooks", samples.webhooks, { now });
    expect(blocks.map(({ type }) => type)).toEqual([
      "rich_text",
      "section",
      "section",
      "data_visualization",
      "context",
    ]);
    expect(text).toBe("Webhook log: 3 of 5 webhooks failed. Half took at most 84 ms, the slowest 10 s.");
  });

  it("has bars for successes and failures, without gaps in time", () => {
    const { title, chart } = chartIn(formatSummary("webhooks", samples.webhooks, { now }));
    expect(title).toBe("Webhooks over time");
    expect(chart).toMatchObject({ type: "bar", series: [{ name: "Succeeded" }, { name: "Failed" }] });
    const counts = "series" in chart ? chart.series.map(({ data }) => data.map(({ value }) => value)) : [];
    expect(counts.map((values) => values.reduce((sum, value) => sum + value, 0))).toEqual([2, 3]);
  });

  it("has chart labels in the requested zone, and names the zone", () => {
    const { chart } = chartIn(formatSummary("sessions", samples.sessions, { now, timeZone: "Asia/Tokyo" }));
    expect(chart).toMatchObject({ axis_config: { x_label: "Asia/Tokyo" } });
    expect("axis_config" in chart && chart.axis_config.categories.at(0)).toBe("07:00");
  });

  it("has the period in the chart's zone for every reader, and names the zone", () => {
    const { blocks } = formatSummary("webhooks", samples.webhooks, { now, timeZone: "Asia/Tokyo" });
    expect(JSON.stringify(blocks.at(-1))).toMatch(/"Times: 2026-11-20 [\d:]+ to 2026-11-21 23:05:28 Asia\/Tokyo"/);
    expect(JSON.stringify(blocks)).not.toContain("<!date");
  });

  it("has lines for processing times on request, and bars if a line would cross a gap", () => {
    const of = (entries: readonly unknown[]) => chartIn(formatSummary("webhooks", entries, { now, chart: "latency" }));
    const entries = [0, 1, 2].map((second) => ({ timestamp: `2026-11-21T14:00:0${second}Z`, elapsed_time_ms: 5 }));
    const { chart } = of(entries);
    expect(chart).toMatchObject({
      type: "line",
      series: [{ name: "p50" }, { name: "p95" }],
      axis_config: { y_label: "ms" },
    });
    expect(of(samples.webhooks).chart).toMatchObject({ type: "bar", axis_config: { y_label: "ms" } });
  });

  it("covers the requested period", () => {
    const [since, until] = [now - 3_600_000, now];
    const { chart } = chartIn(formatSummary("webhooks", samples.webhooks, { now, since, until }));
    expect("axis_config" in chart && chart.axis_config.categories.at(0)).toBe("13:05");
    expect("axis_config" in chart && chart.axis_config.categories.at(-1)).toBe("14:05");
  });

  it("has only words if there are no entries", () => {
    const { blocks, text } = formatSummary("webhooks", [], { now, title: "Webhooks of today" });
    expect(blocks.map(({ type }) => type)).toEqual(["rich_text", "section"]);
    expect(text).toBe("Webhooks of today: No webhooks.");
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  });

  it("has no chart if no entry has a time", () => {
    const { blocks } = formatSummary("webhooks", [{ status: 200 }], { now });
    expect(blocks.map(({ type }) => type)).toEqual(["rich_text", "section", "section", "context"]);
    expect(JSON.stringify(blocks.at(-1))).toContain("No entry has a time.");
  });
});
