import type { LogKind } from "@media-ops/contract";
import type { Tally } from "@media-ops/reports";
import { columnOf, DAY, fieldOf, isFailure, itemsIn, MINUTE, rowOf, SECOND } from "@media-ops/reports/entries";
import type { RichTextElement } from "@slack/types";
import { type Chart, chartBlock, HATCHED, labelsOf } from "./chart.js";
import { amountOf, capital } from "./logs.js";
import * as slack from "./slack/parts.js";
import { type Phrase, phraseText } from "./values/answer.js";
import { counted, formatCount, formatDuration, formatPeriod, formatShare, formatWithin } from "./values/numbers.js";
import { briefAddress, briefChannel, briefReason, isRefusal } from "./values/show.js";
import { type Clock, clockFor, NOTHING, oneLine, type TimeOptions, textOf } from "./values/words.js";

/** What a watch saw: an incident that goes on or is over. Times are in milliseconds since 1970. */
export interface Incident {
  kind: LogKind;
  /** What is compared with the limit: entries, the share of failed ones, or a percentile of their processing times. */
  measure: "count" | "failed" | "p50" | "p95" | "p99";
  /** In entries, as a share from 0 to 1, or in milliseconds. */
  limit: number;
  /** The length of the period that is measured, in milliseconds. */
  overMs: number;
  /** The measure now, in the unit of the limit. */
  value: number;
  /** The highest value during the incident. */
  worst: number;
  /** The time of the first entry that counts. */
  began: number;
  /** The time of the last entry that counts; absent while the incident goes on. */
  ended?: number;
  /** The time up to which the log was read. */
  lookedUntil: number;
  /** How many entries count: they match, failed, or took longer than the limit. */
  count: number;
  /** All matching entries, for measures that compare. */
  total?: number;
  /** Whether the counted entries are failures. */
  isFailure: boolean;
  /** The counted entries by field of the API, such as `reason` or `url`; the most frequent names first. */
  groups: { field: string; tallies: Tally[] }[];
  /** At most twenty consecutive periods, oldest first. */
  overTime: { from: number; to: number; count: number }[];
  /** How often the incident began: 1, or more if it came back. */
  times: number;
  /** The time since which the service has not answered: what goes on since then is not known. */
  blindSince?: number;
}

/** Whether an incident goes on or is over; "unknown" if the service doesn't answer, even if an end was seen before. */
function stateOf({ ended, blindSince }: Incident): "on" | "over" | "unknown" {
  if (blindSince !== undefined) return "unknown";
  return ended === undefined ? "on" : "over";
}

const isSlowness = ({ measure }: Incident): boolean => measure !== "count" && measure !== "failed";

const shownCount = (count: unknown): number =>
  typeof count === "number" && Number.isFinite(count) && count > 0 ? count : 0;

/** A value that stands out among the counted entries. */
interface Leader extends Tally {
  field: string;
  /** Whether more than half of the entries have it. */
  isMost: boolean;
  /** Whether all entries have it. */
  isAll: boolean;
}

/** The fields that explain a failure; the others say where it happened. */
const CAUSES: readonly string[] = ["reason", "status"];

/** The most frequent cause. That slow calls succeeded explains nothing. */
function causeOf(incident: Incident): Leader | undefined {
  const causes = leadersIn(incident, (field) => CAUSES.includes(field));
  return causes.find(({ field, name }) => field !== "status" || isFailure(Number(name)));
}

/** A smaller part of the entries says nothing about where they fail. */
const LEAST_SHARE = 0.25;

/**
 * Where most entries are: the first field, such as the URL, of which one value has most of them; otherwise the value that
 * has the most of any field.
 */
function placeOf(incident: Incident): Leader | undefined {
  const all = shownCount(incident.count);
  const places = leadersIn(incident, (field) => !CAUSES.includes(field)).filter(
    ({ count }) => count >= LEAST_SHARE * all && (count > 1 || all <= 1),
  );
  const [most] = [...places].sort((a, b) => b.count - a.count);
  return places.find(({ isMost }) => isMost) ?? most;
}

