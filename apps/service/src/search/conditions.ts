import type { NumberTest, ProblemError, TextTest, TimeTest } from "@media-ops/contract";
import { type LogKind, WINDOW_MS } from "../logs/log-store.js";
import {
  type Column,
  columnsOf,
  type EntryRow,
  type FieldRange,
  failureFields,
  logFields,
  SEQ_COLUMN,
} from "./columns.js";
import { END_OF_TIME, type KeyRange, keyOfMs, later, microsOf, momentKey } from "./moments.js";

/** A request for entries that contradicts itself, or would take too long. Each fault names its member of the body. */
export class InvalidSearch extends Error {
  override readonly name = "InvalidSearch";
  readonly faults: readonly ProblemError[];

  constructor(...faults: readonly ProblemError[]) {
    super(faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(" "));
    this.faults = faults;
  }
}

/** The `where` of a request, valid by the contract's schema for its log. */
export type Where = Readonly<Record<string, FieldTest | undefined>>;

type FieldTest = NumberTest | TextTest | TimeTest | boolean;
type Predicate<Value> = (value: Value) => boolean;

/** The values of an id field, one of which every matching entry has. */
interface IdLookup {
  readonly field: string;
  readonly ids: readonly string[];
}

interface Condition {
  readonly columns: readonly string[];
  /** Whether a value meets it; undefined or NaN stands for an entry without the field. */
  holds(value: string | number | undefined): boolean;
  /** The same as a comparison of numbers, or of times in µs. */
  readonly comparison?: Comparison<number>;
  readonly ids?: IdLookup | undefined;
  /** Whether only entries that failed can meet it. */
  readonly onlyFailed?: boolean;
}

/** The conditions of a request, all of which an entry must meet. */
export interface Conditions {
  readonly all: readonly Condition[];
  /** How many entries are tested between two pauses: fewer if each is compared with many values. */
  readonly atOnce: number;
  /** The values by which the index of ids finds the entries; undefined if no condition names ids. */
  readonly ids: IdLookup | undefined;
  /** If only entries that failed can meet all of them, the field that shows it. */
  readonly failedBy: string | undefined;
}

// Beyond this, reading a column costs less than the look-ups.
const MAX_IDS = 256;
// The fields whose values occur in the fewest entries come first.
const RAREST_FIRST = ["connection_id", "session_id", "client_id", "jwt_id", "channel_id", "bundle_id"];

// With these limits, an entry is tested within a millisecond, even one with long texts.
const MAX_TESTS = 200;
const MAX_TEXT_BYTES = 4096;
// Most tests take a fraction of a microsecond, those of long texts some microseconds.
const TESTS = 512;

/** Compiles a `where`. Throws `InvalidSearch` if testing an entry would take too long. */
export function compileWhere(kind: LogKind, projectId: string, where: Where = {}): Conditions {
  const values = valuesIn(where);
  checkCost(values);
  const all = Object.entries(where).flatMap(([name, test]) =>
    test === undefined ? [] : [toCondition(kind, projectId, name, test)],
  );
  const lookups = all.flatMap(({ ids }) => (ids && ids.ids.length <= MAX_IDS ? [ids] : []));
  const rank = ({ field }: IdLookup): number => RAREST_FIRST.indexOf(field);
  return {
    all,
    atOnce: Math.max(1, Math.floor(TESTS / Math.max(1, values.length))),
    ids: lookups.sort((one, other) => rank(one) - rank(other))[0],
    failedBy: all.some(({ onlyFailed }) => onlyFailed) ? failureFields[kind]?.name : undefined,
  };
}

/** The rows that meet all conditions. `pause` is called between short pieces of work. */
export async function matching(
  { all, atOnce }: Conditions,
  { kind, rows }: { kind: LogKind; rows: readonly EntryRow[] },
  pause: () => Promise<void>,
): Promise<readonly EntryRow[]> {
  if (all.length === 0 || rows.length === 0) return rows;
  const column = await columnsOf(kind, { rows, names: all.flatMap(({ columns }) => columns) }, pause);
  const tests = all.map((condition) => testOf(condition, condition.columns.map(column)));
  const found: EntryRow[] = [];
  for (const [at, row] of rows.entries()) {
    if (at % atOnce === 0) await pause();
    if (tests.every((holds) => holds(at))) found.push(row);
  }
  return found;
}

