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
  it("has words before numbers, then the chart, then the period", () => {
    const { blocks, text } = summed("webhooks", samples.webhooks, { now });
    expect(blocks.map(({ type }) => type)).toEqual([
      "rich_text",
      "section",
      "section",
      "data_visualization",
      "context",
    ]);
    expect(text).toBe(
      "Webhook log: 3 of 5 webhooks failed. The first failed at 13:58:02 UTC. Half took at most 84 ms, the slowest 10 s.",
    );
  });

  it("has bars for successes and failures, without gaps in time", () => {
    const { title, chart } = chartIn(summed("webhooks", samples.webhooks, { now }));
    expect(title).toBe("Webhooks over time");
    expect(chart).toMatchObject({ type: "bar", series: [{ name: "Succeeded" }, { name: "Failed" }] });
    const counts = "series" in chart ? chart.series.map(({ data }) => data.map(({ value }) => value)) : [];
    expect(counts.map((values) => values.reduce((sum, value) => sum + value, 0))).toEqual([2, 3]);
  });

  it("has chart labels in the requested zone, and names the zone", () => {
    const { chart } = chartIn(summed("sessions", samples.sessions, { now, timeZone: "Asia/Tokyo" }));
    expect(chart).toMatchObject({ axis_config: { x_label: "Asia/Tokyo" } });
    expect("axis_config" in chart && chart.axis_config.categories.at(0)).toBe("07:00");
  });

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

  it("says first if it is incomplete, and marks what was not searched", () => {
    const [since, until, searchedTo] = [now - 3_600_000, now, now - 60_000];
    const message = summed("webhooks", samples.webhooks.slice(0, 2), { now, since, until, searchedTo });
    expect(message.text).toMatch(/^Incomplete: only 14:04:30–14:05:30 UTC was searched\. Webhook log: /);
    expect(JSON.stringify(message.blocks[0])).toMatch(/"text":"Incomplete: only 14:04:30–14:05:30 UTC was searched\."/);
    const { chart } = chartIn(message);
    expect("axis_config" in chart && chart.axis_config.categories.at(0)).toBe("░13:05");
    expect("axis_config" in chart && chart.axis_config.categories.at(-1)).toBe("14:05");
    expect(JSON.stringify(message.blocks.at(-1))).toContain("░ was not searched.");
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
  });

  it("lists the requested groups, the worst first", () => {
    const message = summed("webhooks", samples.webhooks, { now, by: ["status", "type"] });
    const list = message.blocks.find((block) => JSON.stringify(block).includes("rich_text_list"));
    expect(JSON.stringify(list)).toContain('"text":"✗ 503 · connection.destroyed: 1 of 1 failed (100%), p95 1.24 s"');
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
  });

  it("covers the requested period", () => {
    const [since, until] = [now - 3_600_000, now];
    const { chart } = chartIn(summed("webhooks", samples.webhooks, { now, since, until }));
    expect("axis_config" in chart && chart.axis_config.categories.at(0)).toBe("13:05");
    expect("axis_config" in chart && chart.axis_config.categories.at(-1)).toBe("14:05");
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
