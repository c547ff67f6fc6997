import type { Summary } from "@media-ops/reports";
import { rowOf } from "@media-ops/reports/entries";
import {
  answerNotification,
  bold,
  bulletList,
  chartBlock,
  context,
  escapeMrkdwn,
  mrkdwn,
  piece,
  plainText,
  richText,
  type SlackBlock,
  type SlackMessage,
  titleOf,
} from "../slack/parts.js";
import { type GroupTable, HATCHED, type SummaryOptions, summaryParts } from "./words.js";

/** The maximum number of fields in a section. */
const SUMMARY_FIELDS = 10;

/** A summary of many entries: in words, in numbers, and as a chart. */
export function formatSummary(summary: Summary, options: SummaryOptions): SlackMessage {
  const { incomplete, words, facts, period, groups, chart, notes, clock } = summaryParts(summary, options);
  const title = titleOf(options.title, rowOf(summary.kind).title);
  const heading = incomplete === "" ? [bold(title)] : [bold(incomplete), piece(`\n${title}`)];
  const blocks: SlackBlock[] = [richText(...heading), { type: "section", text: plainText(words) }];
  if (facts.length > 0) {
    const shown = facts.slice(0, SUMMARY_FIELDS);
    blocks.push({
      type: "section",
      fields: shown.map((fact) => mrkdwn(`*${fact.title}*\n${escapeMrkdwn(fact.text)}`)),
    });
  }
  if (groups) blocks.push(groupBlock(groups));
  if (chart) blocks.push(chartBlock(chart, clock.timeZone));
  // In the zone of the chart, which it names: Slack's own dates would be in the zone of each reader.
  const [times] = period;
  const small = [
    times ? `${times.title}: ${times.text}` : summary.count > 0 ? "No entry has a time." : "",
    chart?.unsearched.includes(true) ? HATCHED : "",
    groups?.omitted,
    ...notes,
  ].filter((text) => text);
  if (small.length > 0) blocks.push(context(...small));
  return { blocks, text: answerNotification({ incomplete, title, words }) };
}

function groupBlock({ lines }: GroupTable): SlackBlock {
  return bulletList(lines.map((line) => [piece(line)]));
}