/** The most frequent value of each field that has exactly one. */
function leadersIn({ count, ...rest }: Incident, isMeant: (field: string) => boolean): Leader[] {
  const all = shownCount(count);
  return itemsIn(rest, "groups").flatMap((group): Leader[] => {
    const field = textOf(fieldOf(group, "field"));
    const [first, second] = isMeant(field) ? talliesIn(group) : [];
    if (!first || first.count === second?.count) return [];
    return [{ ...first, field, isMost: 2 * first.count > all, isAll: first.count >= all }];
  });
}

function talliesIn(group: unknown): Tally[] {
  return itemsIn(group, "tallies")
    .map((tally) => ({ name: textOf(fieldOf(tally, "name")), count: shownCount(fieldOf(tally, "count")) }))
    .filter(({ name, count }) => name !== NOTHING && count > 0)
    .sort((a, b) => b.count - a.count);
}

/** Whether the counted entries are refused clients, by their reasons. */
function refusalsIn({ kind, ...rest }: Incident): "all" | "some" | "none" {
  if (kind !== "events") return "none";
  const reasons = itemsIn(rest, "groups").filter((group) => fieldOf(group, "field") === "reason");
  const names = reasons.flatMap((group) => talliesIn(group).map(({ name }) => name));
  if (!names.some(isRefusal)) return "none";
  return names.every(isRefusal) ? "all" : "some";
}

/**
 * The names of an incident by what it counts: slow calls, refused clients, failures, or any entries: "webhooks fail",
 * "834 failures", "834 of 1,200 webhooks failed". `entries` is for the title of a chart, `series` for its legend, which
 * has at most 20 characters.
 */
function namesOf(incident: Incident) {
  const { kind, isFailure, limit } = incident;
  const { one, many } = rowOf(kind);
  const count = shownCount(incident.count);
  const were = count === 1 ? "was" : "were";
  const trouble = (what: string, now: string, still: string, past: string) => {
    return { now: `${what} ${now}`, still: `${what} ${still}`, past: `${what} ${past}`, over: "Recovered" } as const;
  };
  if (isSlowness(incident)) {
    const amount = `${ofTotal(incident, one, many)} took longer than ${formatDuration(limit)}`;
    const names = trouble(many, "are slow", "are still slow", "were slow");
    return { ...names, counted: amount, amount, did: "were slow", entries: `Slow ${many}`, series: "Slow" };
  }
  const refused = refusalsIn(incident);
  if (refused === "all") {
    return {
      ...trouble("clients", "are refused", "are still refused", "were refused"),
      counted: counted(count, "refusal", "refusals"),
      amount: `${counted(count, "attempt", "attempts")} to connect ${were} refused`,
      did: "were refused",
      entries: "Refused attempts",
      series: "Refused",
    };
  }
  if (isFailure) {
    // What fails of the events are connections.
    const isEvents = kind === "events";
    const what = isEvents ? "connections" : many;
    const [are, was] = refused === "some" ? [" or are refused", " or were refused"] : ["", ""];
    const did = refused === "some" ? `failed or ${were} refused` : "failed";
    return {
      ...trouble(what, `fail${are}`, `still fail${are}`, `failed${was}`),
      counted: counted(count, "failure", "failures"),
      amount: `${isEvents ? counted(count, "connection", "connections") : ofTotal(incident, one, many)} ${did}`,
      did,
      entries: `Failed ${what}`,
      series: "Failed",
    };
  }
  const some = count < FEW ? many : `many ${many}`;
  const amount = counted(count, one, many);
  const names = { now: some, still: `there are still ${some}`, past: some, over: "Over" } as const;
  return { ...names, counted: amount, amount, did: "count", entries: capital(many), series: capital(many) };
}

/** Fewer entries are not many. */
const FEW = 10;

