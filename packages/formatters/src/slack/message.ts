import type { Block, KnownBlock } from "@slack/types";

/** A block that Slack accepts. */
export type SlackBlock = KnownBlock | DataVisualizationBlock;

/** The content of a message or a modal. */
export interface SlackMessage {
  blocks: SlackBlock[];
  /** The short form for notifications and screen readers; escaped. */
  text: string;
}

/** A chart in a message, until `@slack/types` has it. */
export interface DataVisualizationBlock extends Block {
  type: "data_visualization";
  /** At most 50 characters. */
  title: string;
  chart: SeriesChart | PieChart;
}

/** Up to six series with the same categories. */
export interface SeriesChart {
  type: "line" | "bar" | "area";
  series: ChartSeries[];
  axis_config: {
    /** At most 20 different ones, with at most 20 characters each. */
    categories: string[];
    /** At most 50 characters. */
    x_label?: string;
    /** At most 50 characters. */
    y_label?: string;
  };
}

/** Up to six parts of a whole. */
export interface PieChart {
  type: "pie";
  segments: ChartPoint[];
}

/** One series of a chart. */
export interface ChartSeries {
  /** At most 20 characters; all names differ. */
  name: string;
  /** One per category. */
  data: ChartPoint[];
}

/** One value of a chart. */
export interface ChartPoint {
  label: string;
  value: number;
}
