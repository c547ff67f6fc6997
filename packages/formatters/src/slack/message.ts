import type { Block, KnownBlock } from "@slack/types";

/** A block as Slack takes it. */
export type SlackBlock = KnownBlock | DataVisualizationBlock;

/** What a message or a modal is made of. */
export interface SlackMessage {
  blocks: SlackBlock[];
  /** The short form, for notifications and screen readers; escaped. */
  text: string;
}

/** A chart in a message. Typed here until `@slack/types` has it. */
export interface DataVisualizationBlock extends Block {
  type: "data_visualization";
  /** At most 50 characters. */
  title: string;
  chart: SeriesChart | PieChart;
}

/** Up to six series over the same categories. */
export interface SeriesChart {
  type: "line" | "bar" | "area";
  series: ChartSeries[];
  axis_config: {
    /** At most 20, no two alike, with at most 20 characters each. */
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

export interface ChartSeries {
  /** At most 20 characters, and no two alike. */
  name: string;
  /** One for each category. */
  data: ChartPoint[];
}

export interface ChartPoint {
  label: string;
  value: number;
}
