import type { NumberTest, ProblemError, TextTest, TimeTest } from "@media-ops/contract";
import { type LogKind, sortKey } from "../logs/log-store.js";
import { badInput } from "../refusal.js";
import { type Failure, failureOf } from "./failures.js";
import { type Field, logFields } from "./fields.js";
import {
  canHold,
  inMicros,
  namedIn,
  type Predicate,
  toNumberPredicate,
  toTextPredicate,
  toTimePredicate,
} from "./predicates.js";
import type { ParsedEntry } from "./rollups.js";
import type { Column, FieldRange } from "./segments.js";

/** The `where` of a request, valid by the contract's schema for its log. */
export type Where = Readonly<Record<string, NumberTest | TextTest | TimeTest | boolean | undefined>>;

/** Some values of an id field of which a matching entry has one. */
interface IdLookup {
  readonly field: string;
  readonly ids: readonly string[];
}

/** A condition on one or two fields of an entry. */
interface Condition {
  /** The columns that it reads. */
  readonly columns: readonly string[];
  /** Whether an entry meets it. */
  holds(entry: ParsedEntry): boolean;
  /** Whether an entry of a segment may meet it. */
  mayHold(fields: Readonly<Record<string, FieldRange>>): boolean;
  /** Whether the entry at an index may meet it, by its columns in the order of `columns`. */
  holdsAt(columns: readonly Column[]): (index: number) => boolean;
  readonly ids: IdLookup | undefined;
  /** Whether only entries that failed can meet it. */
  readonly onlyFailed?: boolean;
}

/** What a request asks of entries. */
export interface Conditions {
  readonly all: readonly Condition[];
  /** How many values an entry may have to be compared with. */
  readonly tests: number;
  /** Whether an entry meets all of them. */
  hold(entry: ParsedEntry): boolean;
  /** Whether an entry of a segment may meet all of them. */
  mayHold(fields: Readonly<Record<string, FieldRange>>): boolean;
  /** The values by which the index of ids finds the entries; undefined if no condition names ids. */
  readonly ids: IdLookup | undefined;
  /** If only entries that failed can meet all of them, the field that shows it. */
  readonly failedBy: string | undefined;
}

// Reading a column costs less than looking up more of them.
const MAX_IDS = 256;
// The fields whose values occur in the fewest entries come first.
const RAREST_FIRST = ["connection_id", "session_id", "client_id", "jwt_id", "channel_id", "bundle_id"];

// An entry is tested within a millisecond, even one with long texts.
const MAX_TESTS = 200;
const MAX_TEXT_BYTES = 4096;

/** The values that a test compares with. */
const valuesIn = (test: unknown): unknown[] =>
  typeof test === "object" && test !== null ? Object.values(test).flatMap(valuesIn) : [test];

/** @throws {Refusal} if testing an entry would take too long. */
function checkCost(values: readonly unknown[]): void {
  const bytes = values.reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? Buffer.byteLength(value) : 0),
    0,
  );
  const fault = (limit: string, found: number): ProblemError => ({
    pointer: "/where",
    detail: `Must have at most ${limit}, but has ${found}. Split it into several calls.`,
  });
  const faults = [
    ...(values.length > MAX_TESTS ? [fault(`${MAX_TESTS} values to compare with`, values.length)] : []),
    ...(bytes > MAX_TEXT_BYTES ? [fault(`${MAX_TEXT_BYTES} bytes of text to compare with`, bytes)] : []),
  ];
  if (faults.length > 0) throw badInput(faults);
}

/**
 * Compiles a `where`.
 *
 * @throws {Refusal} if testing an entry would take too long.
 */
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
    tests: values.length,
    hold: (entry) => all.every((condition) => condition.holds(entry)),
    mayHold: (fields) => all.every((condition) => condition.mayHold(fields)),
    ids: lookups.sort((one, other) => rank(one) - rank(other))[0],
    failedBy: all.some((condition) => condition.onlyFailed) ? failureOf(kind)?.field : undefined,
  };
}

type Test = NumberTest | TextTest | TimeTest | boolean;

function toCondition(kind: LogKind, projectId: string, name: string, test: Test): Condition {
  const failure = failureOf(kind);
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
  if (name === "failed" && failure) return failedCondition(failure, test === true);
  const field = logFields[kind].find((one) => one.name === name);
  if (!field) throw new Error(`The contract has the condition ${name}, which the ${kind} log does not know.`);
  const onlyFailed = name === failure?.field && failure.isImpliedBy(test as NumberTest | TextTest);
  return { ...fieldCondition(field, test), onlyFailed };
}

function fieldCondition({ name, type, isId }: Field, test: Test): Condition {
  switch (type) {
    case "number":
      return numberCondition([name], test as NumberTest);
    case "time":
      return timeCondition(name, test as TimeTest);
    case "text":
      return textCondition(name, test as TextTest, isId ? { idsOf: (id) => [id] } : {});
  }
}