/** Returns a function that tests the entry at a position of the condition's columns. */
export function testOf({ holds }: Condition, [first, second]: readonly Column[]): Predicate<number> {
  if (first?.type === "text") {
    const { dictionary, codes } = first;
    // Each text is tested once, when it first occurs.
    const known: (boolean | undefined)[] = [];
    return (at) => {
      const code = codes[at] ?? 0;
      const answer = known[code] ?? holds(dictionary[code] ?? undefined);
      known[code] = answer;
      return answer;
    };
  }
  const numbersIn = (one: Column | undefined): ArrayLike<number> => (one?.type === "number" ? one.values : []);
  const [values, others] = [numbersIn(first), second && numbersIn(second)];
  if (!others) return (at) => holds(values[at]);
  return (at) => holds((values[at] ?? Number.NaN) + (others[at] ?? Number.NaN));
}

// Of a segment that was built before the field was known.
const NO_VALUES: FieldRange = { values: [null] };

/** Whether an entry of a segment may meet all conditions, by the ranges of its fields. */
export const mayHold = ({ all }: Conditions, fields: Readonly<Record<string, FieldRange>>): boolean =>
  all.every(({ columns, holds, comparison }) => {
    const ranges = columns.map((name) => fields[name] ?? (name === SEQ_COLUMN ? {} : NO_VALUES));
    const [{ values } = {}, ...others] = ranges;
    if (values && others.length === 0) return values.some((value) => holds(value ?? undefined));
    const low = ranges.reduce((sum, { min = Number.NaN }) => sum + min, 0);
    const high = ranges.reduce((sum, { max = Number.NaN }) => sum + max, 0);
    return comparison === undefined || Number.isNaN(low + high) || canHold(comparison, low, high);
  });

/** The range that a body asks for, within the last 30 days. Throws `InvalidSearch` if it ends before it begins. */
export function parseRange(
  { since, until }: { readonly since?: string; readonly until?: string },
  now: number,
): KeyRange {
  const start = keyOfMs(now - WINDOW_MS);
  const from = since === undefined ? start : (momentKey(since) ?? start);
  const end = until === undefined ? END_OF_TIME : (momentKey(until) ?? END_OF_TIME);
  if (since !== undefined && until !== undefined && from >= end) {
    const detail = `Must be later than since, which is ${since}, but is ${until}. Send a later time, or leave one of them out.`;
    throw new InvalidSearch({ pointer: "/until", detail });
  }
  return { from: later(from, start), until: end };
}

const valuesIn = (test: unknown): unknown[] =>
  typeof test === "object" && test !== null ? Object.values(test).flatMap(valuesIn) : [test];

function checkCost(values: readonly unknown[]): void {
  const texts = values.filter((value) => typeof value === "string");
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const fault = (limit: string, found: number): ProblemError[] => {
    const detail = `Must have at most ${limit}, but has ${found}. Split it into several calls.`;
    return [{ pointer: "/where", detail }];
  };
  const faults = [
    ...(values.length > MAX_TESTS ? fault(`${MAX_TESTS} values to compare with`, values.length) : []),
    ...(bytes > MAX_TEXT_BYTES ? fault(`${MAX_TEXT_BYTES} bytes of text to compare with`, bytes) : []),
  ];
  if (faults.length > 0) throw new InvalidSearch(...faults);
}