function ofTotal(incident: Incident, one: string, many: string): string {
  const [count, total] = [shownCount(incident.count), totalOf(incident)];
  if (total === undefined) return counted(count, one, many);
  return count === total
    ? `all ${formatCount(total)} ${many}`
    : `${formatCount(count)} of ${formatCount(total)} ${many}`;
}

/** All entries of an incident that compares, if they are known and more than one. */
function totalOf(incident: Incident): number | undefined {
  const total = shownCount(incident.total);
  return total >= shownCount(incident.count) && total > 1 ? total : undefined;
}

/** A cause in short: "503", "no answer", "ICE timeout". */
function causeName({ field, name }: Leader): string {
  if (field === "reason") return briefReason(name);
  return Number(name) === 0 ? "no answer" : briefAddress(name);
}

/** A place in short: "hooks.example/media", "client c1", "node-2". */
function placeName(kind: LogKind, { field, name }: Leader): string {
  const text = field === "channel_id" ? briefChannel(name) : briefAddress(name);
  if (field === "url" || field === "media_target") return text;
  const title = (columnOf(kind, field)?.title ?? field).toLowerCase();
  return text.toLowerCase().startsWith(title) ? text : `${title} ${text}`;
}

function atPlace(kind: LogKind, place: Leader): string {
  if (place.field === "channel_id") return `in ${briefChannel(place.name)}`;
  return `${place.field === "node_name" ? "on" : "for"} ${placeName(kind, place)}`;
}

/** An incident in plain text. Its texts contain untrusted names, which are not escaped. */
export interface IncidentWords {
  /** ▲ if it goes on, ✓ if it is over, ? if that is not known. */
  mark: "▲" | "✓" | "?";
  /** "Connections fail: ICE timeout" */
  what: string;
  /** "834 of 1,200 webhooks failed since 10:05:00 UTC (12 min), most with 503; worst: hooks.example/media (610)." */
  details: string;
}

/** An incident in plain text: a heading, and a few sentences. */
export function incidentWords(incident: Incident, options: TimeOptions): IncidentWords {
  const clock = clockFor(options);
  return {
    mark: incidentMark(incident),
    what: incidentHeading(incident),
    details: sentenceText(detailsOf(incident, clock.now), clock),
  };
}

function sentenceText(sentence: Phrase, clock: Clock): string {
  const times = sentence.flatMap((part) => (typeof part === "object" && "time" in part ? [part.time] : []));
  let left = times.length;
  return sentence
    .map((part) => {
      if (typeof part === "string" || !("time" in part)) return phraseText([part], clock);
      const [text, first] = [clock.short(part.time), clock.short(times[0] ?? part.time)];
      left -= 1;
      const day = first.includes(" ") && !text.includes(" ") ? "today " : "";
      // Few readers use UTC, so it is named: once, after the last time.
      return `${day}${text}${left === 0 && clock.timeZone === "UTC" ? " UTC" : ""}`;
    })
    .join("");
}

/** The mark of an incident: whatever was seen, it is no all-clear if the service doesn't answer. */
function incidentMark(incident: Incident): IncidentWords["mark"] {
  return ({ on: "▲", over: "✓", unknown: "?" } as const)[stateOf(incident)];
}

/** "Connections fail in demo: ICE timeout", with the cause that most entries have. */
function incidentHeading(incident: Incident, place = ""): string {
  const cause = causeOf(incident);
  return `${whatOf(incident)}${inPlace(place)}${cause?.isMost ? `: ${causeName(cause)}` : ""}`;
}

function whatOf(incident: Incident): string {
  const { now, past } = namesOf(incident);
  const state = stateOf(incident);
  if (state === "unknown" && isEmpty(incident)) return "No answer";
  return capital(state === "on" ? now : past);
}

const isEmpty = ({ count }: Incident): boolean => shownCount(count) === 0;
const inPlace = (place: string): string => (place === "" ? "" : ` in ${place}`);

