import type { FieldSpec } from "../kinds.js";
import { grouped, quote, shorten } from "../messages.js";
import { isClock } from "../times.js";
import { type Read, type ReadContext, type Refused, refused, understood } from "../values/value-type.js";
import {
  type Marked,
  plain,
  splitAt,
  splitAtCommas,
  splitAtStars,
  writePattern,
  writeText,
  writeWord,
} from "../words.js";
import { DAY_MS, splitZone } from "../zones.js";
import { type Filter, type OrderedType, type Pattern, type Range, statusSaid, type Test } from "./field-types.js";
import { listedValue, readListed } from "./listed-values.js";
import { type Comparison, operatorNamed, operatorNearest } from "./operators.js";
import { hasAt } from "./where.js";

/** Reads a filter. A refusal suggests a whole filter: `status>=400`. */
export function readFilter(
  field: FieldSpec,
  { minus, operator, value }: { minus: boolean; operator: string; value: Marked },
  context: ReadContext,
): Read<Filter> {
  const whole = (rest: string): string => `${minus ? "-" : ""}${field.name}${rest}`;
  const asked = operatorNamed(operator);
  if (!asked) {
    const meant = operatorNearest(operator);
    return refused(`Unknown comparison ${quote(operator)}. Did you mean ${meant}?`, whole(meant + writeWord(value)));
  }
  const said = outcomeMeant(field, plain(value.text).trim());
  if (said !== undefined) {
    const nearest = `${minus !== asked.negated ? "-" : ""}${said}`;
    const what = field.wire === "status" ? "a status" : "an outcome";
    return refused(`${quote(value.text)} is not ${what}. Did you mean ${nearest}?`, nearest);
  }
  if (value.text.trim() === "") {
    // Comparisons accept neither a list nor a range.
    const example = field.examples.find(([text]) => asked.compares === "is" || !/[,*x]|\.\./.test(text))?.[0];
    const such = example === undefined ? "" : `, such as ${field.name}${operator}${example}`;
    return refused(`${field.name}${operator} needs a value after it${such}.`, example && whole(operator + example));
  }
  const typed: TypedTest = { operator, compares: asked.compares, value, subject: field.name };
  const read = field.holds === "text" ? readTextTest(field, typed) : readOrderedTest(field.type, typed, context);
  if (!read.ok) return refused(read.reason, read.nearest && whole(read.nearest), read.help);
  return understood({ field: field.name, negated: minus !== asked.negated, test: read.value });
}

/** The word that a status or outcome such as `errors` stands for. */
function outcomeMeant({ wire, type }: FieldSpec, text: string): string | undefined {
  if (wire === "status") return statusSaid(text);
  const isOther = wire === "outcome" && type.is === "text" && listedValue(type.values ?? [], text) === undefined;
  const said = isOther ? statusSaid(text) : undefined;
  return said === "status:0" ? undefined : said;
}

/** The comparison and value that follow a field's name. */
interface TypedTest {
  /** As it was typed. */
  readonly operator: string;
  readonly compares: Comparison;
  readonly value: Marked;
  /** The field's name, for messages. */
  readonly subject: string;
}

// Half of what the API takes, as a pattern may have to be escaped.
const LONGEST_TEXT = 1000;

/** Reads the condition for a text. A refusal suggests an operator and a value: `~hooks`. */
function readTextTest({ wire, type }: FieldSpec, typed: TypedTest): Read<Test> {
  const { operator, compares, value, subject } = typed;
  const parts = splitAtCommas(value);
  if (parts.some(({ text }) => text.trim() === "")) return emptyPart(typed);
  const longest = Math.max(...parts.map(({ text }) => text.length));
  if (longest > LONGEST_TEXT) {
    return refused(
      `${subject} takes at most ${grouped(LONGEST_TEXT)} characters; this has ${grouped(longest)}.`,
      undefined,
      "filters",
    );
  }
  const named = wire === "channel_id" ? parts.filter(({ text }) => !hasAt(text)) : parts;
  if (named.length > 0 && named.length < parts.length) {
    const nearest = `${operator}${named.map(writeWord).join(",")}`;
    return refused(`${subject} takes names or full ids, not both: ${quote(value.text)}.`, nearest);
  }
  if (compares === "is") {
    const values = type.is === "text" ? type.values : undefined;
    const any = parts.map(patternOf);
    if (!values) return understood({ is: "like", any });
    const read = readListed({ ...typed, name: type.name, values }, any);
    return read.ok ? understood({ is: "like", any: read.value }) : read;
  }
  if (compares !== "containing") {
    return refused(`${quote(operator)} compares numbers and times; ${subject} is text.`, `:${writeWord(value)}`);
  }
  if (parts.some((part) => splitAtStars(part).length > 1)) {
    const any = parts.map((part) => ["", ...patternOf(part).filter(Boolean), ""]);
    const nearest = any.some(({ length }) => length < 3) ? undefined : `:${any.map(writePattern).join(",")}`;
    const example = nearest ? `: ${subject}${shorten(nearest, 50)}` : "";
    return refused(`A * matches any characters only after a colon${example}.`, nearest);
  }
  return understood({ is: "containing", any: parts.map(({ text }) => text) });
}

