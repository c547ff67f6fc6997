import { quote } from "../quote.js";
import type { Read, ReadContext } from "../values/value-type.js";
import { splitAt, writeText } from "../words.js";
import type { Range } from "./filter.js";
import type { OrderedType, Span } from "./ordered-type.js";
import { noTest, type ReadTest, type TypedTest, testIs } from "./read-test.js";
import { emptyPart, listOf } from "./read-text-test.js";

const COMMA = /,/g;
// Phones make one character of three dots.
const DOTS = /\.\.\.?|…/g;
const FRACTION = /^\d+,\d{1,2}\D*$/;
const THOUSANDS = /^\d{1,3}(?:,\d{3})+\D*$/;

/** Reads what a number, a length or a time is to be. The context's subject is the field's name. */
export function readOrderedTest(type: OrderedType, typed: TypedTest, context: ReadContext): ReadTest {
  const { operator, compares, value } = typed;
  const { subject } = context;
  const parts = splitAt(value, COMMA).map((part) => splitAt(part, DOTS).map(({ text }) => text.trim()));
  if (parts.some((ends) => ends.join("") === "")) return noTest(emptyPart(value.text), listOf(operator, value.text));
  if (compares === "containing") {
    return noTest(
      `${subject} is no text, and ${quote(operator)} looks into texts.`,
      `:${writeText(parts[0]?.[0] ?? "")}`,
    );
  }
  return compares === "is" ? readRanges(type, parts, typed, context) : readBound(type, compares, parts, typed, context);
}

function readRanges(type: OrderedType, parts: string[][], { operator }: TypedTest, context: ReadContext): ReadTest {
  const any: Range[] = [];
  for (const ends of parts) {
    const range = readRange(type, ends, operator, context);
    if ("ok" in range) return range;
    any.push(range);
  }
  return testIs({ is: "within", any });
}

function readRange(type: OrderedType, ends: string[], operator: string, context: ReadContext): Range | ReadTest {
  const { subject } = context;
  const [first = "", second] = ends;
  const typed = quote(ends.join(".."));
  if (ends.length > 2) {
    const range = `${writeText(first)}..${writeText(ends.at(-1) ?? "")}`;
    return noTest(`A range has two ends; ${typed} has ${ends.length}.`, `${operator}${range}`);
  }
  if (second === "")
    return noTest(`A range has two ends; for one, write ${subject}>=${first}.`, `>=${writeText(first)}`);
  if (first === "")
    return noTest(`A range has two ends; for one, write ${subject}<=${second}.`, `<=${writeText(second ?? "")}`);

  const from = type.read(first, context);
  if (!from.ok) return wayOut(type, first, from.reason, from.nearest, operator, context);
  if (second === undefined) {
    if (!from.value.relative) return { from: from.value.from, to: from.value.to };
    return noTest(
      `${subject}${operator}${first} would be that very millisecond; since then is ${subject}>=${first}.`,
      `>=${writeText(first)}`,
    );
  }
  const to = type.read(second, context);
  if (!to.ok) return wayOut(type, second, to.reason, to.nearest, operator, context);
  // To 10:00 is to that very moment; to a day is to its end.
  const range = { from: from.value.from, to: to.value.last };
  if (range.from <= range.to) return range;
  return noTest(`${typed} begins after its end.`, `${operator}${writeText(second)}..${writeText(first)}`);
}

/** What is no value may still be known as another way to write a comparison. */
function wayOut(
  type: OrderedType,
  text: string,
  reason: string,
  nearest: string | undefined,
  operator: string,
  context: ReadContext,
): ReadTest {
  const { subject } = context;
  const reads = (value: string | undefined): value is string => value !== undefined && type.read(value, context).ok;

  const [, least] = /^(.+?) ?\+$/.exec(text) ?? [];
  if (reads(least)) return noTest(`At least ${least} is written ${subject}>=${least}.`, `>=${writeText(least)}`);
  const [, from, to] = /^([^-]+)-([^-]+)$/.exec(text) ?? [];
  if (reads(from) && reads(to)) {
    return noTest(
      `A range is written with two dots: ${subject}:${from}..${to}.`,
      `:${writeText(from)}..${writeText(to)}`,
    );
  }
  return noTest(reason, nearest === undefined ? undefined : `${nearest.includes("..") ? ":" : operator}${nearest}`);
}

function readBound(
  type: OrderedType,
  compares: ">" | ">=" | "<" | "<=",
  parts: string[][],
  { operator, value }: TypedTest,
  context: ReadContext,
): ReadTest {
  const { subject } = context;
  const [[first = "", second] = []] = parts;
  const plain = THOUSANDS.test(value.text) ? value.text.replaceAll(",", "") : "";
  if (plain && type.read(plain, context).ok) {
    return noTest(`Large numbers are written without commas: ${subject}${operator}${plain}.`, `${operator}${plain}`);
  }
  const point = FRACTION.test(value.text) ? value.text.replace(",", ".") : "";
  if (point && type.read(point, context).ok) {
    return noTest(
      `Fractions are written with a point: ${subject}${operator}${point}.`,
      `${operator}${writeText(point)}`,
    );
  }
  if (parts.length > 1) {
    return noTest(`${quote(operator)} compares with one value, not with several.`, `${operator}${writeText(first)}`);
  }
  if (second !== undefined) {
    return noTest(
      `${quote(operator)} compares with one value; a range follows a colon.`,
      first && second ? `:${writeText(first)}..${writeText(second)}` : `${operator}${writeText(first || second)}`,
    );
  }
  const read: Read<Span> = type.read(first, context);
  if (!read.ok) return wayOut(type, first, read.reason, read.nearest, operator, context);
  const { from, last } = read.value;
  // A day has gone by only when its last moment has.
  return testIs({ is: compares, value: compares === ">" || compares === "<=" ? last : from });
}
