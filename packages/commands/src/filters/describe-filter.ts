import { harmless, oneOfThese, shorten } from "../quote.js";
import type { DescribeContext } from "../values/value-type.js";
import type { FieldSpec } from "./fields.js";
import type { Filter, Range, Test } from "./filter.js";
import type { OrderedType } from "./ordered-type.js";

const signs = { ">": ">", ">=": "≥", "<": "<", "<=": "≤" } as const;

/** A filter for people: `status ≥ 400`, `url without hooks`. */
export function describeFilter({ name, type }: FieldSpec, { negated, test }: Filter, context: DescribeContext): string {
  const not = negated ? " not" : "";
  if (type.is === "text" || test.is === "like" || test.is === "containing")
    return `${name}${describeTextTest(test, negated)}`;
  if (test.is === "within") {
    return `${name}${not} ${oneOfThese(test.any.map((range) => describeRange(type, range, context)))}`;
  }
  return `${name}${not} ${signs[test.is]} ${type.describe(test.value, context)}`;
}

function describeTextTest(test: Test, negated: boolean): string {
  if (test.is === "like") {
    return `${negated ? " not" : ""} ${oneOfThese(test.any.map((pattern) => show(pattern.join("*"))))}`;
  }
  if (test.is === "containing") return `${negated ? " without" : " with"} ${oneOfThese(test.any.map(show))}`;
  return "";
}

function show(text: string): string {
  return harmless(shorten(text, 60));
}

function describeRange(type: OrderedType, range: Range, context: DescribeContext): string {
  const { from, to } = range;
  if (from === to) return type.describe(from, context);
  return type.describeRange?.(range, context) ?? `${type.describe(from, context)} to ${type.describe(to, context)}`;
}
