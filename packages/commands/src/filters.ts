import type { LogKind } from "@media-ops/contract";
import {
  type FieldSpec,
  type Filter,
  failureField,
  fieldNamed,
  kindSpec,
  type LogWhere,
  type NumberField,
  type OrderedType,
  orderOf,
  outcomeOf,
  type Pattern,
  type Range,
  type SortOrder,
  type Test,
  type TextField,
  type TimeField,
} from "./kinds.js";
import { DAY_MS, isClock, LAST_MS, splitZone } from "./times.js";
import { type Choice, type Read, type ReadContext, refused, understood } from "./values.js";
import {
  grouped,
  type Marked,
  nameOf,
  nearestOf,
  oneOfThese,
  plain,
  quote,
  splitAt,
  splitAtCommas,
  splitAtStars,
  takes,
} from "./words.js";

/** How a filter compares. */
type Comparison = "is" | "containing" | ">" | ">=" | "<" | "<=";

interface Operator {
  readonly compares: Comparison;
  readonly negated: boolean;
}

const operators: ReadonlyMap<string, Operator> = new Map(
  (
    [
      [": = ==", "is", false],
      ["!= ≠", "is", true],
      ["~ :~", "containing", false],
      ["!~", "containing", true],
      ["> :>", ">", false],
      [">= ≥ :>= :≥", ">=", false],
      ["< :<", "<", false],
      ["<= ≤ :<= :≤", "<=", false],
    ] as const
  ).flatMap(([signs, compares, negated]) => signs.split(" ").map((sign) => [sign, { compares, negated }])),
);

/** The explanation of each operator. */
export const operatorWords: readonly (readonly [operator: string, meaning: string])[] = [
  ["failed", "no answer, a status from 400 on, or an event with an outcome other than ok; a word by itself"],
  ["ok", "all that did not fail"],
  ["status:404", "equals; also status=404"],
  ["status!=404", "differs; also -status:404"],
  ["elapsed>=500ms", "compares; > >= < <="],
  ["url~hooks", "contains, in any case; url!~hooks does not contain"],
  ["type:connection.created,session.created", "equals one of these"],
  ["type:connection.*", "starts with; * matches any characters"],
  ["status:5xx", "from 500 to 599"],
  ["status:400..499", "from 400 to 499, both included; also for times, durations and bytes"],
  ["status:400..", "400 or more; status:..499 is 499 or less"],
  ['channel:"main hall"', "quotes keep spaces, commas and * as they are"],
];

/** Whether an operator may stand between an option and its value. */
export function isOptionOperator(typed: string): boolean {
  return typed === ":" || typed === "=" || typed === "==";
}

/** The meaning of an operator; undefined if it is unknown. */
export function operatorNamed(typed: string): Operator | undefined {
  return operators.get(typed);
}

/** The comparison and value that follow a field's name. */
interface Typed {
  /** As it was typed. */
  readonly operator: string;
  readonly compares: Comparison;
  readonly value: Marked;
  /** The field's name, for messages. */
  readonly subject: string;
}

/** Reads a filter. A refusal may have the value that was probably meant. */
export function readFilter(
  field: FieldSpec,
  { minus, operator, value }: { minus: boolean; operator: string; value: Marked },
  context: ReadContext,
): Read<Filter> {
  const { name: subject, examples } = field;
  const asked = operatorNamed(operator);
  if (!asked) return refused(`Unknown comparison ${quote(operator)}; comparisons are : != ~ !~ > >= < and <=.`);
  const { compares, negated } = asked;
  if (value.text.trim() === "") {
    // Comparisons accept neither a list nor a range.
    const example = examples.find(([text]) => compares === "is" || !/[,*x]|\.\./.test(text))?.[0];
    const such = example === undefined ? "" : `, such as ${subject}${operator}${example}`;
    return refused(`${subject}${operator} needs a value after it${such}.`);
  }
  const parts = splitAtCommas(value);
  if (parts.some(({ text }) => text.trim() === ""))
    return refused(`${quote(value.text)} has a comma with nothing on one side.`);
  const typed: Typed = { operator, compares, value, subject };
  const read =
    field.holds === "text"
      ? readText(field, typed, parts)
      : readOrdered(field.type, typed, { ...context, subject }, parts);
  return read.ok ? understood({ field: subject, negated: minus !== negated, test: read.value }) : read;
}

// Half of what the API takes, as a pattern may have to be escaped.
const LONGEST_TEXT = 1000;

/** Reads the condition for a text. */
function readText({ wire, type }: FieldSpec, typed: Typed, parts: readonly Marked[]): Read<Test> {
  const { operator, compares, value, subject } = typed;
  const longest = Math.max(...parts.map(({ text }) => text.length));
  if (longest > LONGEST_TEXT)
    return refused(`${subject} takes at most ${grouped(LONGEST_TEXT)} characters; this has ${grouped(longest)}.`);
  const names = parts.filter(({ text }) => !hasAt(text)).length;
  if (wire === "channel_id" && names > 0 && names < parts.length)
    return refused(`${subject} takes names or full ids, not both: ${quote(value.text)}.`);
  if (compares === "is") {
    const values = type.is === "text" ? type.values : undefined;
    const any = parts.map(patternOf);
    return values ? readListed(type.name, values, typed, any) : understood({ is: "like", any });
  }
  if (compares !== "containing")
    return refused(
      `${quote(operator)} compares numbers and times; ${subject} is text: write ${subject}: or ${subject}~.`,
    );
  if (parts.some((part) => splitAtStars(part).length > 1))
    return refused(`A * matches any characters only after a colon, as in ${subject}:*…*.`);
  return understood({ is: "containing", any: parts.map(({ text }) => text) });
}

