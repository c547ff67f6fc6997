import type { Digest } from "@media-ops/reports";
import {
  answerNotification,
  bold,
  bulletList,
  chartBlock,
  dateSpan,
  fit,
  headingBlock,
  isWritable,
  mrkdwn,
  piece,
  plainText,
  type SlackMessage,
  titleOf,
} from "../slack/parts.js";
import { HATCHED } from "../summary/words.js";
import { clockFor, type TimeOptions } from "../values/time.js";
import { digestParts } from "./words.js";

export interface SlackDigestOptions extends TimeOptions {
  /** The title, such as "Yesterday in demo". @default "Daily digest" */
  title?: string | undefined;
}

/** The longest text about one log: all of them fit into a message. */
const LOG = 1000;

/**
 * A digest as a message: what was not read, whether anything stands out, each log in a few sentences, and a chart of the
 * log with the most failures or of the connections. Slack shows the period in the zone of each reader.
 */
export function formatDigest(digest: Digest, options: SlackDigestOptions): SlackMessage {
  const { timeZone } = clockFor(options);
  const { incomplete, headline, logs, chart, note } = digestParts(digest, timeZone);
  const title = titleOf(options.title, "Daily digest");
  const words = `${headline.mark} ${headline.words}`;
  const items = logs.map(({ title, text }) => [bold(`${title}: `), piece(fit(text, LOG))]);
  const { from, to } = digest.period;
  const span = (time: number): string => dateSpan(time, "{date_short_pretty} {time}");
  const small = [
    ...(isWritable(from) && isWritable(to) ? [mrkdwn(`From ${span(from)} to ${span(to)}`)] : []),
    ...[chart?.unsearched.includes(true) ? HATCHED : "", note].filter(Boolean).map(plainText),
  ];
  return {
    blocks: [
      headingBlock({ incomplete, title, words }),
      ...(items.length === 0 ? [] : [bulletList(items)]),
      ...(chart ? [chartBlock(chart, timeZone)] : []),
      ...(small.length === 0 ? [] : [{ type: "context" as const, elements: small }]),
    ],
    text: answerNotification({ incomplete, title, words: headline.words }),
  };
}
