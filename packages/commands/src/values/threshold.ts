import type { LogKind } from "../api.js";
import { failureField, fieldsOf, kindSpec, kinds } from "../kinds.js";
import { capital, grouped, nearestOf, oneOfThese, quote, takes } from "../messages.js";
import { describeShortly, readDuration, writeDuration } from "../times.js";
import { nameOf } from "../words.js";
import { unitHint } from "./time-types.js";
import { type Choice, type Read, refused, understood, type ValueType } from "./value-type.js";

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
const measureWords: ReadonlyMap<string, Measure> = wordsFor([
  ["count", "count counts entries matches"],
  ["failed", "failed failure failures fail fails error errors"],
  ["p50", "p50 median"],
  ["p95", "p95 latency elapsed took"],
  ["p99", "p99"],
]);
/** What cannot be measured, and the nearest measure. */
const otherMeasures: ReadonlyMap<string, Measure> = wordsFor([
  ["count", "total number"],
  ["p50", "avg average mean"],
  ["p99", "max p999"],
]);

function wordsFor(rows: readonly (readonly [Measure, string])[]): ReadonlyMap<string, Measure> {
  return new Map(rows.flatMap(([measure, words]) => words.split(" ").map((word) => [word, measure] as const)));
}

const signs = {
  ">": [">", "more than", "greater than", "over", "above", "exceeds"],
  ">=": [">=", "=>", "≥", "at least"],
  "<": ["<", "<=", "=<", "≤", "less than", "fewer than", "under", "below", "at most"],
  "=": ["=", "==", ":", "is", "equals"],
} as const;
const signWords: ReadonlyMap<string, keyof typeof signs> = new Map(
  ([">", ">=", "<", "="] as const).flatMap((sign) => signs[sign].map((word) => [word, sign] as const)),
);

// The longest first, so that ">=" is not read as ">".
const SIGNS = [...signWords.keys()].sort((a, b) => b.length - a.length).join("|");
const WHOLE = new RegExp(`^(?:([a-z][a-z\\d]*) ?)?(${SIGNS}) ?(\\S.*)$`);

// The words that may follow, as in "p95 > 2 s" and "failed over 5 percent".
const SIGN_PARTS = "more|greater|less|fewer|than|at|least|most|over|above|under|below|exceeds|is|equals";
const MORE = new RegExp(`^(?:[<>=≥≤].*|\\d.*|%|percent|${SIGN_PARTS}|m?s|(?:sec|second|min|minute)s?)$`, "i");

/** The most that a percentile can be compared with. */
const MAX_MS = 24 * 3_600_000;