/** An incident in one line, as a phone shows it: "Webhooks fail in demo: 834 in 12 min, most with 503". */
function incidentLine(incident: Incident, place: string, now: number): string {
  const { began, blindSince = now, measure, value } = incident;
  const names = namesOf(incident);
  const state = stateOf(incident);
  if (state === "unknown") {
    const whether = isEmpty(incident) ? names.now : names.still;
    return `No answer${inPlace(place)} for ${spanText(now - blindSince)}: not known whether ${whether}`;
  }
  const cause = causeWords(incident);
  if (state === "over") return `${names.over}${inPlace(place)} after ${lengthText(incident)}: ${names.amount}${cause}`;
  const what = `${whatOf(incident)}${inPlace(place)}`;
  if (isSlowness(incident)) return `${what}: ${measure} is ${formatDuration(value)}${limitWords(incident)}`;
  const span = now - began < MINUTE ? " within a minute" : ` in ${spanText(now - began)}`;
  return `${what}: ${briefAmount(incident)}${shownCount(incident.count) === 1 ? "" : span}${cause}`;
}

/** "834 of 1,200". Of events, more than connections are counted. */
function briefAmount(incident: Incident): string {
  const [count, total] = [formatCount(shownCount(incident.count)), totalOf(incident)];
  if (total === undefined || incident.kind === "events") return count;
  return count === formatCount(total) ? `all ${count}` : `${count} of ${formatCount(total)}`;
}

const momentOf = (time: number): Phrase[number] => (Number.isFinite(time) ? { time } : "an unknown time");

function detailsOf(incident: Incident, now: number): Phrase {
  const state = stateOf(incident);
  if (state === "unknown") return unknownDetails(incident, now);
  return state === "over" ? overDetails(incident) : ongoingDetails(incident, now);
}

function ongoingDetails(incident: Incident, now: number): Phrase {
  const { measure, value, worst, overMs } = incident;
  const { amount, did } = namesOf(incident);
  const most = (text: string): string => (worst > value ? `; ${text}` : "");
  const since = sinceWords(incident, now);
  const where = `${whereWords(incident)}.`;
  const back = backWords(incident);
  const again = back && ` It ${back}.`;
  if (isSlowness(incident)) {
    const first = `${measure} is ${formatDuration(value)}${limitWords(incident)} within ${formatWithin(overMs)}`;
    return [`${first}${most(`worst ${formatDuration(worst)}`)}. ${capital(amount)}`, ...since, `${where}${again}`];
  }
  if (measure === "failed") {
    const last = `In the last ${formatPeriod(overMs)}, ${shareText(value)} ${did}${limitWords(incident)}`;
    return [capital(amount), ...since, `${where} ${last}${most(`at worst ${shareText(worst)}`)}.${again}`];
  }
  return [capital(amount), ...since, `${paceWords(incident)}${where}${again}`];
}

function overDetails(incident: Incident): Phrase {
  const { began, ended = began } = incident;
  const isMoment = !(ended - began >= SECOND);
  const when = isMoment ? [" at ", momentOf(began)] : [" from ", momentOf(began), " to ", momentOf(ended)];
  const back = backWords(incident);
  const where = `${whereWords(incident)}${worstWords(incident)}`;
  return [`${recoveredWords(incident)}${amongWords(incident)}`, ...when, `${where}${back && `; it ${back}`}.`];
}

function unknownDetails(incident: Incident, now: number): Phrase {
  const { blindSince = now } = incident;
  const { now: what, still, amount } = namesOf(incident);
  const first = ["The service has not answered since ", momentOf(blindSince), spanWords(now - blindSince)];
  if (isEmpty(incident)) return [...first, `: whether ${what} is not known.`];
  const where = `${whereWords(incident)}.`;
  return [
    ...first,
    `: whether ${still} is not known. Until then, ${amount}`,
    ...sinceWords(incident, blindSince),
    where,
  ];
}

function recoveredWords(incident: Incident): string {
  const { over, counted } = namesOf(incident);
  return `${over} after ${lengthText(incident)}${isSlowness(incident) ? ":" : ","} ${counted}`;
}

