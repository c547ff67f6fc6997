import { DAY } from "@media-ops/reports/entries";
import type { RichTextElement } from "@slack/types";
import type { Phrase } from "../lists/list.js";
import { capital } from "../logs/columns.js";
import {
  bold,
  chartBlock,
  dateSpan,
  escapeMrkdwn,
  fit,
  formatFor,
  isWritable,
  mrkdwn,
  notification,
  phraseElements,
  piece,
  plainText,
  richText,
  type SlackMessage,
  titleOf,
} from "../slack/parts.js";
import { type Chart, HATCHED, labelsOf } from "../summary/words.js";
import { oneLine } from "../values/text.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import {
  countIn,
  detailsOf,
  type Incident,
  incidentHeading,
  incidentLine,
  incidentMark,
  namesOf,
  stateOf,
} from "./words.js";

export interface SlackIncidentOptions extends TimeOptions {
  /** The place within a sentence, such as the name of the project; "" if it goes without saying. */
  title: string;
  /** What is watched, such as "failed webhooks, more than 10 in 5 min". */
  description: string;
  /** Notes below, as plain text; at most seven are shown. @default none */
  notes?: readonly string[] | undefined;
}

/** Slack has room for ten texts in small print, of which the description and the time of the last look are two. */
const NOTES = 7;
const NOTE = 300;

/**
 * An incident as a message that is edited in place: its mark and what it is, what happened in a few sentences, a chart
 * if there is more than one period, and the description of the watch. Slack shows times in the zone of each reader,
 * except those of the chart.
 */
export function formatIncident(incident: Incident, options: SlackIncidentOptions): SlackMessage {
  const clock = clockFor(options);
  const { description, notes = [] } = options;
  const title = titleOf(options.title, "");
  const heading = `${incidentMark(incident)} ${incidentHeading(incident, title)}`;
  const chart = chartOfIncident(incident, clock.timeZone);
  const small = [
    plainText(fit(capital(oneLine(description)), NOTE)),
    mrkdwn(`Checked until ${timeText(incident.lookedUntil, clock)}`),
    ...(chart?.unsearched.includes(true) ? [plainText(HATCHED)] : []),
    ...notes.slice(0, NOTES).map((note) => plainText(fit(oneLine(note), NOTE))),
  ];
  return {
    blocks: [
      richText(bold(heading), piece("\n"), ...elementsOf(detailsOf(incident, clock.now), clock)),
      ...(chart ? [chartBlock(chart, clock.timeZone)] : []),
      { type: "context", elements: small },
    ],
    text: notification(incidentLine(incident, title, clock.now)),
  };
}

/** A sentence with its times in the zone of each reader. */
function elementsOf(sentence: Phrase, clock: Clock): RichTextElement[] {
  let before: number | undefined;
  return phraseElements(sentence, clock, (time) => {
    // The day is said once.
    const isNear = before !== undefined && Math.abs(time - before) < DAY;
    before = time;
    return isNear ? "{time}" : "{date_short_pretty} {time}";
  });
}

function timeText(time: number, clock: Clock): string {
  if (!Number.isFinite(time)) return "an unknown time";
  return isWritable(time) ? dateSpan(time, formatFor([time], clock.now)) : escapeMrkdwn(clock.short(time));
}

/** The longest category of a chart in Slack, and the most of them. */
const [CATEGORY, CATEGORIES] = [20, 20];
/** One bar says no more than the sentence. */
const LEAST_BARS = 2;

/** The counted entries over time; `undefined` if they lie in fewer than two periods. */
function chartOfIncident(incident: Incident, timeZone: string): Chart | undefined {
  const { overTime, lookedUntil, blindSince = lookedUntil } = incident;
  const knownUntil = stateOf(incident) === "unknown" ? Math.min(blindSince, lookedUntil) : Number.POSITIVE_INFINITY;
  const periods = overTime
    .filter(({ from, to }) => Number.isFinite(from) && Number.isFinite(to))
    .sort((a, b) => a.from - b.from)
    .slice(-CATEGORIES);
  const labels = labelsOf(periods, timeZone);
  const values = periods.map(({ count }) => countIn(count));
  const isUseful = values.filter((value) => value > 0).length >= LEAST_BARS;
  if (!isUseful || labels.some(({ length }) => length > CATEGORY)) return undefined;
  const { entries, series } = namesOf(incident);
  return {
    of: "entries",
    title: `${entries} over time`,
    labels,
    hasGaps: false,
    series: [{ name: series, values }],
    unsearched: periods.map(({ from }) => from >= knownUntil),
  };
}