/** A limit that a measure must exceed: `count>20`, `failed>5%`, `p95>=2s`. Some logs have only entries to count. */
export const threshold: ValueType<Threshold> = {
  name: "limit",
  example: "count>20",
  spaced: true,
  more: MORE,
  distinctive: true,
  compares: [...measureWords.keys()],
  parse(text, { subject, kind }) {
    const typed = nameOf(text).trim().replaceAll(/\s+/g, " ");
    const [, name, form = "", value = ""] = WHOLE.exec(typed) ?? [];
    const sign = signWords.get(form);
    const measure = measureNamed(name, value);
    const nearSign = sign === ">=" || sign === "=" ? ">=" : ">";
    if (sign === "<") return refused("A watch reports what is more than a limit, never what is less: write > or >=.");
    if (sign === undefined || name === undefined) {
      // "more than 20" counts.
      if ((sign === ">" || sign === ">=") && measure === "count") return limitOf({ measure, value, sign, kind });
      return refused(takes(subject, wanted(kind), text), nearTo(sign ? value : typed, nearSign));
    }
    if (measure === undefined) {
      const near = measureNear(name);
      const nearest = near && `${near}${nearSign}${value}`;
      return refused(`${subject} compares ${oneOfThese(measuresOf(kind))}, not ${quote(name)}.`, nearest);
    }
    const [first = "", second] = value.split(/[,;&] ?(?=[a-z])/);
    if (second !== undefined) {
      return refused("A watch has one limit; make another watch for the other.", `${name}${nearSign}${first}`);
    }
    const missing = missingIn(measure, kind);
    if (missing) return refused(missing);
    if (sign === "=") {
      return refused(`${subject} compares with > or >=, not with ${quote(form)}.`, `${measure}>=${value}`);
    }
    return limitOf({ measure, value, sign, kind });
  },
  complete: ({ kind }) => usual.filter(([, , measure]) => measuresOf(kind).includes(measure)).map(choiceOf),
  write: ({ measure, limit, orEqual }) => `${measure}${orEqual ? ">=" : ">"}${writeLimit(measure, limit)}`,
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
const choiceOf = ([text, about]: readonly [string, string, ...unknown[]]): Choice => [text, about];

/** The measure that is named; without a name, a number counts. */
function measureNamed(name: string | undefined, value: string): Measure | undefined {
  if (name !== undefined) return measureWords.get(name);
  return /^\d+$/.test(value) ? "count" : undefined;
}

/** The measure that is meant by a word for another one. */
function measureNear(name: string): Measure | undefined {
  const near = otherMeasures.get(name) ?? measureWords.get(nearestOf(name, measureWords.keys()) ?? "");
  return near ?? (/^p[6-9]/.test(name) ? "p95" : undefined);
}

/** Whether the entries of a log can be measured so; all can as long as the kind is unknown. */
function hasMeasure(kind: LogKind, measure: Measure): boolean {
  if (measure === "count") return true;
  return measure === "failed" ? failureField(kind) !== undefined : hasElapsed(kind);
}

const hasElapsed = (kind: LogKind): boolean => fieldsOf(kind).some(({ wire }) => wire === "elapsed_time_ms");

function measuresOf(kind: LogKind | undefined): Measure[] {
  const all = [...new Set(measureWords.values())];
  return kind ? all.filter((measure) => hasMeasure(kind, measure)) : all;
}

/** Why a log has no such measure; undefined if it has. */
function missingIn(measure: Measure, kind: LogKind | undefined): string | undefined {
  if (kind === undefined || hasMeasure(kind, measure)) return undefined;
  const having = oneOfThese(
    kinds.filter((other) => hasMeasure(other, measure)).map((other) => kindSpec(other).one),
    "and",
  );
  const name = kindSpec(kind).one;
  const why = measure === "failed" ? `Nothing fails in ${name} logs` : `${capital(name)} logs have no elapsed times`;
  return `${why}; ${having} logs have ${measure === "failed" ? "failures" : "them"}. Count entries here: count>20.`;
}

/** What may be typed, by example. */
function wanted(kind: LogKind | undefined): string {
  const examples = usual.slice(0, 3).filter(([, , measure]) => measuresOf(kind).includes(measure));
  return `a measure and a limit, such as ${oneOfThese(examples.map(([text]) => text))}`;
}

/** The threshold that is meant by a measure or a limit alone: `p95`, `5%`, `20`. */
function nearTo(typed: string, sign: ">" | ">="): string | undefined {
  const named = measureWords.get(typed) ?? measureNear(typed);
  if (named) return usual.find(([, , measure]) => measure === named)?.[0];
  if (/^\d+$/.test(typed)) return `count${sign}${typed}`;
  if (PERCENT.test(typed)) return `failed${sign}${typed.replaceAll(" ", "")}`;
  return readDuration(typed) === undefined ? undefined : `p95${sign}${typed.replaceAll(" ", "")}`;
}

interface Typed {
  readonly measure: Measure;
  readonly value: string;
  readonly sign: ">" | ">=";
  readonly kind: LogKind | undefined;
}

const PERCENT = /^(\d{1,3}(?:[.,]\d{1,3})?) ?(?:%|percent)$/;

function limitOf(typed: Typed): Read<Threshold> {
  const { measure, sign } = typed;
  const read = measure === "count" ? readCount(typed) : measure === "failed" ? readShare(typed) : readTime(typed);
  return read.ok ? understood({ measure, limit: read.value, orEqual: sign === ">=" }) : read;
}

function readCount({ value, sign, kind }: Typed): Read<number> {
  const least = sign === ">=" ? 1 : 0;
  if (/^\d{1,9}$/.test(value) && Number(value) >= least) return understood(Number(value));
  if (PERCENT.test(value) && (kind === undefined || hasMeasure(kind, "failed"))) {
    const share = `failed${sign}${value.replaceAll(" ", "")}`;
    return refused(`count takes a number of entries; a share of them is ${share}.`, share);
  }
  const digits = value.replace(/\.\d{1,2}$/, "").replaceAll(/(?<=\d)[,_.' ](?=\d{3}(?!\d))/g, "");
  const near = /^\d{1,9}$/.test(digits) ? `${Math.max(Number(digits), least)}` : undefined;
  return refused(takes("count", `a whole number from ${least}`, value), near && `count${sign}${near}`);
}

function readShare({ value, sign }: Typed): Read<number> {
  const [, typed = ""] = PERCENT.exec(value) ?? [];
  const share = typed.includes(",") ? Number.NaN : Number(typed || Number.NaN) / 100;
  const isAny = share === 0 && sign === ">=";
  if (share < 1 && !isAny) return understood(toThousandths(share));
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    const reason = `failed takes a share in percent, such as 5%, not ${quote(value)}. To count failures, filter by the word failed.`;
    return refused(reason, `failed${sign}${value}%`);
  }
  const wantedShare = takes("failed", "a share from 0% to less than 100%, such as 5%", value);
  if (isAny) return refused(`${wantedShare} Any share is at least 0%.`, "failed>0%");
  if (typed.includes(",")) return refused(wantedShare, `failed${sign}${typed.replace(",", ".")}%`);
  const [, cut] = /^(\d{1,2}\.\d{3})\d+ ?%$/.exec(value) ?? [];
  if (cut !== undefined)
    return refused(`failed takes at most 3 decimals, not ${quote(value)}.`, `failed${sign}${cut}%`);
  return refused(wantedShare, share >= 1 ? `failed${sign}99%` : undefined);
}

// A share is kept to a thousandth of a percent, so that it is written as it was typed.
const toThousandths = (share: number): number => Math.round(share * 100_000) / 100_000;
const percentOf = (share: number): number => Math.round(share * 100_000) / 1000;

function readTime({ measure, value, sign }: Typed): Read<number> {
  const ms = Math.round(readDuration(value) ?? Number.NaN);
  if (ms >= 1 && ms <= MAX_MS) return understood(ms);
  const reason = `${takes(measure, "a duration up to 1 day, such as 500ms or 2s", value)}${Number.isNaN(ms) ? unitHint(value) : ""}`;
  if (ms > MAX_MS) return refused(reason, `${measure}${sign}${writeDuration(MAX_MS)}`);
  const [, count] = /^([1-9]\d{0,5}) ?[a-z]*$/.exec(value) ?? [];
  // The unit that makes the number a usual response time.
  const unit = Number(count) < 100 ? "s" : "ms";
  return refused(reason, count && `${measure}${sign}${count}${unit}`);
}

function writeLimit(measure: Measure, limit: number): string {
  if (measure === "count") return String(limit);
  return measure === "failed" ? `${percentOf(limit)}%` : writeDuration(limit);
}
