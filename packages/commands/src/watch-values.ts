import type { LogKind } from "@media-ops/contract";
import { failureField, fieldsOf, kindSpec, kinds } from "./kinds.js";
import { describeShortly, readDuration, readTimeOfDay, writeDuration, writeTimeOfDay } from "./times.js";
import { type Choice, type Read, refused, understood, unitHint, type ValueType } from "./values.js";
import {
  capital,
  grouped,
  harmless,
  nameOf,
  nearestOf,
  oneOfThese,
  quote,
  shorten,
  takes,
  writeText,
} from "./words.js";

/** What a watch measures, and the limit above which it reports. */
export interface Threshold {
  /** The number of matching entries, the share of them that failed, or a percentile of their elapsed times. */
  readonly measure: Measure;
  /** A number of entries, a share from 0 to 1, or milliseconds. */
  readonly limit: number;
  /** Whether the limit itself already counts. */
  readonly orEqual: boolean;
}

type Measure = "count" | "failed" | "p50" | "p95" | "p99";

/** The words for each measure. Latency alone means the usual percentile. */
const measureWords: Readonly<Record<Measure, string>> = {
  count: "count counts entries matches",
  failed: "failed failure failures fail fails error errors",
  p50: "p50 median",
  p95: "p95 latency elapsed took",
  p99: "p99",
};
const measures: readonly Measure[] = ["count", "failed", "p50", "p95", "p99"];
const measureOf: ReadonlyMap<string, Measure> = new Map(
  measures.flatMap((measure) => measureWords[measure].split(" ").map((word) => [word, measure] as const)),
);

const MORE = /^(?:>|more than|greater than|over|above|exceeds)$/;
// The longest sign first, so that ">=" is not read as ">".
const WHOLE =
  /^(?:([a-z][a-z\d]*) ?)?(greater than|fewer than|more than|less than|at least|at most|exceeds|equals|below|under|above|over|is|>=|=>|<=|=<|==|>|≥|<|≤|=|:) ?(\S.*)$/;

/** The most that a percentile can be compared with. */
const MAX_MS = 24 * 3_600_000;

/** A limit that a measure must exceed: `count>20`, `failed>5%`, `p95>=2s`. Some logs have only entries to count. */
export const threshold: ValueType<Threshold> = {
  name: "limit",
  example: "count>20",
  spaced: true,
  distinctive: true,
  compares: [...measureOf.keys()],
  parse(text, { subject, kind }) {
    const typed = nameOf(text).trim().replaceAll(/\s+/g, " ");
    // "more than 20" counts.
    const [, name = /^\D+\d+$/.test(typed) ? "count" : "", sign = "", value = ""] = WHOLE.exec(typed) ?? [];
    if (value === "" || name === "") {
      const examples = usual.slice(0, 3).filter(([, , measure]) => measuresOf(kind).includes(measure));
      return refused(
        takes(subject, `a measure and a limit, such as ${oneOfThese(examples.map(([such]) => such))}`, text),
      );
    }
    const measure = measureOf.get(name);
    const orEqual = /^(?:>=|=>|≥|at least)$/.test(sign);
    if (!orEqual && !MORE.test(sign)) {
      return refused("A watch reports what is more than a limit, never what is less or equal: write > or >=.");
    }
    if (measure === undefined) {
      const near = nearestOf(name, measureOf.keys());
      const wanted = `${subject} compares ${oneOfThese(measuresOf(kind))}, not ${quote(name)}.`;
      return refused(wanted, near && `${near}${orEqual ? ">=" : ">"}${value}`);
    }
    const missing = missingIn(measure, kind);
    if (missing) return refused(missing);
    const read = readLimit(measure, value, orEqual);
    return read.ok ? understood({ measure, limit: read.value, orEqual }) : read;
  },
  complete: ({ kind }) =>
    usual.flatMap(([text, about, measure]): Choice[] => (measuresOf(kind).includes(measure) ? [[text, about]] : [])),
  write({ measure, limit, orEqual }) {
    const written = measure === "count" ? limit : measure === "failed" ? `${percentOf(limit)}%` : writeDuration(limit);
    return `${measure}${orEqual ? ">=" : ">"}${written}`;
  },
  describe({ measure, limit, orEqual }) {
    const more = orEqual ? "at least" : "more than";
    if (measure === "count") return `${more} ${grouped(limit)}`;
    if (measure === "failed") return `${more} ${percentOf(limit)}% failed`;
    return `${measure} ${orEqual ? "at least" : "above"} ${describeShortly(limit)}`;
  },
};

const usual: readonly (readonly [text: string, about: string, measure: Measure])[] = [
  ["count>20", "more than 20 entries", "count"],
  ["failed>5%", "more than 5% of the entries failed", "failed"],
  ["p95>2s", "one in 20 took longer than 2 seconds", "p95"],
  ["p99>5s", "one in 100 took longer than 5 seconds", "p99"],
  ["p50>1s", "half took longer than a second", "p50"],
];

/** Whether the entries of a log can be measured so. */
function hasMeasure(kind: LogKind, measure: Measure): boolean {
  if (measure === "count") return true;
  if (measure === "failed") return failureField(kind) !== undefined;
  return fieldsOf(kind).some(({ wire }) => wire === "elapsed_time_ms");
}

/** The measures of a log; all as long as the kind is unknown. */
function measuresOf(kind: LogKind | undefined): readonly Measure[] {
  return kind ? measures.filter((measure) => hasMeasure(kind, measure)) : measures;
}