function amongWords(incident: Incident): string {
  const total = totalOf(incident);
  return total === undefined || isSlowness(incident) ? "" : ` among ${amountOf(incident.kind, total)}`;
}

const lengthText = ({ began, ended = began }: Incident): string => spanText(ended - began);

const spanText = (length: number): string =>
  length >= MINUTE ? formatDuration(Math.floor(length / MINUTE) * MINUTE) : "less than a minute";

const spanWords = (length: number): string => (length >= MINUTE ? ` (${spanText(length)})` : "");

function sinceWords({ began, count }: Incident, until: number): Phrase {
  if (shownCount(count) === 1) return [" at ", momentOf(began)];
  return [" since ", momentOf(began), spanWords(until - began)];
}

/** ", above 2 s", ", no longer above 10%" */
function limitWords(incident: Incident): string {
  const { value, limit } = incident;
  const text = isSlowness(incident) ? formatDuration(limit) : shareText(limit);
  // A watch may begin at its limit.
  if (value === limit) return ", the limit";
  return `, ${value > limit ? "" : "no longer "}above ${text}`;
}

/** ", 300 in the last 5 min", if that is not all of them. */
function paceWords({ value, count, overMs }: Incident): string {
  if (!(value < count)) return "";
  return `, ${value > 0 ? formatCount(value) : "none"} in the last ${formatPeriod(overMs)}`;
}

/** "; p95 was up to 4.2 s", "; up to 80% within 5 min" */
function worstWords(incident: Incident): string {
  const { measure, worst, overMs } = incident;
  if (isSlowness(incident)) return `; ${measure} was up to ${formatDuration(worst)}`;
  return measure === "failed" ? `; up to ${shareText(worst)} within ${formatWithin(overMs)}` : "";
}

function backWords({ times }: Incident): string {
  if (!(times > 1)) return "";
  return `came back ${["once", "twice"][times - 2] ?? `${formatCount(times - 1)} times`}`;
}

function causeWords(incident: Incident): string {
  const cause = causeOf(incident);
  if (!cause) return "";
  const often = !cause.isMost ? "most often " : !cause.isAll ? "most " : cause.count === 1 ? "" : "all ";
  return `, ${often}${withCause(cause)}`;
}

function withCause(cause: Leader): string {
  const name = causeName(cause);
  if (cause.field === "reason") return `with the reason ${name}`;
  return Number(cause.name) === 0 ? "without an answer" : `with ${name}`;
}

/** ", most with 503; worst: hooks.example/media (610)" */
function whereWords(incident: Incident): string {
  const { kind, isFailure } = incident;
  const [cause, place] = [causeOf(incident), placeOf(incident)];
  const why = causeWords(incident);
  if (!place) return why;
  if (place.isAll) return `${why}, ${place.count === 1 || cause?.isAll ? "" : "all "}${atPlace(kind, place)}`;
  const worst = isFailure || isSlowness(incident) ? "worst" : "most";
  return `${why}; ${worst}: ${placeName(kind, place)} (${formatCount(place.count)})`;
}

function shareText(share: number): string {
  return formatShare(Math.min(Math.max(share, 0), 1) || 0, 1);
}

/** So many times more entries are worth a note. */
const MORE = 10;
/** So is a percentile or a share that has grown by this factor. */
const WORSE = 2;

/**
 * What is worth a note in the thread of an incident since the last note, as one plain sentence: that it came back or
 * recovered, that it got much worse, or that the most frequent cause or the worst place is another one; otherwise
 * `undefined`. It contains untrusted names, which are not escaped.
 *
 * @param before the incident at the last note
 */
export function changeWords(before: Incident, after: Incident): string | undefined {
  const [was, is] = [stateOf(before), stateOf(after)];
  if (is === "over" && was !== "over") return `${recoveredWords(after)}.`;
  // Nothing new is known.
  if (is === "unknown") return undefined;
  if (after.times > before.times || (is === "on" && was === "over")) return againWords(after);
  return worseWords(before, after) ?? otherWords(before, after);
}

