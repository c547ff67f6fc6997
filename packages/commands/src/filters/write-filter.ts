import { writeText } from "../words.js";
import type { FieldSpec } from "./fields.js";
import type { Filter, Test } from "./filter.js";
import type { OrderedType } from "./ordered-type.js";
import { writePattern } from "./read-text-test.js";

/** A filter as it would be typed. */
export function writeFilter({ name, type }: FieldSpec, { negated, test }: Filter): string {
  return `${negated ? "-" : ""}${name}${writeTest(test, type.is === "ordered" ? type : undefined)}`;
}

function writeTest(test: Test, type: OrderedType | undefined): string {
  const write = (value: number): string => type?.write(value) ?? String(value);
  switch (test.is) {
    case "like":
      return `:${test.any.map(writePattern).join(",")}`;
    case "containing":
      return `~${test.any.map(writeText).join(",")}`;
    case "within":
      return `:${test.any.map(({ from, to }) => (from === to ? write(from) : `${write(from)}..${write(to)}`)).join(",")}`;
    default:
      return `${test.is}${write(test.value)}`;
  }
}
