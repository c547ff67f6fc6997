import type { LogKind } from "@media-ops/contract";
import { failureField, fieldNamed, kindSpec } from "../kinds.js";
import { quote } from "../messages.js";
import { LAST_MS } from "../times.js";
import type { Filter, LogWhere, NumberField, OrderedType, Pattern, Test, TextField, TimeField } from "./field-types.js";

/** A test of a field with numbers, or with texts or times. All members hold. */
interface FieldTest<Value> {
  eq?: Value | Value[];
  gt?: Value;
  gte?: Value;
  lt?: Value;
  lte?: Value;
  contains?: Value | Value[];
  starts_with?: Value | Value[];
  like?: Value | Value[];
  any?: FieldTest<Value>[];
  all?: FieldTest<Value>[];
  not?: FieldTest<Value>;
}

/** The parts of a command that select entries. */
export interface Selection {
  readonly kind: LogKind;
  readonly filters: readonly Filter[];
  /** Milliseconds since 1970, included. */
  readonly since?: number | undefined;
  /** Milliseconds since 1970, not included. */
  readonly until?: number | undefined;
}

/** The period and the conditions of a search, as the API takes them. */
export interface Search {
  since?: string;
  until?: string;
  where?: LogWhere;
}

/** The search for the entries that a command selects, as members of a request; see {@link whereOf}. */
export function searchOf({ kind, filters, since, until }: Selection, project?: string): Search {
  return {
    ...(since !== undefined && { since: timestamp(since) }),
    ...(until !== undefined && { until: timestamp(until) }),
    ...(filters.length > 0 && { where: whereOf(kind, filters, project) }),
  };
}

/**
 * The API's form of filters, which must all match. With the project of the entries, the id of a channel whose name has
 * an `@` is known, and found at once.
 *
 * @throws {TypeError} for a field that the log does not have.
 */
export function whereOf(kind: LogKind, filters: readonly Filter[], project?: string): LogWhere {
  const texts = new Map<TextField | TimeField, FieldTest<string>[]>();
  const numbers = new Map<NumberField, FieldTest<number>[]>();
  const failed = new Set<boolean>();
  for (const { field: name, negated, test } of filters) {
    const field = fieldNamed(kind, name);
    if (!field) throw new TypeError(`${kindSpec(kind).one} logs have no field ${quote(name)}.`);
    if (test.is === "failed") failed.add(!negated);
    else if (field.holds === "number") add(numbers, field.wire, numberTest(field.type, test), negated);
    else if (field.holds === "time") add(texts, field.wire, timeTest(test), negated);
    else {
      const [wire, tested] = textTest(field.wire, test, project);
      add(texts, wire, tested, negated);
    }
  }
  // What is both failed and not failed does not exist.
  if (failed.size > 1) {
    if (failureField(kind)?.wire === "status") numbers.set("status", [NO_NUMBER]);
    else texts.set("outcome", [{ eq: "ok", not: { eq: "ok" } }]);
  }
  const where: LogWhere = failed.size === 1 ? { failed: failed.has(true) } : {};
  for (const [wire, tests] of texts) where[wire] = combined(tests, "all");
  for (const [wire, tests] of numbers) where[wire] = combined(tests, "all");
  return where;
}

function add<Name, Value>(to: Map<Name, FieldTest<Value>[]>, name: Name, test: FieldTest<Value>, negated: boolean) {
  to.set(name, [...(to.get(name) ?? []), negated ? { not: test } : test]);
}

// The most values, or tests, of a list.
const MOST_LISTED = 100;

/** A test that holds if any of the tests does, or all of them. */
function combined<Value>(tests: readonly FieldTest<Value>[], by: "any" | "all"): FieldTest<Value> {
  const [first = {}] = tests;
  if (tests.length <= 1) return first;
  return { [by]: tests.length <= MOST_LISTED ? [...tests] : chunks(tests).map((some) => combined(some, by)) };
}

const anyOf = <Value>(...tests: readonly FieldTest<Value>[]): FieldTest<Value> => combined(tests, "any");

function chunks<T>(values: readonly T[]): T[][] {
  const count = Math.ceil(values.length / MOST_LISTED);
  return Array.from({ length: count }, (_, at) => values.slice(at * MOST_LISTED, (at + 1) * MOST_LISTED));
}