/** The texts between wildcards; adjacent wildcards count as one. */
function patternOf(part: Marked): Pattern {
  const texts = splitAtStars(part).map(({ text }) => text);
  return texts.filter((text, index) => text !== "" || index === 0 || index === texts.length - 1);
}

/** The refusal of a list with an empty value. */
function emptyPart({ operator, value }: TypedTest): Refused {
  const full = splitAtCommas(value).filter(({ text }) => text.trim() !== "");
  const nearest = full.length > 0 ? `${operator}${full.map(writeWord).join(",")}` : undefined;
  return refused(`${quote(value.text)} has a comma with nothing on one side.`, nearest);
}

// Phones turn three dots into one character.
const DOTS = /\.\.\.?|…|‥|．．|(?<=\s)(?:to|[-–—])(?=\s)/gi;
// Dashes that are typed for the dots of a range. Two dates have at most five.
const DASH = /[-–—〜~]/g;
const MOST_DASHES = 5;
const FRACTION = /^\d+,\d{1,2}\D*$/;
const THOUSANDS = /^\d{1,3}(?:(?:,\d{3})+|(?:_\d{3})+|(?:\.\d{3}){2,})\D*$/;

/** One part of a list: a value, or the ends of a range. */
type Ends = readonly string[];
type Bound = ">" | ">=" | "<" | "<=";

interface OrderedInput extends TypedTest {
  readonly type: OrderedType;
  readonly context: ReadContext;
}

/** Reads the condition for a number, a duration or a time. A refusal suggests an operator and a value: `>=400`. */
function readOrderedTest(type: OrderedType, typed: TypedTest, given: ReadContext): Read<Test> {
  const { operator, compares, value, subject } = typed;
  const asked: OrderedInput = { ...typed, type, context: { ...given, subject } };
  const parts = splitAtCommas(value).map((part) => splitAt(part, DOTS).map(({ text }) => plain(text).trim()));
  const [first = []] = parts;
  if (parts.some((ends) => ends.length === 1 && ends[0] === "")) return emptyPart(typed);
  if (compares === "containing") {
    // status~40 is status:40*.
    const nearest = [`${first[0]}*`, `${first[0]}`].find((text) => type.read(text, asked.context).ok);
    return refused(`${quote(operator)} searches text, but ${subject} is not text.`, nearest && `:${nearest}`);
  }
  if (compares !== "is") return readComparison(asked, compares, parts);
  return parts.length === 1 && first.length === 2 && first.some(isOpen)
    ? readOpenRange(asked, first)
    : readRanges(asked, parts);
}

function isOpen(end: string): boolean {
  return end === "" || end === "*";
}

/** `400..` and `..499` */
function readOpenRange(asked: OrderedInput, [from = "", to = ""]: Ends): Read<Test> {
  if (isOpen(from) && isOpen(to)) return refused(`${quote(asked.value.text)} is a range without ends.`);
  return isOpen(to)
    ? readBound({ ...asked, operator: ">=" }, ">=", from)
    : readBound({ ...asked, operator: "<=" }, "<=", to);
}

function readRanges(asked: OrderedInput, parts: readonly Ends[]): Read<Test> {
  const any: Range[] = [];
  for (const ends of parts) {
    const range = readRange(asked, ends);
    if (!range.ok) return parts.length > 1 ? withoutPart(asked, range, parts, ends) : range;
    any.push(range.value);
  }
  return understood({ is: "within", any });
}

/** The refusal of one part of a list, which is corrected if possible and otherwise removed. */
function withoutPart({ operator }: OrderedInput, refusal: Refused, parts: readonly Ends[], wrong: Ends): Refused {
  const { reason, nearest = "", help } = refusal;
  if (nearest === "" && help !== undefined) return refusal;
  const [, mended] = /^[:=]+(.+)$/.exec(nearest) ?? [];
  const list = parts.flatMap((ends) => (ends === wrong ? (mended ?? []) : ends.map(writeText).join("..")));
  return refused(reason, `${operator}${list.join(",")}`);
}