function toCondition(kind: LogKind, projectId: string, name: string, test: FieldTest): Condition {
  const failure = failureFields[kind];
  // The contract's schema has checked that each test suits its field.
  switch (name) {
    case "total_bytes":
      return numberCondition(["total_received_bytes", "total_sent_bytes"], test as NumberTest);
    case "channel":
      return textCondition("channel_id", test as TextTest, {
        derive: channelName,
        // An id without a project is its own name.
        idsOf: (channel) => [`${channel}@${projectId}`, channel],
      });
    case "from":
      return textCondition("url", test as TextTest, { derive: callerOf });
  }
  if (name === "failed" && failure) {
    const holds = (value: unknown): boolean => failure.hasFailed(value) === test;
    return { columns: [failure.name], holds, onlyFailed: test === true };
  }
  const field = logFields[kind].find((one) => one.name === name);
  if (!field) throw new Error(`The contract has the condition ${name}, which the ${kind} log does not know.`);
  if (field.type === "time") return timeCondition(name, test as TimeTest);
  const condition =
    field.type === "number"
      ? numberCondition([name], test as NumberTest)
      : textCondition(name, test as TextTest, field.isId ? { idsOf: (id) => [id] } : {});
  return { ...condition, onlyFailed: name === failure?.name && impliesFailed(condition) };
}

// No number lies between this one and the lowest status of an error.
const BELOW_ERRORS = 400 - 2 ** -44;

/** Whether only statuses of calls that failed, or outcomes of events that failed, meet a condition. */
const impliesFailed = ({ holds, comparison }: Condition): boolean =>
  !holds(undefined) &&
  (comparison
    ? !canHold(comparison, Number.NEGATIVE_INFINITY, -Number.MIN_VALUE) &&
      !canHold(comparison, Number.MIN_VALUE, BELOW_ERRORS)
    : !holds("ok"));

function channelName(channelId: string): string {
  const at = channelId.lastIndexOf("@");
  return at === -1 ? channelId : channelId.slice(0, at);
}