/** The texts between wildcards; adjacent wildcards count as one. */
function patternOf(part: Marked): Pattern {
  const texts = splitAtStars(part).map(({ text }) => text);
  return texts.filter((text, index) => text !== "" || index === 0 || index === texts.length - 1);
}

// Longer lists are in the help.
const MOST_NAMED = 5;

/** Reads values of a closed list in any form, such as `ICE_TIMEOUT` and `channel full`, or patterns of them. */
function readListed(name: string, values: readonly Choice[], typed: Typed, parts: readonly Pattern[]): Read<Test> {
  const names = values.map(([each]) => each);
  const any = parts.map((pattern) => pattern.map((text) => nameOf(text.trim()).replaceAll(/[\s_]+/g, "-")));
  const isKnown = (pattern: Pattern, at: number): boolean =>
    pattern.length > 1 ? !parts[at]?.some((text) => /\s/.test(text)) : names.includes(pattern.join(""));
  const unknown = any.find((pattern, at) => !isKnown(pattern, at));
  if (!unknown) return understood({ is: "like", any });
  const wanted = names.length > MOST_NAMED ? `a ${name}, such as ${oneOfThese(names.slice(0, 2))}` : oneOfThese(names);
  const near = any.length === 1 ? nearestOf(unknown.join(""), names) : undefined;
  return refused(takes(typed.subject, wanted, typed.value.text), near);
}

// Phones turn three dots into one character.
const DOTS = /\.\.\.?|…|‥|．．|(?<=\s)(?:to|[-–—])(?=\s)/gi;

/** Reads the condition for a number, a duration or a time. */
function readOrdered(type: OrderedType, typed: Typed, context: ReadContext, parts: readonly Marked[]): Read<Test> {
  const { operator, compares, value, subject } = typed;
  if (compares === "containing")
    return refused(`${quote(operator)} searches text, but ${subject} is not text: write ${subject}: or ${subject}>=.`);
  const ranges = parts.map((part) => splitAt(part, DOTS).map(({ text }) => plain(text).trim().replace(/^\*$/, "")));
  const [[first = "", second, third] = []] = ranges;
  if (compares !== "is") {
    const rule = `compares with one value, not with ${quote(value.text)}; a list or range follows a colon.`;
    if (ranges.length > 1 || second !== undefined) return refused(`${quote(operator)} ${rule}`);
    const read = type.read(first, context);
    // A day is over only after its last moment.
    const isAfter = compares === ">" || compares === "<=";
    return read.ok ? understood({ is: compares, value: isAfter ? read.value.last : read.value.from }) : read;
  }
  // 400.. and ..499
  if (ranges.length === 1 && third === undefined && second !== undefined && (first === "") !== (second === "")) {
    const read = type.read(first || second, context);
    if (!read.ok) return read;
    return understood(first ? { is: ">=", value: read.value.from } : { is: "<=", value: read.value.last });
  }
  const any: Range[] = [];
  for (const ends of ranges) {
    const read = readRange(type, typed, context, ends);
    if (!read.ok) return read;
    any.push(read.value);
  }
  return understood({ is: "within", any });
}

function readRange(
  type: OrderedType,
  { operator, subject }: Typed,
  context: ReadContext,
  ends: readonly string[],
): Read<Range> {
  const [first = "", second] = ends;
  const typed = quote(ends.join(".."));
  if (ends.length > 2 || (second !== undefined && ends.includes("")))
    return refused(`${typed} isn't a range with two ends, such as 400..499.`);
  const from = type.read(first, context);
  if (!from.ok) return from;
  if (second === undefined) {
    if (!from.value.relative) return understood({ from: from.value.from, to: from.value.to });
    const rule = `write ${subject}>=${first} for all since then`;
    return refused(`${subject}${operator}${first} means one exact moment; ${rule}.`);
  }
  if (type.isTime && splitZone(second) && !splitZone(first))
    return refused(`In ${typed}, the zone must follow both times.`);
  const to = type.read(second, context);
  if (!to.ok) return to;
  // At half past nine, 09:00..10:00 ends today, not at the last ten o'clock.
  const isNext = type.isTime && to.value.last < from.value.from && isClock(second);
  const end = isNext ? type.read(second, { ...context, now: from.value.from + DAY_MS }) : to;
  // A range to 10:00 ends at that moment, a range to a day at the end of the day.
  const range = { from: from.value.from, to: (end.ok ? end : to).value.last };
  return range.from <= range.to ? understood(range) : refused(`The range ${typed} ends before it begins.`);
}

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

/** What a command asks for, for the heading of its answer: which log and period, which outcome, and which order. */
export function askedOf(command: Selection & { readonly name: string; readonly sort?: SortOrder }) {
  const { name, kind, filters, since, until, sort } = command;
  const only = filters.map(outcomeOf).find(Boolean);
  return { kind, since, until, only, order: sort && orderOf(kind, sort).words, isSummary: name === "summary" };
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
function hasAt(text: string): boolean {
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
