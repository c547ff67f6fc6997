import { operatorNamed, operatorNearest } from "../operators.js";
import { quote } from "../quote.js";
import { type Read, type ReadContext, refused, understood } from "../values/value-type.js";
import { type Marked, writeWord } from "../words.js";
import type { FieldSpec } from "./fields.js";
import type { Filter } from "./filter.js";
import { readOrderedTest } from "./read-ordered-test.js";
import { readTextTest } from "./read-text-test.js";
import type { TypedTest } from "./typed-test.js";

/** What was typed of a filter. */
export interface TypedFilter {
  readonly minus: boolean;
  readonly operator: string;
  readonly value: Marked;
}

/** Reads a filter. The nearest right one is given as a whole: `status>=400`. */
export function readFilter(
  field: FieldSpec,
  { minus, operator, value }: TypedFilter,
  context: ReadContext,
): Read<Filter> {
  const whole = (rest: string): string => `${minus ? "-" : ""}${field.name}${rest}`;
  const asked = operatorNamed(operator);
  if (!asked) {
    const meant = operatorNearest(operator);
    return refused(`${quote(operator)} is no comparison: did you mean ${meant}?`, whole(meant + writeWord(value)));
  }
  if (value.text.trim() === "") {
    // A list or a range has no place behind a comparison.
    const example = field.examples.find(([text]) => asked.compares === "is" || !/[,*x]|\.\./.test(text))?.[0];
    const such = example === undefined ? "" : `, such as ${field.name}${operator}${example}`;
    return refused(`${field.name}${operator} needs a value after it${such}.`, example && whole(operator + example));
  }
  const typed: TypedTest = { operator, compares: asked.compares, value, subject: field.name };
  const read = field.type.is === "text" ? readTextTest(typed) : readOrderedTest(field.type, typed, context);
  if (!read.ok) return refused(read.reason, read.nearest && whole(read.nearest), read.help);
  return understood({ field: field.name, negated: minus !== asked.negated, test: read.value });
}
