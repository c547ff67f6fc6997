// Everything that needs the chart library is in this module, so that it is loaded with the first chart.
import { type ReactNode, useMemo, useSyncExternalStore } from "react";
import { type Block, Message } from "slack-blocks-to-jsx";
import "slack-blocks-to-jsx/dist/style.css";
import "./styles/library.css";
import { isObject } from "../../src/json.js";
import { type Json, listIn, numberIn, stringIn } from "./json.js";
import { classes } from "./parts.js";

const NO_DATA = { users: [], channels: [] };

/** A chart, rendered by the library. */
export function Chart({ block }: { block: Json }): ReactNode {
  const theme = useTheme();
  const blocks = useMemo(() => {
    // The library uses the block's id as an element id, which may not be unique on the page.
    const { block_id: _, ...drawn } = block;
    return isChart(drawn) ? [drawn] : [];
  }, [block]);
  const isSingle = isObject(block.chart) && listIn(block.chart.series).length === 1;
  return (
    <div
      className={classes("chart", isSingle && "is-single", `every-${labelStep(block)}`, `whole-${wholeStep(block)}`)}
    >
      <Message blocks={blocks} data={NO_DATA} logo="" name="" theme={theme} withoutWrapper />
    </div>
  );
}

function isChart(block: Json): block is Json & Block {
  return block.type === "data_visualization";
}

/** More labels overlap on the axis: six times of day, or four with their date. */
const MOST_LABELS = 6;
const MOST_CHARACTERS = 48;

/** Returns n if every nth category gets a label. */
export function labelStep({ chart }: Json): number {
  const axis = isObject(chart) && isObject(chart.axis_config) ? chart.axis_config.categories : [];
  if (!Array.isArray(axis) || axis.length === 0) return 1;
  const longest = Math.max(...axis.map((label) => stringIn(label).length));
  return Math.ceil(axis.length / Math.max(1, Math.min(MOST_LABELS, Math.floor(MOST_CHARACTERS / longest))));
}

/**
 * Returns n if every nth tick of the value axis gets a label. Counts then show whole numbers only, although the library
 * divides an axis up to 1 into fifths, and up to 2 into halves.
 */
export function wholeStep({ chart }: Json): 1 | 2 | 5 {
  if (!isObject(chart) || (isObject(chart.axis_config) && stringIn(chart.axis_config.y_label) !== "")) return 1;
  const values = listIn(chart.series).flatMap(({ data }) => listIn(data).map(({ value }) => numberIn(value) ?? 0));
  const most = Math.max(0, ...values);
  if (!values.every(Number.isInteger) || most > 2) return 1;
  return most === 2 ? 2 : 5;
}

const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

function useTheme(): "light" | "dark" {
  return useSyncExternalStore(
    (listener) => {
      dark?.addEventListener("change", listener);
      return () => dark?.removeEventListener("change", listener);
    },
    () => (dark?.matches ? "dark" : "light"),
  );
}