/** The program that made a call, as named by `from` in the query of the call's URL. */
export function callerOf(url: string): string | undefined {
  const start = url.indexOf("?");
  if (start === -1) return undefined;
  return new URLSearchParams(url.slice(start).replace(/#.*$/s, "")).get("from") ?? undefined;
}

function numberCondition(columns: readonly string[], test: NumberTest): Condition {
  const holds = toComparing(test);
  return { columns, holds: (value) => holds(typeof value === "number" ? value : undefined), comparison: test };
}

/** Compares times as µs in columns in which none has more digits, and as sort keys in others. */
function timeCondition(name: string, test: TimeTest): Condition {
  const comparison = mapTimes(test, (moment) => microsOf(keyOfMoment(moment)));
  const [byKey, byMicros] = [toComparing(mapTimes(test, keyOfMoment)), toComparing(comparison)];
  const holds: Condition["holds"] = (value) => (typeof value === "number" ? byMicros(value) : byKey(value));
  return { columns: [name], holds, comparison };
}

interface TextOptions {
  /** The tested part of the field's text. @default the text */
  derive?(text: string): string | undefined;
  /** The values of an id field whose tested part is this text; undefined if the field is not an id. */
  idsOf?(text: string): string[];
}

function textCondition(name: string, test: TextTest, { derive = (text) => text, idsOf }: TextOptions): Condition {
  const holds = toTextPredicate(test);
  const ids = idsOf && namedIn(test)?.flatMap(idsOf);
  return {
    columns: [name],
    holds: (value) => holds(typeof value === "string" ? derive(value) : undefined),
    ids: ids && { field: name, ids },
  };
}

interface Combined<Test> {
  readonly any?: readonly Test[] | undefined;
  readonly all?: readonly Test[] | undefined;
  readonly not?: Test | undefined;
}

/** A test as one predicate: all of its members hold. */
function toPredicate<Test extends Combined<Test>, Value>(
  test: Test,
  leavesOf: (test: Test) => Predicate<Value>[],
): Predicate<Value> {
  const compile = (part: Test): Predicate<Value> => toPredicate(part, leavesOf);
  const parts = [...leavesOf(test), ...(test.all ?? []).map(compile)];
  if (test.any) {
    const any = test.any.map(compile);
    parts.push((value) => any.some((holds) => holds(value)));
  }
  if (test.not) {
    const denied = compile(test.not);
    parts.push((value) => !denied(value));
  }
  const [only, ...others] = parts;
  return only && others.length === 0 ? only : (value) => parts.every((holds) => holds(value));
}

interface Comparison<Value> extends Combined<Comparison<Value>> {
  readonly eq?: Value | readonly Value[];
  readonly gt?: Value;
  readonly gte?: Value;
  readonly lt?: Value;
  readonly lte?: Value;
}

/** No comparison with an absent value holds, which is undefined or NaN. */
const toComparing = <Value extends number | string>(test: Comparison<Value>): Predicate<Value | undefined> =>
  toPredicate(test, ({ eq, gt, gte, lt, lte }) => {
    const leaves: Predicate<Value | undefined>[] = [];
    if (Array.isArray(eq)) leaves.push((value) => eq.some((one) => one === value));
    else if (eq !== undefined) leaves.push((value) => value === eq);
    if (gt !== undefined) leaves.push((value) => value !== undefined && value > gt);
    if (gte !== undefined) leaves.push((value) => value !== undefined && value >= gte);
    if (lt !== undefined) leaves.push((value) => value !== undefined && value < lt);
    if (lte !== undefined) leaves.push((value) => value !== undefined && value <= lte);
    return leaves;
  });

const toTextPredicate = (test: TextTest): Predicate<string | undefined> => toPredicate(test, textLeaves);

function textLeaves({ eq, contains, starts_with, like }: TextTest): Predicate<string | undefined>[] {
  const leaf = (wanted: string | readonly string[] | undefined, toTest: (one: string) => Predicate<string>) => {
    if (wanted === undefined) return [];
    const tests = [wanted].flat().map(toTest);
    return [(text: string | undefined) => text !== undefined && tests.some((holds) => holds(text))];
  };
  return [
    ...leaf(eq, (one) => (text) => text === one),
    ...leaf(contains, (one) => {
      const part = one.toLowerCase();
      return (text) => text.includes(part);
    }).map((holds) => (text: string | undefined) => holds(text?.toLowerCase())),
    ...leaf(starts_with, (one) => (text) => text.startsWith(one)),
    ...leaf(like, toPattern),
  ];
}

/** A pattern with `*`. Takes each part where it first occurs: no pattern makes it try the same text again. */
function toPattern(pattern: string): Predicate<string> {
  // The texts between the stars, without escapes.
  const texts = [""];
  for (const part of pattern.match(/(?:\\[\\*]|[^*])+|\*/g) ?? []) {
    if (part === "*") texts.push("");
    else texts[texts.length - 1] += part.replace(/\\([\\*])/g, "$1");
  }
  const [first = "", ...rest] = texts;
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    for (const part of rest) {
      const at = text.indexOf(part, from);
      if (at === -1) return false;
      from = at + part.length;
    }
    return from + last.length <= text.length;
  };
}

function canHold({ eq, gt, gte, lt, lte, any, all }: Comparison<number>, low: number, high: number): boolean {
  const named = eq === undefined ? undefined : [eq].flat();
  return (
    (gt === undefined || high > gt) &&
    (gte === undefined || high >= gte) &&
    (lt === undefined || low < lt) &&
    (lte === undefined || low <= lte) &&
    (named === undefined || named.some((one) => low <= one && one <= high)) &&
    (any === undefined || any.some((part) => canHold(part, low, high))) &&
    (all === undefined || all.every((part) => canHold(part, low, high)))
    // What `not` denies may hold for another number of the range, or for an entry without one.
  );
}

function mapTimes<Value>({ any, all, not, ...bounds }: TimeTest, map: (moment: string) => Value): Comparison<Value> {
  return {
    ...Object.fromEntries(Object.entries(bounds).map(([name, moment]) => [name, map(moment)])),
    ...(any && { any: any.map((part) => mapTimes(part, map)) }),
    ...(all && { all: all.map((part) => mapTimes(part, map)) }),
    ...(not && { not: mapTimes(not, map) }),
  };
}

function keyOfMoment(moment: string): string {
  const key = momentKey(moment);
  if (key === undefined) throw new Error(`The contract accepts ${moment}, which is not a time.`);
  return key;
}

/** The texts of which one must occur; undefined if the test names none. */
function namedIn(test: TextTest): readonly string[] | undefined {
  if (test.eq !== undefined) return [test.eq].flat();
  for (const part of test.all ?? []) {
    const named = namedIn(part);
    if (named) return named;
  }
  const parts = test.any?.map(namedIn);
  return parts?.every((part) => part !== undefined) ? parts.flat() : undefined;
}
