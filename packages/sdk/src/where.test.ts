import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timeKey } from "./time.js";
import { matches } from "./where.js";

const connection = {
  timestamp: "2026-04-01T09:30:15.123456789Z",
  channel_id: "a@b@demo",
  total_received_bytes: 700,
  total_sent_bytes: 300,
  created_timestamp: null,
  session_id: "SESSION-*-\\1",
  duration_min: "12",
};
const call = { timestamp: "2026-04-01T09:30:15Z", url: "https://m.example/x?a=1&from=bot-follow#end", status: 404 };

describe("a condition", () => {
  it.each<[where: object, entry: object, holds: boolean]>([
    [{}, call, true],
    [{ status: { eq: 404 } }, call, true],
    [{ status: { eq: [200, 404] } }, call, true],
    [{ status: { eq: "404" } }, call, false],
    [{ status: { gt: 404 } }, call, false],
    [{ status: { gte: 404, lt: 405 } }, call, true],
    [{ status: { lte: 403 } }, call, false],
    [{ status: { any: [{ eq: 1 }, { gt: 400 }] } }, call, true],
    [{ status: { all: [{ gt: 400 }, { lt: 404 }] } }, call, false],
    [{ status: { not: { eq: 404 } } }, call, false],
    [{ status: { gt: 0, not: { eq: 500 } } }, call, true],
    [{ status: undefined }, call, true],
    [{ status: { gte: undefined } }, call, true],
    [{ failed: true }, call, true],
    [{ failed: false }, call, false],
    [{ failed: true }, { status: 0 }, true],
    [{ failed: true }, { status: 399 }, false],
    [{ failed: false }, { status: 399 }, true],
    [{ failed: false }, { status: "0" }, false],
    [{ failed: true }, {}, false],
    [{ count: { eq: 1 } }, call, false],
    [{ count: { not: { eq: 1 } } }, call, true],
    [{ count: { not: { not: { eq: 1 } } } }, call, false],
    [{ url: { contains: "M.EXAMPLE" } }, call, true],
    [{ url: { contains: ["nowhere", "https"] } }, call, true],
    [{ url: { eq: "HTTPS" } }, call, false],
    [{ url: { starts_with: "HTTPS" } }, call, false],
    [{ url: { starts_with: ["ftp:", "https:"] } }, call, true],
    [{ url: { like: "https://*.example/*" } }, call, true],
    [{ url: { like: "HTTPS*" } }, call, false],
    [{ from: { eq: "bot-follow" } }, call, true],
    [{ from: { like: "*" } }, { url: "https://m.example/x" }, false],
    [{ from: { not: { like: "*" } } }, { url: "https://m.example/from=x" }, true],
    [{ channel: { eq: "a@b" } }, connection, true],
    [{ channel: { eq: "lobby" } }, { channel_id: "lobby" }, true],
    [{ channel: { not: { eq: "lobby" } } }, {}, true],
    [{ total_bytes: { eq: 1000 } }, connection, true],
    [{ total_bytes: { gte: 0 } }, { total_sent_bytes: 1 }, false],
    [{ duration_min: { gt: 0 } }, connection, false],
    [{ created_timestamp: { gt: "2020-01-01T00:00:00Z" } }, connection, false],
    [{ created_timestamp: { not: { gt: "2020-01-01T00:00:00Z" } } }, connection, true],
    [{ timestamp: { gt: "2026-04-01T09:30:15.123456788Z" } }, connection, true],
    [{ timestamp: { gte: "2026-04-01T18:30:15.1234567890+09:00" } }, connection, true],
    [{ timestamp: { lt: "2026-04-01T09:30:15.12345679Z" } }, connection, true],
    [{ timestamp: { lte: "2026-04-01T09:30:15.123Z" } }, connection, false],
    [{ session_id: { like: "SESSION-\\*-\\\\*" } }, connection, true],
    [{ session_id: { like: "SESSION-\\*" } }, connection, false],
    [{ status: { gte: 400 }, url: { contains: "elsewhere" } }, call, false],
  ])("%j on %j: %s", (where, entry, holds) => expect(matches(where, entry)).toBe(holds));

  it("of a test that does not exist is refused, for it would seem to hold", () => {
    expect(() => matches({ status: { gtee: 400 } }, call)).toThrow('Unknown test "gtee" in where.');
    expect(() => matches({ status: { toString: 400 } }, call)).toThrow('Unknown test "toString" in where.');
  });

  it("holds for a pattern exactly if the regular expression does", () => {
    const letter = fc.constantFrom("a", "b", "*", "\\", "\n");
    const few = fc.string({ unit: letter, maxLength: 8 });
    fc.assert(
      fc.property(few, few, (text, pattern) => {
        const source = pattern.replace(/\\[\\*]|./gs, (token) =>
          token === "*" ? "[^]*" : `\\u{${token.at(-1)?.codePointAt(0)?.toString(16)}}`,
        );
        expect(matches({ url: { like: pattern } }, { url: text })).toBe(new RegExp(`^${source}$`, "u").test(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("of a pattern of many stars takes no longer than the text", () => {
    const where = { url: { like: `${"*a".repeat(1000)}*b` } };
    expect(matches(where, { url: "a".repeat(20_000) })).toBe(false);
  });

  it("agrees with its plain reading, for any combination of tests of numbers and times", () => {
    const instants = [
      "09:30:15Z",
      "18:30:15+09:00",
      "09:30:15.0Z",
      "09:30:15.000001Z",
      "09:30:15.0000010001Z",
      "09:30:16Z",
    ];
    const moment = fc.constantFrom(...instants).map((time) => `2026-04-01T${time}`);
    const value = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(undefined), fc.constant(null), fc.constant("1"));
    const testOf = (operand: fc.Arbitrary<string | number>, depth = 2): fc.Arbitrary<object> => {
      const ordered = { gt: operand, gte: operand, lt: operand, lte: operand };
      if (depth === 0) return fc.record(ordered, { requiredKeys: [] });
      const inner = testOf(operand, depth - 1);
      const some = fc.array(inner, { minLength: 1, maxLength: 2 });
      return fc.record({ ...ordered, any: some, all: some, not: inner }, { requiredKeys: [] });
    };
    // Times as fractions of a second since 1970, in digits.
    const exact = (time: string): bigint => {
      const [, fraction = ""] = /\.(\d+)/.exec(time) ?? [];
      return BigInt(Date.parse(time.replace(/\.\d+/, ""))) * 10n ** 9n + BigInt(fraction.padEnd(12, "0"));
    };
    const plain = (
      test: Record<string, never>,
      actual: unknown,
      read: (operand: never) => number | bigint,
    ): boolean => {
      const known = actual === undefined ? undefined : (actual as number);
      for (const [name, operand] of Object.entries(test)) {
        if (name === "not") {
          if (plain(operand, actual, read)) return false;
        } else if (name === "any" || name === "all") {
          const results = (operand as never[]).map((one) => plain(one, actual, read));
          if (!(name === "any" ? results.includes(true) : !results.includes(false))) return false;
        } else {
          if (known === undefined) return false;
          const other = read(operand);
          const order = known < other ? -1 : known > other ? 1 : 0;
          const holds = { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[name];
          if (!holds) return false;
        }
      }
      return true;
    };
    fc.assert(
      fc.property(testOf(fc.integer({ min: 0, max: 3 })), value, (test, status) => {
        const known = typeof status === "number" ? status : undefined;
        expect(matches({ status: test }, { status })).toBe(plain({ ...test }, known, (operand: number) => operand));
      }),
    );
    fc.assert(
      fc.property(testOf(moment), moment, (test, timestamp) => {
        expect(matches({ timestamp: test }, { timestamp })).toBe(plain({ ...test }, exact(timestamp), exact));
      }),
    );
  });
});

describe("the sorting text of a time", () => {
  it.each([
    ["2026-04-01T09:30:15.500Z", "2026-04-01T09:30:15.5"],
    ["2026-04-01T18:30:15.000+09:00", "2026-04-01T09:30:15"],
    ["2026-04-01t09:30:15.0100z", "2026-04-01T09:30:15.01"],
    [new Date(0), "1970-01-01T00:00:00"],
    [new Date(Number.NaN), undefined],
    ["yesterday", undefined],
    [null, undefined],
    [5, undefined],
  ])("of %s is %s", (time, key) => expect(timeKey(time)).toBe(key));
});
