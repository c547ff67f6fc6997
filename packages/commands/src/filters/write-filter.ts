import { keyOf, quoted, unquoted } from "../words.js";
import type { FieldSpec } from "./fields.js";
import type { Filter, Pattern, Test } from "./filter.js";
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
      return `:${listOf(test.any)}`;
    case "containing":
      return `~${listOf(test.any.map((text) => [text]))}`;
    case "within":
      return `:${test.any.map(({ from, to }) => (from === to ? write(from) : `${write(from)}..${write(to)}`)).join(",")}`;
    default:
      return `${test.is}${write(test.value)}`;
  }
}

/** The values of a list. Behind a comma, what would be taken for a filter of its own is quoted. */
function listOf(values: readonly Pattern[]): string {
  return values
    .map((pattern, at) => {
      const written = writePattern(pattern);
      return at > 0 && keyOf(unquoted(written)) ? pattern.map((part) => part && quoted(part)).join("*") : written;
    })
    .join(",");
}
