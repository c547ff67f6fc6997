import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { type DataVisualizationBlock, formatSummary, type SlackMessage } from "../slack/index.js";
import { ofEntries } from "../test/of-entries.js";
import { now, samples } from "../test/samples.js";

const summed = ofEntries(formatSummary);

function chartIn({ blocks }: SlackMessage): DataVisualizationBlock {
  const chart = blocks.find((block): block is DataVisualizationBlock => block.type === "data_visualization");
  if (!chart) throw new Error("The message has no chart.");
  return chart;
}

describe("a summary", () => {
  it("has the period in the chart's zone for every reader, and names the zone", () => {
    const { blocks } = summed("webhooks", samples.webhooks, { now, timeZone: "Asia/Tokyo" });
    expect(JSON.stringify(blocks.at(-1))).toMatch(/"Period: 2026-11-20 [\d:]+ to 2026-11-21 23:05:28 Asia\/Tokyo"/);
    expect(JSON.stringify(blocks)).not.toContain("<!date");
  });

  it("has lines for processing times on request, and bars if a line would cross a gap", () => {
    const of = (entries: readonly unknown[]) => chartIn(summed("webhooks", entries, { now, chart: "latency" }));
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
    const { blocks, text } = summed("webhooks", [], { now, title: "Webhooks of today" });
    expect(blocks.map(({ type }) => type)).toEqual(["rich_text", "section"]);
    expect(text).toBe("Webhooks of today: No webhooks.");
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  });

  it("has no chart if no entry has a time", () => {
    const { blocks } = summed("webhooks", [{ status: 200 }], { now });
    expect(blocks.map(({ type }) => type)).toEqual(["rich_text", "section", "section", "context"]);
    expect(JSON.stringify(blocks.at(-1))).toContain("No entry has a time.");
  });
});
