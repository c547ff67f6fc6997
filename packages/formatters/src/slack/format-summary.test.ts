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
  it("has words before figures, then the chart, then the range of time", () => {
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

  it("has bars of what succeeded and what failed, without a gap in time", () => {
    const { title, chart } = chartIn(formatSummary("webhooks", samples.webhooks, { now }));
    expect(title).toBe("Webhooks over time");
    expect(chart).toMatchObject({ type: "bar", series: [{ name: "Succeeded" }, { name: "Failed" }] });
    const counts = "series" in chart ? chart.series.map(({ data }) => data.map(({ value }) => value)) : [];
    expect(counts.map((values) => values.reduce((sum, value) => sum + value, 0))).toEqual([2, 3]);
  });

  it("has the chart's labels in the zone asked for, and says which that is", () => {
    const { chart } = chartIn(formatSummary("sessions", samples.sessions, { now, timeZone: "Asia/Tokyo" }));
    expect(chart).toMatchObject({ axis_config: { x_label: "Asia/Tokyo" } });
    expect("axis_config" in chart && chart.axis_config.categories.at(0)).toBe("07:00");
  });

  it("has the range in the zone of the chart, and says which that is, whoever reads it", () => {
    const { blocks } = formatSummary("webhooks", samples.webhooks, { now, timeZone: "Asia/Tokyo" });
    expect(JSON.stringify(blocks.at(-1))).toMatch(/"Times: 2026-11-20 [\d:]+ to 2026-11-21 23:05:28 Asia\/Tokyo"/);
    expect(JSON.stringify(blocks)).not.toContain("<!date");
  });

  it("has lines of how long it took where that is asked for, and bars where a line would bridge a gap", () => {
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

  it("covers the range that was asked for", () => {
    const [since, until] = [now - 3_600_000, now];
    const { chart } = chartIn(formatSummary("webhooks", samples.webhooks, { now, since, until }));
    expect("axis_config" in chart && chart.axis_config.categories.at(0)).toBe("13:05");
    expect("axis_config" in chart && chart.axis_config.categories.at(-1)).toBe("14:05");
  });

  it("has only words where there is nothing to sum up", () => {
    const { blocks, text } = formatSummary("webhooks", [], { now, title: "Webhooks of today" });
    expect(blocks.map(({ type }) => type)).toEqual(["rich_text", "section"]);
    expect(text).toBe("Webhooks of today: No webhooks.");
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  });

  it("has no chart where no entry has a time", () => {
    const { blocks } = formatSummary("webhooks", [{ status: 200 }], { now });
    expect(blocks.map(({ type }) => type)).toEqual(["rich_text", "section", "section", "context"]);
    expect(JSON.stringify(blocks.at(-1))).toContain("No entry has a time.");
  });
});