/** Whether an entry failed, or did not; one that doesn't show it meets neither. */
function failedCondition({ field, hasFailed }: Failure, wanted: boolean): Condition {
  const holds = (value: unknown): boolean => hasFailed(value) === wanted;
  return {
    columns: [field],
    holds: (entry) => holds(entry[field]),
    mayHold: (fields) => rangeOf(fields, field).values?.some(holds) ?? true,
    holdsAt: (columns) => (columns[0]?.type === "text" ? textsAt(holds) : numbersAt(holds))(columns),
    ids: undefined,
    onlyFailed: wanted,
  };
}

// Of a segment that was built before the field was known.
const NO_VALUES: FieldRange = { values: [null] };

const rangeOf = (fields: Readonly<Record<string, FieldRange>>, name: string): FieldRange => fields[name] ?? NO_VALUES;

/** The part of a channel id before its last `@`. */
function channelName(channelId: string): string {
  const at = channelId.lastIndexOf("@");
  return at === -1 ? channelId : channelId.slice(0, at);
}

/** The program that made a call, as the `from` in the query of its URL names it. */
export function callerOf(url: string): string | undefined {
  const start = url.indexOf("?");
  if (start === -1) return undefined;
  return new URLSearchParams(url.slice(start).replace(/#.*$/s, "")).get("from") ?? undefined;
}

/** A test on numbers; NaN stands for an entry without the number. With two columns, it is on their sum. */
function numberCondition(columns: readonly string[], test: NumberTest): Condition {
  const holds = toNumberPredicate(test);
  const sumIn = (entry: ParsedEntry): number => columns.reduce((sum, name) => sum + toNumber(entry[name]), 0);
  return {
    columns,
    holds: (entry) => holds(sumIn(entry)),
    mayHold: (fields) => mayHoldIn(fields, columns, test, holds),
    holdsAt: numbersAt(holds),
    ids: undefined,
  };
}

function mayHoldIn(
  fields: Readonly<Record<string, FieldRange>>,
  columns: readonly string[],
  test: NumberTest,
  holds: Predicate<number>,
): boolean {
  const ranges = columns.map((name) => rangeOf(fields, name));
  const [{ values } = {}, ...others] = ranges;
  if (values && others.length === 0) return values.some((value) => holds(toNumber(value)));
  const low = ranges.reduce((sum, { min = Number.NaN }) => sum + min, 0);
  const high = ranges.reduce((sum, { max = Number.NaN }) => sum + max, 0);
  return Number.isNaN(low + high) || canHold(test, low, high);
}

const toNumber = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);

function numbersAt(holds: Predicate<number>): Condition["holdsAt"] {
  return ([first, second]) => {
    if (first?.type !== "number") return () => true;
    if (second === undefined) return (index) => holds(first.values[index] ?? Number.NaN);
    if (second.type !== "number") return () => true;
    return (index) => holds((first.values[index] ?? Number.NaN) + (second.values[index] ?? Number.NaN));
  };
}

/** Times are compared as sort keys, and in columns as µs if none has more digits. */
function timeCondition(name: string, test: TimeTest): Condition {
  const holds = toTimePredicate(test);
  const micros = inMicros(test);
  const holdsInMicros = toNumberPredicate(micros);
  return {
    columns: [name],
    holds: (entry) => holds(keyOf(entry[name])),
    mayHold(fields) {
      const { values } = rangeOf(fields, name);
      if (values?.some((value) => typeof value === "string")) return values.some((value) => holds(toText(value)));
      return mayHoldIn(fields, [name], micros, holdsInMicros);
    },
    holdsAt: (columns) => (columns[0]?.type === "text" ? textsAt(holds) : numbersAt(holdsInMicros))(columns),
    ids: undefined,
  };
}

// Stored times end with Z.
const keyOf = (value: unknown): string | undefined => (typeof value === "string" ? sortKey(value) : undefined);

interface TextOptions {
  /** The tested part of the field's text. @default the text */
  derive?(text: string): string | undefined;
  /** The values of an id field whose tested part is this text; undefined if the field is not an id. */
  idsOf?(text: string): string[];
}

function textCondition(name: string, test: TextTest, { derive = (text) => text, idsOf }: TextOptions): Condition {
  const onPart = toTextPredicate(test);
  const holds = (text: string | undefined): boolean => onPart(text === undefined ? undefined : derive(text));
  const ids = idsOf && namedIn(test)?.flatMap(idsOf);
  return {
    columns: [name],
    holds: (entry) => holds(toText(entry[name])),
    mayHold: (fields) => rangeOf(fields, name).values?.some((value) => holds(toText(value))) ?? true,
    holdsAt: textsAt(holds),
    ids: ids && { field: name, ids },
  };
}

const toText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Tests each text of a dictionary once, when it first occurs. */
function textsAt(holds: Predicate<string | undefined>): Condition["holdsAt"] {
  return ([column]) => {
    if (column?.type !== "text") return () => true;
    const { dictionary, codes } = column;
    const known: boolean[] = [];
    return (index) => {
      const code = codes[index] ?? 0;
      const answer = known[code] ?? holds(dictionary[code] ?? undefined);
      known[code] = answer;
      return answer;
    };
  };
}
