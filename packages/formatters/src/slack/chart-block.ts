import { type Chart, HATCH } from "../chart.js";
import { type DataVisualizationBlock, fit } from "./parts.js";

/** The longest label of a chart's axis. */
const LABEL = 50;

/** A chart as a block. */
export function chartBlock(chart: Chart, timeZone: string): DataVisualizationBlock {
  const { of, title, unit, series, hasGaps } = chart;
  const labels = hatchedLabels(chart);
  return {
    type: "data_visualization",
    title,
    chart: {
      // A line would connect points across gaps.
      type: of === "latency" && !hasGaps ? "line" : "bar",
      series: series.map(({ name, values }) => ({
        name,
        data: labels.map((label, at) => ({ label, value: values[at] ?? 0 })),
      })),
      // Slack shows chart labels unchanged, not in the zone of each reader.
      axis_config: { categories: labels, x_label: fit(timeZone, LABEL), ...(unit && { y_label: unit }) },
    },
  };
}

/** The longest category. */
const CATEGORY = 20;

/** Slack draws no hatching, so the labels have it, where it fits. */
function hatchedLabels({ labels, unsearched }: Chart): string[] {
  return labels.map((label, at) => (unsearched[at] && label.length < CATEGORY ? HATCH + label : label));
}
