import type { LogKind } from "@media-ops/contract";
import { type Digest, type DigestDay, logStatus, summarize, type Trace, type TraceLine } from "@media-ops/reports";
import { columnsOf } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import type { Incident } from "../incident.js";
import { calmWhy, incidents, kinds, now, trace, why } from "./samples.js";

/** Any text, with control characters, lone surrogates, wide characters and the markup of each printer. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc.constantFrom(
    "<!channel>",
    "<https://evil.example|click>",
    "@here & <@U123>",
    "=1+1",
    "\u001b[31mred\u001b]0;title\u0007",
    "a|b\\|c`d`\n| - |",
    '"quoted", and\r\nbroken',
    "日本語のチャンネル",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "\u202egnp.exe",
    "\ud800",
    "x".repeat(5000),
  ),
);

const anyTime: fc.Arbitrary<string> = fc
  .date({ min: new Date("1970-01-01T00:00:00Z"), max: new Date("2100-01-01T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString());

const anyNumber: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 0, max: 5_000_000 }),
  fc.constantFrom(0, -1, 200, 404, 503, 1e300, Number.MAX_SAFE_INTEGER, 0.1),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Valid and invalid values of a field. */
const anyValue: fc.Arbitrary<unknown> = fc.oneof(anyTime, anyNumber, anyText, fc.jsonValue({ maxDepth: 2 }));

export const anyKind: fc.Arbitrary<LogKind> = fc.constantFrom(...kinds);

/** Any valid or invalid entry of this kind. */
export function anyEntry(kind: LogKind): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(columnsOf(kind).map(({ field }) => [field, anyValue]));
  return fc.oneof(
    { weight: 8, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.dictionary(anyText, anyValue) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

/** A few different things, repeated: more than fit into a Slack message. */
function many<Item>(one: fc.Arbitrary<Item>, most = 120): fc.Arbitrary<Item[]> {
  return fc
    .tuple(fc.array(one, { maxLength: 12 }), fc.nat(most))
    .map(([some, count]) => (some.length === 0 ? [] : Array.from({ length: count }, (_, at) => some[at % some.length])))
    .map((items) => items.flatMap((item) => (item === undefined ? [] : [item])));
}

/** Any number of entries. */
export const anyEntries = (kind: LogKind): fc.Arbitrary<unknown[]> => many(anyEntry(kind));

/** Any entries with their kind. */
export const anyKindAndEntries: fc.Arbitrary<[LogKind, unknown[]]> = anyKind.chain((kind) =>
  fc.tuple(fc.constant(kind), anyEntries(kind)),
);

/** Any entry with its kind. */
export const anyKindAndEntry: fc.Arbitrary<[LogKind, unknown]> = anyKind.chain((kind) =>
  fc.tuple(fc.constant(kind), anyEntry(kind)),
);

/** What the values of a field may be, by its name and the samples. */
type Leaf = (name: string, values: readonly unknown[]) => fc.Arbitrary<unknown>;

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Anything with the shape of these samples: a member that one of them lacks, or all of them, may be missing. */
function anyShape(name: string, samples: readonly unknown[], leaf: Leaf, mayLackAll: boolean): fc.Arbitrary<unknown> {
  if (samples.length > 0 && samples.every((one) => Array.isArray(one))) {
    return many(anyShape(name, samples.flat(), leaf, mayLackAll), 20);
  }
  if (samples.length === 0 || name === "roles" || !samples.every(isRecord)) return leaf(name, samples);
  const names = [...new Set(samples.flatMap((one) => Object.keys(one)))];
  const given = samples.map((one) => new Map(Object.entries(one)));
  const fields = names.map((key) => {
    const values = given.flatMap((members) => (members.has(key) ? [members.get(key)] : []));
    return [key, anyShape(key, values, leaf, mayLackAll)];
  });
  const requiredKeys = mayLackAll ? [] : names.filter((key) => given.every((members) => members.has(key)));
  return fc.record<Record<string, unknown>>(Object.fromEntries(fields), { requiredKeys });
}

/** What a service, or a proxy before it, may answer instead of these samples. */
export function anyLike<Sample extends object>(...samples: readonly Sample[]): fc.Arbitrary<Sample> {
  const anyOf: Leaf = (name, values) =>
    fc.oneof(
      ...(values.length > 0 ? [fc.constantFrom(...values)] : []),
      name === "roles" ? fc.dictionary(anyText, anyValue) : anyText,
      anyValue,
      fc.constantFrom(null, undefined),
    );
  return fc.oneof(
    { weight: 9, arbitrary: anyShape("", samples, anyOf, true) },
    { weight: 1, arbitrary: anyOf("", [[]]) },
  ) as fc.Arbitrary<Sample>;
}

/** Any number of what a service may answer instead of each of these samples. */
export const manyLike = <Sample extends object>(samples: readonly Sample[]): fc.Arbitrary<Sample[]> =>
  many(anyLike(...samples), 64);

const anyFigure = fc.oneof(
  fc.nat(1000),
  fc.double(),
  fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
);

/** A time around now, or any number. */
const anyMoment = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: now - 3 * 86_400_000, max: now }) }, anyFigure);