function againWords(incident: Incident): string {
  const back = backWords(incident);
  return `${capital(namesOf(incident).now)} again${back && `: it ${back}`}.`;
}

function worseWords(before: Incident, after: Incident): string | undefined {
  const [earlier, later] = [shownCount(before.count), shownCount(after.count)];
  if (earlier > 0 && later >= MORE * earlier)
    return `${capital(namesOf(after).amount)} so far, up from ${formatCount(earlier)}.`;
  const { measure, overMs } = after;
  const worst = [shownCount(before.worst), shownCount(after.worst)] as const;
  if (measure === "count" || worst[0] === 0 || worst[1] < WORSE * worst[0]) return undefined;
  const [was, is] = worst.map(isSlowness(after) ? formatDuration : shareText);
  if (isSlowness(after)) return `${measure} rose to ${is}, from ${was}.`;
  return `Up to ${is} ${namesOf(after).did} within ${formatWithin(overMs)}, ${was} before.`;
}

/** "The most frequent cause is now ICE timeout, previously channel full; the worst is now client c2, previously client c1." */
function otherWords(before: Incident, after: Incident): string | undefined {
  const { kind, isFailure } = after;
  const parts = [
    otherOne("the most frequent cause", [causeOf(before), causeOf(after)], causeName),
    otherOne(isFailure ? "the worst" : "the most frequent", [placeOf(before), placeOf(after)], (one) =>
      placeName(kind, one),
    ),
  ].filter((part) => part !== "");
  return parts.length === 0 ? undefined : `${capital(parts.join("; "))}.`;
}

function otherOne(
  what: string,
  [was, is]: [Leader | undefined, Leader | undefined],
  write: (one: Leader) => string,
): string {
  if (!was || !is || (was.field === is.field && was.name === is.name)) return "";
  return `${what} is now ${write(is)}, previously ${write(was)}`;
}

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
export function slackIncident(incident: Incident, options: SlackIncidentOptions): slack.SlackMessage {
  const clock = clockFor(options);
  const { description, notes = [] } = options;
  const title = slack.titleOf(options.title, "");
  const heading = `${incidentMark(incident)} ${incidentHeading(incident, title)}`;
  const chart = chartOfIncident(incident, clock.timeZone);
  const small = [
    slack.plainText(slack.fit(capital(oneLine(description)), NOTE)),
    slack.mrkdwn(`Checked until ${timeText(incident.lookedUntil, clock)}`),
    ...(chart?.unsearched.includes(true) ? [slack.plainText(HATCHED)] : []),
    ...notes.slice(0, NOTES).map((note) => slack.plainText(slack.fit(oneLine(note), NOTE))),
  ];
  return {
    blocks: [
      slack.richText(slack.bold(heading), slack.piece("\n"), ...elementsOf(detailsOf(incident, clock.now), clock)),
      ...(chart ? [chartBlock(chart, clock.timeZone)] : []),
      { type: "context", elements: small },
    ],
    text: slack.notification(incidentLine(incident, title, clock.now)),
  };
}

/** A sentence with its times in the zone of each reader. */
function elementsOf(sentence: Phrase, clock: Clock): RichTextElement[] {
  let before: number | undefined;
  return slack.phraseElements(sentence, clock, (time) => {
    // The day is said once.
    const isNear = before !== undefined && Math.abs(time - before) < DAY;
    before = time;
    return isNear ? "{time}" : "{date_short_pretty} {time}";
  });
}

function timeText(time: number, clock: Clock): string {
  if (!Number.isFinite(time)) return "an unknown time";
  return slack.isWritable(time)
    ? slack.dateSpan(time, slack.formatFor([time], clock.now))
    : slack.escapeMrkdwn(clock.short(time));
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
  const values = periods.map(({ count }) => shownCount(count));
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