function readRange(asked: OrderedInput, ends: Ends): Read<Range> {
  const { type, context, operator, subject } = asked;
  const [first = "", second] = ends;
  const typed = quote(ends.join(".."));
  if (ends.length > 2) {
    const nearest = `${operator}${writeText(first)}..${writeText(ends.at(-1) ?? "")}`;
    return refused(`A range has two ends; ${typed} has ${ends.length}.`, nearest);
  }
  if (second !== undefined && ends.some(isOpen)) {
    const end = [first, second].find((each) => !isOpen(each)) ?? "";
    return refused(`In a list, a range has two ends; ${typed} has one.`, end && `${operator}${writeText(end)}`);
  }
  // 14:00..15:00 Tokyo most likely means two times in Tokyo.
  const zone = type.isTime && second !== undefined ? splitZone(second)?.typed : undefined;
  if (zone !== undefined && !splitZone(first) && type.read(`${first} ${zone}`, context).ok) {
    const nearest = `${operator}${writeText(`${first} ${zone}`)}..${writeText(second ?? "")}`;
    return refused(`In ${typed}, the zone ${quote(zone)} must follow both times.`, nearest);
  }
  const from = type.read(first, context);
  if (!from.ok) return wayOut(asked, first, from);
  if (second === undefined) {
    if (!from.value.relative) return understood({ from: from.value.from, to: from.value.to });
    const rule = `write ${subject}>=${first} for all since then`;
    return refused(`${subject}${operator}${first} means one exact moment; ${rule}.`, `>=${writeText(first)}`);
  }
  const to = type.read(second, context);
  if (!to.ok) return wayOut(asked, second, to);
  // At half past nine, 09:00..10:00 ends today, not at the last ten o'clock.
  const isNext = type.isTime && to.value.last < from.value.from && isClock(second);
  const end = isNext ? type.read(second, { ...context, now: from.value.from + DAY_MS }) : to;
  // A range to 10:00 ends at that moment, a range to a day at the end of the day.
  const range = { from: from.value.from, to: (end.ok ? end : to).value.last };
  if (range.from <= range.to) return understood(range);
  return refused(`The range ${typed} ends before it begins.`, `${operator}${writeText(second)}..${writeText(first)}`);
}

/** A value that cannot be read may still be another notation of a comparison. */
function wayOut({ type, context, operator, subject }: OrderedInput, text: string, refusal: Refused): Refused {
  const { reason, nearest, help } = refusal;
  const reads = (value: string | undefined): value is string => value !== undefined && type.read(value, context).ok;

  const [, least] = /^(.+?) ?\+$/.exec(text) ?? [];
  if (reads(least)) return refused(`At least ${least} is written ${subject}>=${least}.`, `>=${writeText(least)}`);
  const ends = [...text.matchAll(DASH)]
    .slice(0, MOST_DASHES)
    .map(({ index }) => [text.slice(0, index).trim(), text.slice(index + 1).trim()]);
  const [from, to] = ends.find((pair) => pair.every(reads)) ?? [];
  if (from !== undefined && to !== undefined) {
    const range = `:${writeText(from)}..${writeText(to)}`;
    return refused(`A range is written with two dots: ${subject}${range}.`, range);
  }
  return refused(reason, nearest && `${/\.\.|,/.test(nearest) ? ":" : operator}${nearest}`, help);
}

function readComparison(asked: OrderedInput, compares: Bound, parts: readonly Ends[]): Read<Test> {
  const { type, context, operator, subject, value } = asked;
  const number = separatedNumber(plain(value.text));
  if (number && type.read(number.text, context).ok) {
    const nearest = `${operator}${writeText(number.text)}`;
    return refused(`${number.rule}: ${subject}${nearest}.`, nearest);
  }
  const [[first = "", second] = []] = parts;
  if (parts.length > 1) {
    return refused(`${quote(operator)} compares with one value, not with several.`, `${operator}${writeText(first)}`);
  }
  if (second === undefined) return readBound(asked, compares, first);
  if (isOpen(first) || isOpen(second)) {
    return refused(`${quote(operator)} compares with one value.`, `${operator}${writeText(first || second)}`);
  }
  const range = `:${writeText(first)}..${writeText(second)}`;
  const rule = `a range is written ${subject}${shorten(range, 50)}`;
  return refused(`${quote(operator)} compares with one value; ${rule}.`, range);
}

/** `1,000,000` and `1,5s`, as people write numbers elsewhere. */
function separatedNumber(typed: string): { rule: string; text: string } | undefined {
  if (THOUSANDS.test(typed)) {
    return { rule: "Large numbers are written without separators", text: typed.replaceAll(/[,_.]/g, "") };
  }
  return FRACTION.test(typed)
    ? { rule: "Fractions are written with a point", text: typed.replace(",", ".") }
    : undefined;
}

function readBound(asked: OrderedInput, compares: Bound, text: string): Read<Test> {
  const read = asked.type.read(text, asked.context);
  if (!read.ok) return wayOut(asked, text, read);
  const { from, last } = read.value;
  // A day is over only after its last moment.
  return understood({ is: compares, value: compares === ">" || compares === "<=" ? last : from });
}
