import { renderToStaticMarkup } from "react-dom/server";
import { type Block, Message } from "slack-blocks-to-jsx";
import { expect, it } from "vitest";
import { labelStep, wholeStep } from "./chart.js";

function chartOf(values: readonly number[], y_label?: string) {
  const data = values.map((value, at) => ({ label: `${at}:00`, value }));
  return {
    type: "data_visualization",
    title: "Webhooks over time",
    chart: {
      type: "bar",
      series: [{ name: "Failed", data }],
      axis_config: { categories: data.map(({ label }) => label), ...(y_label && { y_label }) },
    },
  };
}

/** Returns the axis labels that the page shows. */
function namedOn(chart: ReturnType<typeof chartOf>): number[] {
  const html = renderToStaticMarkup(<Message blocks={[chart as Block]} logo="" name="Media Ops" withoutWrapper />);
  const all = [...html.matchAll(/<g><line[^>]*><\/line><text[^>]*>([^<]*)<\/text><\/g>/g)].map(([, text]) =>
    Number(text),
  );
  return all.filter((_, at) => at % wholeStep(chart) === 0);
}

it.each([[[1]], [[0, 1, 0]], [[2, 1]], [[0, 2]], [[3]], [[4, 1]], [[7]], [[12, 5]], [[230]]])(
  "an axis of counts has only whole-number labels: %j",
  (values) => {
    const named = namedOn(chartOf(values));
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((value) => !Number.isInteger(value))).toEqual([]);
    expect(Math.max(...named)).toBeGreaterThanOrEqual(Math.max(...values));
  },
);

it("an axis of measured values may have fractional labels", () => {
  expect(wholeStep(chartOf([1], "ms"))).toBe(1);
});

const axisOf = (count: number, label: string) => ({
  chart: { axis_config: { categories: Array.from({ length: count }, () => label) } },
});

it.each([
  [axisOf(6, "18:05"), 1],
  [axisOf(12, "18:05"), 2],
  [axisOf(20, "18:05"), 4],
  [axisOf(12, "Nov 23 20:05"), 3],
  [axisOf(20, "Nov 23 20:05"), 5],
  [axisOf(2, "x".repeat(100)), 2],
  [axisOf(0, ""), 1],
  [{}, 1],
])("as many categories have a label as fit: %j", (chart, step) => {
  expect(labelStep(chart)).toBe(step);
});