const MOMENTS = new Set(["from", "to", "began", "ended", "lookedUntil", "blindSince"]);
/** The names of free texts; the others are one of a few words. */
const TEXTS = new Set(["id", "name", "mediaReason", "detail"]);

/** Our own results: their types are right, and their numbers and names any. */
const typed: Leaf = (name, values) => {
  if (MOMENTS.has(name)) return anyMoment;
  if (name === "field") return fc.oneof(fc.constantFrom(...values), fc.constantFrom("type", "status"), anyText);
  if (TEXTS.has(name)) return anyText;
  if (values.every((one) => typeof one === "boolean")) return fc.boolean();
  return values.every((one) => typeof one === "number") ? anyFigure : fc.constantFrom(...values);
};

const anyTyped = <Result>(...samples: readonly Result[]): fc.Arbitrary<Result> =>
  anyShape("", samples, typed, false) as fc.Arbitrary<Result>;

/** Any explanation. */
export const anyWhy = anyTyped(why, { ...calmWhy, since: "?", until: "1970-01-01T00:00:00Z", before: undefined });

/** Any incident, also one that no watch can have seen. */
export const anyIncident: fc.Arbitrary<Incident> = fc
  .tuple(anyTyped<Incident>(...Object.values(incidents)), anyKind)
  .map(([incident, kind]) => ({ ...incident, kind }));

const anyLine = anyKind.chain((kind) =>
  fc.record({ kind: fc.constant(kind), entry: anyEntry(kind), end: fc.option(anyEntry("connections")) }),
) as fc.Arbitrary<TraceLine>;

/** Any trace with valid and invalid entries. */
export const anyTrace: fc.Arbitrary<Trace> = fc
  .record({
    lines: many(anyLine, 300),
    subject: fc.constantFrom(undefined, "channel" as const, "client" as const, "connection" as const),
    id: anyText,
    complete: fc.boolean(),
    searchedTo: fc.option(anyText, { nil: undefined }),
    missing: fc.subarray([...kinds]),
    candidates: fc.array(fc.record({ subject: fc.constant("client" as const), id: anyText, timestamp: anyText }), {
      maxLength: 30,
    }),
  })
  .map((given) => ({ ...trace, ...given }));

const [anyCount, anyLength] = [fc.nat(), fc.double()];
const anyDay: fc.Arbitrary<DigestDay> = fc.record(
  { count: anyCount, failed: anyCount, refused: anyCount, p95: anyLength, minutes: anyCount, bytes: anyCount },
  { requiredKeys: ["count"] },
);

const anyDigestLog = anyKindAndEntries.chain(([kind, entries]) =>
  fc
    .record(
      { isRead: fc.constant(true), days: fc.tuple(anyDay, anyDay), minutes: anyCount, searchedTo: fc.nat(now) },
      { requiredKeys: [] },
    )
    .map(({ isRead, days, minutes, searchedTo }) => {
      const { refused } = logStatus(kind, isRead ? entries : [], { now });
      return {
        kind,
        ...(isRead && { day: summarize(kind, entries, { searchedTo, refusedFails: false }) }),
        ...(refused && { refused }),
        ...(minutes !== undefined && { minutes }),
        ...(days && { dayBefore: days[0], weekBefore: days[1] }),
      };
    }),
);

/** Any digest: logs with any entries that were read wholly, in part or not at all. */
export const anyDigest: fc.Arbitrary<Digest> = fc
  .array(anyDigestLog, { maxLength: 6 })
  .map((logs) => ({ period: { from: now - 86_400_000, to: now }, logs }));
