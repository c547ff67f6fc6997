import { isObject, type Json, listIn, numberIn, stringIn } from "../json.js";

/**
 * Of how many values on a chart's axis one is named, so that only whole numbers are: the library divides an axis of counts
 * up to 1 into fifths, and up to 2 into halves. Not for what is measured in a unit.
 */
export function wholeStep({ chart }: Json): 1 | 2 | 5 {
  if (!isObject(chart) || (isObject(chart.axis_config) && stringIn(chart.axis_config.y_label) !== "")) return 1;
  const values = listIn(chart.series).flatMap(({ data }) => listIn(data).map(({ value }) => numberIn(value) ?? 0));
  const most = Math.max(0, ...values);
  if (!values.every(Number.isInteger) || most > 2) return 1;
  return most === 2 ? 2 : 5;
}
