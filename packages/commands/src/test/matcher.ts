import type { Filter, OrderedType, Pattern, Test, TextType } from "../filters/field-types.js";
import type { Selection } from "../filters/where.js";
import { type FieldSpec, fieldsOf } from "../kinds.js";
import { readTimestamp } from "../times.js";

type Entry = Readonly<Record<string, unknown>>;
type Holds<T> = (value: T) => boolean;
/** How far an entry is above a bound: below 0 if it is lower, NaN without such a value. */
type Distance = (entry: Entry) => number;

/** What a selection means, read from its filters rather than from the API's form of them. */
export function matcher({ kind, filters, since, until }: Selection): (entry: unknown) => boolean {
  const fields = new Map(fieldsOf(kind).map((field) => [field.name, field]));
  const tests = filters.map((filter) => testOf(fields.get(filter.field), filter));
  // Last, as reading a time takes longest.
  if (since !== undefined) tests.push(orderedTest({ is: ">=", value: since }, timeFrom("timestamp")));
  if (until !== undefined) tests.push(orderedTest({ is: "<", value: until }, timeFrom("timestamp")));
  return (entry) => isEntry(entry) && tests.every((test) => test(entry));
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null;
}

function testOf(field: FieldSpec | undefined, { test, negated }: Filter): Holds<Entry> {
  // Without a status or an outcome, an entry is neither failed nor ok.
  if (test.is === "failed" && field?.wire === "outcome")
    return ({ outcome }) => typeof outcome === "string" && (outcome !== "ok") !== negated;
  if (test.is === "failed") return ({ status }) => typeof status === "number" && isFailure(status) !== negated;
  // An unknown field is missing from every entry.
  const holds = field ? fieldTest(field, test) : () => false;
  return negated ? (entry) => !holds(entry) : holds;
}

const isFailure = (status: number): boolean => status === 0 || status >= 400;

function fieldTest({ wire, type }: FieldSpec, test: Test): Holds<Entry> {
  if (type.is === "ordered") return orderedTest(test, type.isTime ? timeFrom(wire) : numberFrom(wire, type));
  const holds = textTest(type, test);
  return (entry) => {
    const value = wire === "from" ? programOf(entry.url) : entry[wire];
    return typeof value === "string" && holds(value);
  };
}

function timeFrom(name: string): (bound: number) => Distance {
  return (bound) => (entry) => {
    const value = entry[name];
    return ((typeof value === "string" ? readTimestamp(value) : undefined) ?? Number.NaN) - bound;
  };
}

/** The program that made a call, as it named itself in the URL. */
function programOf(url: unknown): string | undefined {
  const [, program] = /[?&]from=([^&#]*)/.exec(typeof url === "string" ? url : "") ?? [];
  return program || undefined;
}

function numberFrom(wire: FieldSpec["wire"], { scale }: OrderedType): (bound: number) => Distance {
  const fields = wire === "total_bytes" ? ["total_received_bytes", "total_sent_bytes"] : [wire];
  return (bound) => {
    const wanted = bound / scale;
    return (entry) => fields.reduce((sum, field) => sum + numberOf(entry[field]), 0) - wanted;
  };
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);

function orderedTest(test: Test, distanceFrom: (bound: number) => Distance): Holds<Entry> {
  if (test.is === "within") {
    return anyOf(
      test.any.map(({ from, to }) => {
        const [start, end] = [distanceFrom(from), distanceFrom(to)];
        return (entry) => start(entry) >= 0 && end(entry) <= 0;
      }),
    );
  }
  if (test.is === "like" || test.is === "containing" || test.is === "failed") return () => false;
  const distance = distanceFrom(test.value);
  switch (test.is) {
    case ">":
      return (entry) => distance(entry) > 0;
    case ">=":
      return (entry) => distance(entry) >= 0;
    case "<":
      return (entry) => distance(entry) < 0;
    case "<=":
      return (entry) => distance(entry) <= 0;
  }
}

function textTest(type: TextType, test: Test): Holds<string> {
  if (test.is === "like") return anyOf(test.any.map((pattern) => patternTest(type, pattern)));
  if (test.is !== "containing") return () => false;
  const wanted = test.any.map((text) => text.toLowerCase());
  // A channel's project counts only if the text has an @.
  const [whole, parts] = [wanted.filter((text) => text.includes("@")), wanted.filter((text) => !text.includes("@"))];
  return (value) => containsAny(type.part(value), parts) || containsAny(value, whole);
}

function containsAny(text: string, parts: readonly string[]): boolean {
  if (parts.length === 0) return false;
  const lower = text.toLowerCase();
  return parts.some((part) => lower.includes(part));
}

function patternTest(type: TextType, pattern: Pattern): Holds<string> {
  const isLike = likePattern(pattern);
  if (!pattern.some((part) => part.includes("@"))) return (value) => isLike(type.part(value));
  return (value) => isLike(value) || isLike(type.part(value));
}

/** Whether a text has a pattern's parts in order, with anything between them. In linear time. */
function likePattern([first = "", ...rest]: Pattern): Holds<string> {
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}

function anyOf<T>(tests: readonly Holds<T>[]): Holds<T> {
  return (value) => tests.some((test) => test(value));
}
