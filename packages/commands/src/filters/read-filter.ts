import type { FieldSpec } from "../kinds.js";
import { grouped, nearestOf, oneOfThese, quote, takes } from "../messages.js";
import { isClock } from "../times.js";
import { type Choice, type Read, type ReadContext, refused, understood } from "../values/value-type.js";
import { type Marked, nameOf, plain, splitAt, splitAtCommas, splitAtStars } from "../words.js";
import { DAY_MS, splitZone } from "../zones.js";
import type { Filter, OrderedType, Pattern, Range, Test } from "./field-types.js";
import { hasAt } from "./where.js";

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
  const unknown = any.find(([text = "", ...more]) => more.length === 0 && !names.includes(text));
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
  const ends = parts.map((part) => splitAt(part, DOTS).map(({ text }) => plain(text).trim().replace(/^\*$/, "")));
  const [[first = "", second] = []] = ends;
  if (compares === "is") {
    if (ends.length === 1 && second !== undefined && (first === "" || second === ""))
      return readOpenRange(type, typed, context, [first, second]);
    return readWithin(type, typed, context, ends);
  }
  if (ends.length > 1 || second !== undefined)
    return refused(
      `${quote(operator)} compares with one value, not with ${quote(value.text)}; a list or range follows a colon.`,
    );
  const read = type.read(first, context);
  // A day is over only after its last moment.
  const isAfter = compares === ">" || compares === "<=";
  return read.ok ? understood({ is: compares, value: isAfter ? read.value.last : read.value.from }) : read;
}

/** `400..` and `..499`. */
function readOpenRange(
  type: OrderedType,
  { subject, value }: Typed,
  context: ReadContext,
  [first, second]: readonly [string, string],
): Read<Test> {
  if (first === second) return refused(`${quote(value.text)} is a range without ends; write ${subject}:400..499.`);
  const read = type.read(first || second, context);
  if (!read.ok) return read;
  return understood(first ? { is: ">=", value: read.value.from } : { is: "<=", value: read.value.last });
}

/** A list of values and ranges. */
function readWithin(
  type: OrderedType,
  typed: Typed,
  context: ReadContext,
  parts: readonly (readonly string[])[],
): Read<Test> {
  const any: Range[] = [];
  for (const ends of parts) {
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
