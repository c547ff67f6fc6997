import { MINUTE, SECOND } from "@media-ops/reports/entries";
import { type Phrase, phraseText } from "../lists/list.js";
import { amountOf, capital } from "../logs/columns.js";
import { formatCount, formatDuration, formatPeriod, formatShare, formatWithin } from "../values/numbers.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import {
  atPlace,
  causeName,
  causeOf,
  countIn,
  type Incident,
  isSlowness,
  type Leader,
  namesOf,
  placeName,
  placeOf,
  stateOf,
  totalOf,
} from "./incident.js";

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
    details: plainText(detailsOf(incident, clock.now), clock),
  };
}

/** A sentence with its times in one zone. */
function plainText(sentence: Phrase, clock: Clock): string {
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
export function incidentMark(incident: Incident): IncidentWords["mark"] {
  return ({ on: "▲", over: "✓", unknown: "?" } as const)[stateOf(incident)];
}

/** "Connections fail in demo: ICE timeout", with the cause that most entries have. */
export function incidentHeading(incident: Incident, place = ""): string {
  const cause = causeOf(incident);
  return `${whatOf(incident)}${inPlace(place)}${cause?.isMost ? `: ${causeName(cause)}` : ""}`;
}

function whatOf(incident: Incident): string {
  const { now, past } = namesOf(incident);
  const state = stateOf(incident);
  if (state === "unknown" && isEmpty(incident)) return "No answer";
  return capital(state === "on" ? now : past);
}

const isEmpty = ({ count }: Incident): boolean => countIn(count) === 0;
const inPlace = (place: string): string => (place === "" ? "" : ` in ${place}`);

/** An incident in one line, as a phone shows it: "Webhooks fail in demo: 834 in 12 min, most with 503". */
export function incidentLine(incident: Incident, place: string, now: number): string {
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
  return `${what}: ${briefAmount(incident)}${countIn(incident.count) === 1 ? "" : span}${cause}`;
}

/** "834 of 1,200". Of events, more than connections are counted. */
function briefAmount(incident: Incident): string {
  const [count, total] = [formatCount(countIn(incident.count)), totalOf(incident)];
  if (total === undefined || incident.kind === "events") return count;
  return count === formatCount(total) ? `all ${count}` : `${count} of ${formatCount(total)}`;
}

const momentOf = (time: number): Phrase[number] => (Number.isFinite(time) ? { time } : "an unknown time");

/** What happened, in a few sentences. */
export function detailsOf(incident: Incident, now: number): Phrase {
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

/** "Recovered after 12 min, 834 failures" */
function recoveredWords(incident: Incident): string {
  const { over, counted } = namesOf(incident);
  return `${over} after ${lengthText(incident)}${isSlowness(incident) ? ":" : ","} ${counted}`;
}

/** " among 1,200 webhooks" */
function amongWords(incident: Incident): string {
  const total = totalOf(incident);
  return total === undefined || isSlowness(incident) ? "" : ` among ${amountOf(incident.kind, total)}`;
}

const lengthText = ({ began, ended = began }: Incident): string => spanText(ended - began);

/** "12 min", "less than a minute" */
const spanText = (length: number): string =>
  length >= MINUTE ? formatDuration(Math.floor(length / MINUTE) * MINUTE) : "less than a minute";

/** " (12 min)"; empty if it is less than a minute. */
const spanWords = (length: number): string => (length >= MINUTE ? ` (${spanText(length)})` : "");

function sinceWords({ began, count }: Incident, until: number): Phrase {
  if (countIn(count) === 1) return [" at ", momentOf(began)];
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

/** "came back 3 times"; empty if it did not. */
function backWords({ times }: Incident): string {
  if (!(times > 1)) return "";
  return `came back ${["once", "twice"][times - 2] ?? `${formatCount(times - 1)} times`}`;
}

/** ", most with 503" */
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

/** A share from 0 to 1 in percent. */
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
  const [earlier, later] = [countIn(before.count), countIn(after.count)];
  if (earlier > 0 && later >= MORE * earlier)
    return `${capital(namesOf(after).amount)} by now, ${formatCount(earlier)} before.`;
  const { measure, overMs } = after;
  const worst = [countIn(before.worst), countIn(after.worst)] as const;
  if (measure === "count" || worst[0] === 0 || worst[1] < WORSE * worst[0]) return undefined;
  const [was, is] = worst.map(isSlowness(after) ? formatDuration : shareText);
  if (isSlowness(after)) return `${measure} rose to ${is}, from ${was}.`;
  return `Up to ${is} ${namesOf(after).did} within ${formatWithin(overMs)}, ${was} before.`;
}

/** "The most frequent cause is now ICE timeout, before channel full; the worst is now client c2, before client c1." */
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
  return `${what} is now ${write(is)}, before ${write(was)}`;
}
