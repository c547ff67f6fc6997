import type { KnownBlock } from "@slack/types";
import type { DataVisualizationBlock } from "./data-visualization.js";

/** A block as Slack takes it. */
export type SlackBlock = KnownBlock | DataVisualizationBlock;

/** What a message or a modal is made of. */
export interface SlackMessage {
  blocks: SlackBlock[];
  /** The short form, for notifications and screen readers; escaped. */
  text: string;
}