/** Why a log has no such measure; undefined if it has. */
function missingIn(measure: Measure, kind: LogKind | undefined): string | undefined {
  if (measuresOf(kind).includes(measure) || kind === undefined) return undefined;
  const having = kinds.filter((other) => hasMeasure(other, measure)).map((other) => kindSpec(other).one);
  const name = kindSpec(kind).one;
  const why = measure === "failed" ? `Nothing fails in ${name} logs` : `${capital(name)} logs have no elapsed times`;
  const what = measure === "failed" ? "failures" : "them";
  return `${why}; ${oneOfThese(having, "and")} logs have ${what}. Count entries here: count>20.`;
}

function readLimit(measure: Measure, value: string, orEqual: boolean): Read<number> {
  if (measure === "count") {
    const least = orEqual ? 1 : 0;
    const isCount = /^\d{1,9}$/.test(value) && Number(value) >= least;
    return isCount ? understood(Number(value)) : refused(takes("count", `a whole number from ${least}`, value));
  }
  if (measure === "failed") {
    const [, percent] = /^(\d{1,2}(?:\.\d{1,3})?) ?(?:%|percent)$/.exec(value) ?? [];
    // A share is kept to a thousandth of a percent, so that it is written as it was typed.
    const share = Math.round(Number(percent) * 1000) / 100_000;
    if (percent !== undefined && !(orEqual && share === 0)) return understood(share);
    const wanted = takes("failed", "a share from 0% to less than 100%, such as 5%", value);
    return refused(/^\d+$/.test(value) ? `${wanted} To count failures, filter by the word failed.` : wanted);
  }
  const ms = Math.round(readDuration(value) ?? Number.NaN);
  if (ms >= 1 && ms <= MAX_MS) return understood(ms);
  const hint = Number.isNaN(ms) ? unitHint(value) : "";
  return refused(`${takes(measure, "a duration up to 1 day, such as 500ms or 2s", value)}${hint}`);
}

const percentOf = (share: number): number => Math.round(share * 100_000) / 1000;

/** A span of every day, in minutes of the day. One that ends before it begins goes on through midnight. */
export interface DailySpan {
  /** The first minute of the span. */
  readonly from: number;
  /** The minute at which it ends, which is excluded. */
  readonly to: number;
}

const OFF = "off";
const offWords = [OFF, "never", "none"];

/** A time of day in minutes, such as 540 for `09:00`, `9` or `9am`; or `off`. */
export const timeOfDay: ValueType<number | typeof OFF> = {
  name: "time",
  example: "09:00",
  spaced: true,
  distinctive: true,
  parse(text, { subject }) {
    const typed = nameOf(text);
    if (offWords.includes(typed)) return understood(OFF);
    const minute = readTimeOfDay(typed);
    if (minute !== undefined) return understood(minute);
    const wanted = "a time of day, such as 09:00 or 9pm, or off";
    return refused(takes(subject, wanted, text), nearestOf(typed, offWords) && OFF);
  },
  complete: () => [
    ["09:00", "nine in the morning"],
    ["17:30", "half past five in the afternoon"],
    [OFF, "no more"],
  ],
  write: (time) => (time === OFF ? OFF : writeTimeOfDay(time)),
  describe: (time) => (time === OFF ? OFF : `at ${writeTimeOfDay(time)}`),
};

// A range of times is also written with two dots, a wave or a word.
const SPAN = /^(?:from )?(.*?[^ .])(?: ?(?:[-–—−~]|\.{2,3}|…) ?| (?:to|until|till) )([^ .-].*)$/;

/** A span of every day: `22:00-07:00`, `22-7`, `10pm to 7am`. */
export const dailySpan: ValueType<DailySpan> = {
  name: "span",
  example: "22:00-07:00",
  spaced: true,
  distinctive: true,
  parse(text, { subject }) {
    const wanted = "two times of day, such as 22:00-07:00";
    const [, first = "", second = ""] = SPAN.exec(nameOf(text).trim().replaceAll(/\s+/g, " ")) ?? [];
    const [from, to] = [readTimeOfDay(first), readTimeOfDay(second)];
    if (from === undefined || to === undefined) return refused(takes(subject, wanted, text));
    if (from !== to) return understood({ from, to });
    return refused(`${subject} takes ${wanted}; ${writeTimeOfDay(from)} is both its start and its end.`);
  },
  complete: () => [
    ["22:00-07:00", "every night"],
    ["18:00-09:00", "outside office hours"],
  ],
  write: ({ from, to }) => `${writeTimeOfDay(from)}-${writeTimeOfDay(to)}`,
  describe: ({ from, to }) => `${writeTimeOfDay(from)} to ${writeTimeOfDay(to)}`,
};

// A channel's name, or its id. Slack itself writes <#C0123|general>.
const SLACK_CHANNEL = /^#([\p{L}\p{M}\p{N}_-]{1,80})$|^<#([A-Z\d]{1,80})(?:\|[^<>]*)?>$/u;

/** A channel of Slack, by its name or id without the sign before it: `general` for `#general`. */
export const slackChannel: ValueType<string> = {
  name: "channel",
  example: "#general",
  distinctive: true,
  parse(text, { subject }) {
    const [, named, linked] = SLACK_CHANNEL.exec(text) ?? [];
    const channel = named ?? linked;
    if (channel !== undefined) return understood(channel);
    if (/[#<>]/.test(text)) return refused(takes(subject, "a channel such as #general", text));
    // Elsewhere, the same word names the project.
    const project = shorten(writeText(text), 50);
    return refused(`${subject} takes a channel such as #general; project:${project} names the project.`);
  },
  complete: () => [],
  write: (channel) => `#${channel}`,
  describe: (channel) => `#${harmless(channel)}`,
};
