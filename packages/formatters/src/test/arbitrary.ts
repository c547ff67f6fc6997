import type { LogKind } from "@media-ops/contract";
import { columnsOf } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import { kinds } from "./samples.js";

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
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(anyTime, anyNumber, anyText, fc.jsonValue({ maxDepth: 2 }));

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
export function many<Item>(one: fc.Arbitrary<Item>, most = 120): fc.Arbitrary<Item[]> {
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
