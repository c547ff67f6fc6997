import { describe, expect, it } from "vitest";
import { printable, readLimit, readOneOf, readTimes, UsageError } from "./command.js";

const now = Date.parse("2026-04-01T12:00:00Z");
const since = (text: string): string => new Date(readTimes({ since: text }, now).since ?? Number.NaN).toISOString();

describe("a time", () => {
  it.each([
    ["30s", "2026-04-01T11:59:30.000Z"],
    ["15m", "2026-04-01T11:45:00.000Z"],
    ["2h", "2026-04-01T10:00:00.000Z"],
    ["3d", "2026-03-29T12:00:00.000Z"],
    ["0s", "2026-04-01T12:00:00.000Z"],
    ["2026-04-01T00:00:00Z", "2026-04-01T00:00:00.000Z"],
    ["2026-04-01t00:00:00z", "2026-04-01T00:00:00.000Z"],
    ["2026-04-01T09:00:00.123456+09:00", "2026-04-01T00:00:00.123Z"],
    ["2024-02-29T23:59:59-01:30", "2024-03-01T01:29:59.000Z"],
  ])("may be written as %s", (text, time) => {
    expect(since(text)).toBe(time);
  });

  it.each([
    ...["", "2", "2 h", "2w", "-2h", "yesterday", "2026-04-01", "2026-04-01T00:00:00", "1775001600"],
    ...["2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z", "2026-13-01T00:00:00Z"],
    ...["2026-04-01T24:00:00Z", "2026-04-01T00:60:00Z"],
  ])("refuses %j, and the error lists the valid forms", (text) => {
    expect(() => since(text)).toThrow(UsageError);
    expect(() => since(text)).toThrow(`--since must be a duration back from now, such as 30s`);
  });

  it("is undefined if it is not set", () => {
    expect(readTimes({}, now)).toEqual({ since: undefined, until: undefined });
  });

  it("must start before it ends", () => {
    expect(readTimes({ since: "2h", until: "1h" }, now)).toEqual({ since: now - 7_200_000, until: now - 3_600_000 });
    expect(() => readTimes({ since: "1h", until: "2h" }, now)).toThrow(
      "--since 1h must be before --until 2h, but is not.",
    );
    expect(() => readTimes({ since: "1h", until: "1h" }, now)).toThrow(UsageError);
  });
});

describe("a limit", () => {
  const read = (text?: string) => readLimit(text, { standard: 50, most: 1000 });

  it("is a whole number within bounds", () => {
    expect([read(), read("1"), read("1000")]).toEqual([50, 1, 1000]);
  });

  it.each(["0", "1001", "-1", "1.5", "ten", "", "1e2", "99999999999"])("refuses %j", (text) => {
    expect(() => read(text)).toThrow(`--limit must be a whole number from 1 to 1000, but is "${text}".`);
  });
});

it("refuses an unknown word, with the known ones and the closest match", () => {
  const read = (text: string) => readOneOf("--status", text, ["waiting", "delivered", "failed"]);
  expect(read("failed")).toBe("failed");
  expect(() => read("faild")).toThrow(
    '--status must be waiting, delivered or failed, but is "faild". Did you mean failed?',
  );
  expect(() => read("lost-for-good")).toThrow(/but is "lost-for-good".$/);
});

it.each([
  ["plain text, ä, 日本, 🎉", "plain text, ä, 日本, 🎉"],
  ["two\nlines\r\n\t", "two\\nlines\\r\\n\\t"],
  ["\u001b[2Jgone", "\\u{1b}[2Jgone"],
  ["\u009b2Jgone", "\\u{9b}2Jgone"],
  ["evil\u202etxt.exe", "evil\\u{202e}txt.exe"],
  ["a\u2028b", "a\\u{2028}b"],
])("%j is escaped, so that a terminal shows it and does not execute it", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

it("a long text is cut, with the number of omitted characters", () => {
  expect(printable("abcdef", 6)).toBe("abcdef");
  expect(printable("abcdef", 4)).toBe("abcd… (and 2 more characters)");
  // A character is never split.
  expect(printable("🎉🎉", 3)).toBe("🎉\ufffd… (and 1 more characters)");
});