/** A list of values, in as many tests as it needs. */
const listed = <Value>(
  values: readonly Value[],
  test: (oneOrMany: Value | Value[]) => FieldTest<Value>,
): FieldTest<Value>[] => chunks(values).map((some) => test(some.length === 1 ? (some[0] as Value) : some));

// No value is both before and after the same one.
const NO_NUMBER: FieldTest<number> = { lt: 0, gt: 0 };

const members = { ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" } as const;

function numberTest({ scale }: OrderedType, test: Test): FieldTest<number> {
  if ("value" in test) return { [members[test.is]]: test.value / scale };
  if (test.is !== "within") return NO_NUMBER;
  const single = test.any.filter(({ from, to }) => from === to).map(({ from }) => from / scale);
  const ranges = test.any.filter(({ from, to }) => from !== to);
  return anyOf(
    ...listed(single, (eq) => ({ eq })),
    ...ranges.map(({ from, to }) => ({ gte: from / scale, lte: to / scale })),
  );
}

/** A time is typed to the millisecond, and means all of it. */
function timeTest(test: Test): FieldTest<string> {
  if (test.is === "within")
    return anyOf(...test.any.map(({ from, to }) => ({ gte: timestamp(from), lt: timestamp(to + 1) })));
  if (!("value" in test)) return { lt: timestamp(0), gt: timestamp(0) };
  const bound = timestamp(test.is === ">" || test.is === "<=" ? test.value + 1 : test.value);
  return test.is.startsWith(">") ? { gte: bound } : { lt: bound };
}

/** An instant in the form of the API. RFC 3339 ends with the year 9999. */
function timestamp(instant: number): string {
  return instant > LAST_MS ? "9999-12-31T23:59:59.999999999Z" : new Date(instant).toISOString();
}

/** The test of a text, and the field that it is about. */
function textTest(wire: TextField, test: Test, project: string | undefined): [TextField, FieldTest<string>] {
  if (test.is === "containing") {
    const contained = anyOf(...listed(test.any, (contains) => ({ contains })));
    return [wire === "channel_id" && !test.any.some(hasAt) ? "channel" : wire, contained];
  }
  const patterns = test.is === "like" ? test.any : [];
  if (wire !== "channel_id") return [wire, likeAny(patterns)];
  if (!patterns.flat().some(hasAt)) return ["channel", likeAny(patterns)];
  return [wire, channelTest(patterns, project)];
}

/** The texts of a filter by channel either all have an `@`, or none has. */
export function hasAt(text: string): boolean {
  return text.includes("@");
}

/** The test of a channel's id for texts with an `@`: the id itself, or a name with an `@` in it. */
function channelTest(patterns: readonly Pattern[], project: string | undefined): FieldTest<string> {
  const ending = (pattern: Pattern, ...end: Pattern): Pattern => {
    const [first = "", ...others] = end;
    return [...pattern.slice(0, -1), `${pattern.at(-1) ?? ""}${first}`, ...others];
  };
  if (project !== undefined)
    return likeAny([...patterns, ...patterns.map((pattern) => ending(pattern, `@${project}`))]);
  // Without the project, a name is what precedes the only @ behind it. Names with further ones are ambiguous.
  const named = patterns.map((pattern): FieldTest<string> => {
    return { all: [likeAny([ending(pattern, "@", "")]), { not: likeAny([ending(pattern, "@", "@", "")]) }] };
  });
  return anyOf(likeAny(patterns), ...named);
}

/** Whole texts, beginnings and patterns, each in the simplest form. */
function likeAny(patterns: readonly Pattern[]): FieldTest<string> {
  const wholes = patterns.filter(({ length }) => length === 1);
  const starts = patterns.filter(isStart);
  const others = patterns.filter((pattern) => pattern.length > 1 && !isStart(pattern));
  const first = (pattern: Pattern): string => pattern[0] ?? "";
  return anyOf(
    ...listed(wholes.map(first), (eq) => ({ eq })),
    ...listed(starts.map(first), (starts_with) => ({ starts_with })),
    ...listed(others.map(escaped), (like) => ({ like })),
  );
}

function isStart([start, end, ...more]: Pattern): boolean {
  return start !== "" && end === "" && more.length === 0;
}

function escaped(pattern: Pattern): string {
  return pattern.map((part) => part.replaceAll(/[\\*]/g, "\\$&")).join("*");
}
