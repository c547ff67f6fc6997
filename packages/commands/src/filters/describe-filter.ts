import { harmless, oneOfThese, shorten } from "../quote.js";
import type { Edge } from "../times/describe-moment.js";
import type { DescribeContext } from "../values/value-type.js";
import type { FieldSpec } from "./fields.js";
import type { Filter, Range } from "./filter.js";

const signs = { ">": ">", ">=": "≥", "<": "<", "<=": "≤" } as const;

/** A filter for people: `status ≥ 400`, `url without hooks`. */
export function describeFilter({ name, type }: FieldSpec, { negated, test }: Filter, context: DescribeContext): string {
  switch (test.is) {
    case "like":
      return `${name} ${oneOf(
        test.any.map((pattern) => show(pattern.join("*"))),
        negated,
      )}`;
    case "containing":
      return `${name} ${negated ? "without" : "with"} ${oneOfThese(test.any.map(show))}`;
    case "within":
      return `${name} ${oneOf(
        test.any.map((range) => describeRange(type, range, context)),
        negated,
      )}`;
    default: {
      // What is after a day is after its end.
      const edge = test.is === ">" || test.is === "<=" ? "end" : "start";
      return `${name} ${negated ? "not " : ""}${signs[test.is]} ${describeValue(type, test.value, context, edge)}`;
    }
  }
}

function oneOf(values: readonly string[], negated: boolean): string {
  if (!negated) return oneOfThese(values);
  return values.length > 1 ? `neither ${oneOfThese(values, "nor")}` : `not ${values.join("")}`;
}

function show(text: string): string {
  return harmless(shorten(text, 60));
}

function describeValue(type: FieldSpec["type"], value: number, context: DescribeContext, edge: Edge): string {
  return type.is === "ordered" ? type.describe(value, context, edge) : String(value);
}

function describeRange(type: FieldSpec["type"], range: Range, context: DescribeContext): string {
  if (range.from === range.to) return describeValue(type, range.from, context, "none");
  const whole = type.is === "ordered" ? type.describeRange?.(range, context) : undefined;
  const [from, to] = [describeValue(type, range.from, context, "start"), describeValue(type, range.to, context, "end")];
  return whole ?? `${from} to ${to}`;
}
