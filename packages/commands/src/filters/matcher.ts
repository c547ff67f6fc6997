import { comparerWith } from "../times/timestamp.js";
import { type FieldSpec, fieldsOf } from "./fields.js";
import type { Filter, Pattern, Selection, Test } from "./filter.js";
import { likePattern } from "./pattern.js";
import type { TextType } from "./text-type.js";

type Entry = Readonly<Record<string, unknown>>;
type Holds<T> = (value: T) => boolean;

/**
 * Says of each entry whether it is meant. Compiled once, for any number of entries; it throws at none, whatever it is.
 *
 * @example const failed = matcher({ kind: "webhooks", filters, since }); entries.filter(failed)
 */
export function matcher({ kind, filters, since, until }: Selection): (entry: unknown) => boolean {
  const fields = new Map(fieldsOf(kind).map((field) => [field.name, field]));
  const tests = [...boundTests(since, until), ...filters.map((filter) => testOf(fields.get(filter.field), filter))];
  return (entry) => {
    if (!isEntry(entry)) return false;
    for (const test of tests) if (!test(entry)) return false;
    return true;
  };
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null;
}

function boundTests(since: number | undefined, until: number | undefined): Holds<Entry>[] {
  const tests: Holds<Entry>[] = [];
  if (since !== undefined) {
    const compare = comparerWith(since);
    tests.push((entry) => compare(entry.timestamp) >= 0);
  }
  if (until !== undefined) {
    const compare = comparerWith(until);
    tests.push((entry) => compare(entry.timestamp) <= 0);
  }
  return tests;
}

function testOf(field: FieldSpec | undefined, { test, negated }: Filter): Holds<Entry> {
  // A field that there is not is missing from every entry.
  const holds = field ? fieldTest(field, test) : () => false;
  return negated ? (entry) => !holds(entry) : holds;
}

function fieldTest({ wire, type }: FieldSpec, test: Test): Holds<Entry> {
  const [first, second] = wire;
  if (type.is === "text") {
    const holds = textTest(type, test);
    return (entry) => {
      const value = entry[first];
      return typeof value === "string" && holds(value);
    };
  }
  if (type.isTime) {
    const holds = timeTest(test);
    return (entry) => holds(entry[first]);
  }
  const holds = numberTest(test, type.scale);
  if (second === undefined) return (entry) => holds(numberOf(entry[first]));
  return (entry) => holds(numberOf(entry[first]) + numberOf(entry[second]));
}

const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;

/** NaN where it is no number: then no comparison holds. */
function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && PLAIN_NUMBER.test(value) ? Number(value) : Number.NaN;
}

function numberTest(test: Test, scale: number): Holds<number> {
  switch (test.is) {
    case ">": {
      const bound = test.value / scale;
      return (value) => value > bound;
    }
    case ">=": {
      const bound = test.value / scale;
      return (value) => value >= bound;
    }
    case "<": {
      const bound = test.value / scale;
      return (value) => value < bound;
    }
    case "<=": {
      const bound = test.value / scale;
      return (value) => value <= bound;
    }
    case "within":
      return anyOf(
        test.any.map(({ from, to }) => {
          const [least, most] = [from / scale, to / scale];
          return (value: number) => value >= least && value <= most;
        }),
      );
    default:
      return () => false;
  }
}

function timeTest(test: Test): Holds<unknown> {
  if (test.is === "within") {
    return anyOf(
      test.any.map(({ from, to }) => {
        const [start, end] = [comparerWith(from), comparerWith(to)];
        return (value: unknown) => start(value) >= 0 && end(value) <= 0;
      }),
    );
  }
  if (test.is === "like" || test.is === "containing") return () => false;
  const compare = comparerWith(test.value);
  switch (test.is) {
    case ">":
      return (value) => compare(value) > 0;
    case ">=":
      return (value) => compare(value) >= 0;
    case "<":
      return (value) => compare(value) < 0;
    case "<=":
      return (value) => compare(value) <= 0;
  }
}

function textTest(type: TextType, test: Test): Holds<string> {
  if (test.is === "like") return anyOf(test.any.map((pattern) => patternTest(type, pattern)));
  if (test.is === "containing") return anyOf(test.any.map((text) => containsTest(type, text)));
  return () => false;
}

function patternTest(type: TextType, pattern: Pattern): Holds<string> {
  const like = likePattern(pattern);
  if (!pattern.some((part) => part.includes("@"))) return (value) => like(type.part(value));
  return (value) => like(value) || like(type.part(value));
}

function containsTest(type: TextType, text: string): Holds<string> {
  const wanted = text.toLowerCase();
  if (wanted.includes("@")) return (value) => value.toLowerCase().includes(wanted);
  return (value) => type.part(value).toLowerCase().includes(wanted);
}

function anyOf<T>(tests: readonly Holds<T>[]): Holds<T> {
  const [only] = tests;
  if (tests.length === 1 && only) return only;
  return (value) => tests.some((test) => test(value));
}
