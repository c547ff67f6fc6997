import type { NumberTest, TextTest, TimeTest } from "@media-ops/contract";
import { microsOf, momentKey } from "./moments.js";

/** Whether a value passes a test. */
export type Predicate<Value> = (value: Value) => boolean;

interface Combined<Test> {
  readonly any?: readonly Test[] | undefined;
  readonly all?: readonly Test[] | undefined;
  readonly not?: Test | undefined;
}

/** Tests numbers; NaN stands for an absent one. */
export const toNumberPredicate = (test: NumberTest): Predicate<number> => toPredicate(test, numberLeaves);

/** Tests times by their sort keys. */
export const toTimePredicate = (test: TimeTest): Predicate<string | undefined> => toPredicate(test, timeLeaves);

/** Tests texts. */
export const toTextPredicate = (test: TextTest): Predicate<string | undefined> => toPredicate(test, textLeaves);

/** A test as one predicate: all of its members hold. */
function toPredicate<Test extends Combined<Test>, Value>(
  test: Test,
  leavesOf: (test: Test) => Predicate<Value>[],
): Predicate<Value> {
  const compile = (part: Test): Predicate<Value> => toPredicate(part, leavesOf);
  const parts = [...leavesOf(test), ...(test.all ?? []).map(compile)];
  if (test.any) {
    const any = test.any.map(compile);
    parts.push((value) => any.some((holds) => holds(value)));
  }
  if (test.not) {
    const denied = compile(test.not);
    parts.push((value) => !denied(value));
  }
  const [only, ...others] = parts;
  return only && others.length === 0 ? only : (value) => parts.every((holds) => holds(value));
}

/** No comparison with NaN holds. */
function numberLeaves({ eq, gt, gte, lt, lte }: NumberTest): Predicate<number>[] {
  const leaves: Predicate<number>[] = [];
  if (typeof eq === "number") leaves.push((value) => value === eq);
  else if (eq) leaves.push((value) => eq.some((one) => one === value));
  if (gt !== undefined) leaves.push((value) => value > gt);
  if (gte !== undefined) leaves.push((value) => value >= gte);
  if (lt !== undefined) leaves.push((value) => value < lt);
  if (lte !== undefined) leaves.push((value) => value <= lte);
  return leaves;
}

function timeLeaves({ gt, gte, lt, lte }: TimeTest): Predicate<string | undefined>[] {
  const leaf = (moment: string | undefined, compare: (key: string, bound: string) => boolean) => {
    if (moment === undefined) return [];
    const bound = keyOfMoment(moment);
    return [(key: string | undefined) => key !== undefined && compare(key, bound)];
  };
  return [
    ...leaf(gt, (key, bound) => key > bound),
    ...leaf(gte, (key, bound) => key >= bound),
    ...leaf(lt, (key, bound) => key < bound),
    ...leaf(lte, (key, bound) => key <= bound),
  ];
}

function textLeaves({ eq, contains, starts_with, like }: TextTest): Predicate<string | undefined>[] {
  const leaf = (wanted: string | readonly string[] | undefined, toTest: (one: string) => Predicate<string>) => {
    if (wanted === undefined) return [];
    const tests = [wanted].flat().map(toTest);
    return [(text: string | undefined) => text !== undefined && tests.some((holds) => holds(text))];
  };
  return [
    ...leaf(eq, (one) => (text) => text === one),
    ...leaf(contains, (one) => {
      const part = one.toLowerCase();
      return (text) => text.includes(part);
    }).map((holds) => (text: string | undefined) => holds(text?.toLowerCase())),
    ...leaf(starts_with, (one) => (text) => text.startsWith(one)),
    ...leaf(like, toPattern),
  ];
}

/** A pattern with `*`. Takes each part where it first occurs: no pattern makes it try the same text again. */
function toPattern(pattern: string): Predicate<string> {
  const parts = pattern.match(/(?:\\[\\*]|[^*])+|\*/g) ?? [];
  const [first = "", ...rest] = splitAtStars(parts);
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    for (const part of rest) {
      const at = text.indexOf(part, from);
      if (at === -1) return false;
      from = at + part.length;
    }
    return from + last.length <= text.length;
  };
}

/** The texts between the stars of a pattern, without escapes. */
function splitAtStars(parts: readonly string[]): string[] {
  const texts = [""];
  for (const part of parts) {
    if (part === "*") texts.push("");
    else texts[texts.length - 1] += part.replace(/\\([\\*])/g, "$1");
  }
  return texts;
}

/** Whether a number of a range may meet a test. */
export function canHold(test: NumberTest, low: number, high: number): boolean {
  const { eq, gt, gte, lt, lte, any, all } = test;
  const named = eq === undefined ? undefined : [eq].flat();
  return (
    (gt === undefined || high > gt) &&
    (gte === undefined || high >= gte) &&
    (lt === undefined || low < lt) &&
    (lte === undefined || low <= lte) &&
    (named === undefined || named.some((one) => low <= one && one <= high)) &&
    (any === undefined || any.some((part) => canHold(part, low, high))) &&
    (all === undefined || all.every((part) => canHold(part, low, high)))
    // What `not` denies may hold for another number of the range, or for an entry without one.
  );
}

/** The same test on µs since 1970. */
export function inMicros({ any, all, not, ...bounds }: TimeTest): NumberTest {
  const numbers = Object.entries(bounds).map(([name, moment]) => [name, microsOf(keyOfMoment(moment))]);
  return {
    ...Object.fromEntries(numbers),
    ...(any && { any: any.map(inMicros) }),
    ...(all && { all: all.map(inMicros) }),
    ...(not && { not: inMicros(not) }),
  };
}

/** The sort key of a time that the contract's schema has checked. */
function keyOfMoment(moment: string): string {
  const key = momentKey(moment);
  if (key === undefined) throw new Error(`The contract accepts ${moment}, which is not a time.`);
  return key;
}

/** The texts of which one must occur; undefined if the test names none. */
export function namedIn(test: TextTest): readonly string[] | undefined {
  if (test.eq !== undefined) return [test.eq].flat();
  for (const part of test.all ?? []) {
    const named = namedIn(part);
    if (named) return named;
  }
  const parts = test.any?.map(namedIn);
  return parts?.every((part) => part !== undefined) ? parts.flat() : undefined;
}
