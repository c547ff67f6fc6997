import { fieldNamesOf, fieldOf } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { hostile } from "../test/hostile.js";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatMinutes,
  formatPeriod,
  formatShare,
  formatWithin,
} from "./numbers.js";
import { brief, clockFor, formatAgo, graphemesOf, oneLine, textOf } from "./words.js";

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

describe("a field", () => {
  it("is read if it is the object's own", () => {
    expect(fieldOf({ a: 1, b: null }, "a")).toBe(1);
    expect(fieldOf({ a: 1, b: null }, "b")).toBe(null);
    expect(fieldNamesOf({ a: 1, b: null })).toEqual(["a", "b"]);
  });

  it.each([undefined, null, 7, "text", {}, []])("is missing in %j", (thing) => {
    for (const name of ["a", "length", "constructor", "__proto__", undefined]) {
      if (name === "length" && Array.isArray(thing)) continue;
      expect(fieldOf(thing, name)).toBeUndefined();
    }
    expect(fieldNamesOf(thing)).toEqual([]);
  });

  it.each(Object.entries(hostile))("that cannot be read is missing: %s", (_, thing) => {
    expect(fieldOf(thing, "url")).toBeUndefined();
    expect(() => fieldNamesOf(thing)).not.toThrow();
  });
});

/** Everything that untrusted text must not contain, listed independently of the code. */
const DANGEROUS = /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}/u;

describe("oneLine", () => {
  it.each([
    ["a line break", "a\r\nb", "a␍␊b"],
    ["a tab", "a\tb", "a␉b"],
    ["a colour", "\u001b[31mred", "␛[31mred"],
    ["a terminal's title", "\u001b]0;x\u0007", "␛]0;x␇"],
    ["a colour as a single character", "\u009b31mred", "�31mred"],
    ["a delete character", "a\u007f", "a␡"],
    ["an end-of-text character", "\0", "␀"],
    ["a change of the writing direction", "\u202egnp.exe", "�gnp.exe"],
    ["an isolated change of the writing direction", "a\u2066b\u2069", "a�b�"],
    ["the line ends of Unicode", "a\u2028b\u2029c\u0085d", "a�b�c�d"],
    ["half a surrogate pair", "\ud83d", "�"],
    ["a zero-width space", "a\u200bb", "a�b"],
    ["a soft hyphen", "pass\u00adword", "pass�word"],
    ["a byte order mark", "\ufeffx", "�x"],
    ["a Hangul filler", "a\u3164b", "a�b"],
    ["a joiner between plain letters", "ad\u200dmin", "ad�min"],
    ["a selector after a plain letter", "a\ufe0f", "a�"],
    ["text that is hidden in tags", "x\u{e0068}\u{e0069}", "x��"],
    ["marks that would cover the lines around", `a${"\u0301".repeat(10)}b`, `a${"\u0301".repeat(8)}��b`],
    ["text that is hidden in a flag", `🏴${"\u{e0068}".repeat(8)}`, `🏴${"\u{e0068}".repeat(7)}�`],
  ])("shows %s as a visible symbol", (_, text, shown) => {
    expect(oneLine(text)).toBe(shown);
  });

  it.each([
    ["a family", "👩‍👩‍👧‍👦"],
    ["a rainbow flag", "🏳️‍🌈"],
    ["a keycap", "1️⃣"],
    ["the flag of a region", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
    ["Persian, which needs a joiner", "می\u200cخواهم"],
    ["Hindi, which needs one, too", "क्\u200dष"],
    ["a name in a rare form", "葛\u{e0100}城"],
    ["separate accents", "e\u0301"],
    ["Hebrew with all its marks", "בְּ\u05a5רֵאשִׁ֖ית"],
    ["Tibetan, which is stacked", "ཧྐྵྨླྺྼྻྂ"],
    ["quotes and dashes", "“a” – b…"],
  ])("leaves %s unchanged", (_, text) => {
    expect(oneLine(text)).toBe(text);
  });

  it.each([
    "\u{e0041}".repeat(50_000),
    "\u{1f3f4}\u{e0041}".repeat(50_000),
    "a\u200d".repeat(50_000),
    "\u0301".repeat(50_000),
  ])("takes linear time, even for pathological input", (text) => {
    expect(oneLine(text).length).toBeLessThanOrEqual(text.length);
  });

  it("leaves nothing dangerous in any text, and is idempotent", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(oneLine(text)).not.toMatch(DANGEROUS);
        expect(oneLine(oneLine(text))).toBe(oneLine(text));
      }),
    );
  });
});

describe("textOf", () => {
  it.each([
    [undefined, "–"],
    [null, "–"],
    ["", "–"],
    [0, "0"],
    [false, "false"],
    ["a\nb", "a␊b"],
    [{ a: [1, "b"] }, '{"a":[1,"b"]}'],
    [[], "[]"],
    [12n, "bigint"],
    [Symbol("a"), "symbol"],
    [{ toJSON: () => undefined }, "object"],
  ])("writes %o as %s", (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  it("writes a value that contains itself", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(textOf(cycle)).toBe("object");
  });

  it("never throws, and is never empty", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(textOf(value)).not.toBe("");
      }),
    );
  });
});

describe("brief", () => {
  it.each([
    ["a text that fits", "abcdef", 6, undefined, "abcdef"],
    ["a text that does not fit", "abcdefg", 6, undefined, "abc…fg"],
    ["more of its start on request", "01KAKV0B9E7W5Q3X1Z8N6M4K2J", 13, 4, "01KAKV0B…4K2J"],
    ["whole surrogate pairs", "🙂".repeat(6), 5, undefined, "🙂🙂…🙂🙂"],
    ["as many surrogate pairs as fit, even in a longer text", "🙂".repeat(5), 5, undefined, "🙂".repeat(5)],
    ["whole family emoji", "👩‍👩‍👧‍👦".repeat(5), 20, undefined, "👩‍👩‍👧‍👦…👩‍👩‍👧‍👦"],
    ["accents on their letters", "e\u0301".repeat(5), 6, undefined, "e\u0301…e\u0301"],
    ["a letter with more marks than fit", `a${"\u0301".repeat(8)}`, 4, undefined, "…"],
    ["a text on one line", "a\n\u202eb", 9, undefined, "a␊�b"],
    ["the ends of a very long text", `会議${"x".repeat(5_000_000)}議室`, 5, undefined, "会議…議室"],
    ["the ends of very many emoji", "👩‍👩‍👧‍👦".repeat(500_000), 20, undefined, "👩‍👩‍👧‍👦…👩‍👩‍👧‍👦"],
    ["only the placeholder", "abc", 1, undefined, "…"],
  ])("returns %s", (_, text, longest, atEnd, expected) => {
    expect(brief(text, longest, atEnd)).toBe(expected);
  });

  it("never exceeds its limit, and consists of the line's characters", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 50 }), (text, longest) => {
        const short = brief(text, longest);
        const line = oneLine(text);
        if (short === line) return;
        expect(Array.from(short).length).toBeLessThanOrEqual(longest);
        const [head = "", tail = ""] = splitAtMiddle(short, line);
        const signs = graphemesOf(line);
        expect(signs.slice(0, graphemesOf(head).length).join("")).toBe(head);
        expect(signs.slice(signs.length - graphemesOf(tail).length).join("")).toBe(tail);
      }),
    );
  });
});

/** The "…" that replaces the middle: the text may contain others. */
function splitAtMiddle(short: string, text: string): string[] {
  for (let at = short.indexOf("…"); at >= 0; at = short.indexOf("…", at + 1)) {
    const parts = [short.slice(0, at), short.slice(at + 1)];
    if (text.startsWith(parts[0] ?? "") && text.endsWith(parts[1] ?? "")) return parts;
  }
  return [];
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

describe("the graphemes of a text", () => {
  it("are the same if a text is processed in pieces", () => {
    const unit = fc.constantFrom(
      "a",
      "\u0301",
      "👩",
      "\u200d",
      "🇩",
      "\ud83d",
      "\udc00",
      "क",
      "\u094d",
      "🏴",
      "\u{e0067}",
      "한",
      "\r",
      "\n",
    );
    const anyLongText = fc.tuple(
      fc.string({ unit, minLength: 1, maxLength: 30 }),
      fc.integer({ min: 990, max: 1010 }),
      fc.string({ unit }),
    );
    fc.assert(
      fc.property(anyLongText, ([some, length, rest]) => {
        const text = some.repeat(Math.ceil(length / some.length)).slice(-length) + rest.repeat(20);
        expect(graphemesOf(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment));
      }),
    );
  });

  it.each([
    ["emoji", "👩‍👩‍👧‍👦", 80_000, 80_000],
    ["marks on one letter", "\u0301", 400_000, 1],
    ["halves of flags", "🇩", 200_000, 100_000],
  ])("of very many %s are found in linear time", (_, sign, count, signs) => {
    expect(graphemesOf(sign.repeat(count))).toHaveLength(signs);
  });
});

const now = Date.parse("2026-11-21T14:05:30Z");

describe("the distance of a time from now", () => {
  it.each([
    [0, "now"],
    [999, "now"],
    [SECOND, "1 s ago"],
    [59_999, "59 s ago"],
    [MINUTE, "1 min ago"],
    [HOUR - 1, "59 min ago"],
    [HOUR, "1 h ago"],
    [DAY - 1, "23 h ago"],
    [DAY, "1 d ago"],
    [30 * DAY, "30 d ago"],
    [-500, "now"],
    // Slightly less than ten minutes reads as ten minutes.
    [-599_400, "in 10 min"],
    [-5 * MINUTE, "in 5 min"],
    [-3 * HOUR, "in 3 h"],
    [500 - MINUTE, "in 1 min"],
    [500 - HOUR, "in 1 h"],
    [500 - DAY, "in 1 d"],
  ])("after %d ms is %s", (distance, text) => {
    expect(formatAgo(now - distance, now)).toBe(text);
  });
});

describe("a clock", () => {
  it.each([
    ["only the time for today", undefined, "2026-11-21T00:00:00Z", "00:00:00", "2026-11-21 00:00:00"],
    ["yesterday with the date", undefined, "2026-11-20T23:59:59.999Z", "Nov 20 23:59:59", "2026-11-20 23:59:59"],
    ["a date with a single digit", undefined, "2026-01-03T04:05:06Z", "Jan 3 04:05:06", "2026-01-03 04:05:06"],
    ["another year with the year", undefined, "2025-12-31T23:59:59Z", "2025-12-31 23:59:59", "2025-12-31 23:59:59"],
    ["tomorrow with the date", undefined, "2026-11-22T00:00:00Z", "Nov 22 00:00:00", "2026-11-22 00:00:00"],
    ["the local today", "Asia/Tokyo", "2026-11-21T14:59:59Z", "23:59:59", "2026-11-21 23:59:59"],
    ["the local tomorrow", "Asia/Tokyo", "2026-11-21T15:00:00Z", "Nov 22 00:00:00", "2026-11-22 00:00:00"],
    ["zones with half-hour offsets", "Asia/Kolkata", "2026-11-21T14:00:00Z", "19:30:00", "2026-11-21 19:30:00"],
    [
      "zones with quarter-hour offsets",
      "Pacific/Chatham",
      "2026-11-20T14:00:00Z",
      "Nov 21 03:45:00",
      "2026-11-21 03:45:00",
    ],
    // Berlin puts its clocks forward from 2 to 3, at 01:00 UTC, and back from 3 to 2, at the same time.
    ["the last second of winter", "Europe/Berlin", "2026-03-29T00:59:59Z", "Mar 29 01:59:59", "2026-03-29 01:59:59"],
    ["the first second of summer", "Europe/Berlin", "2026-03-29T01:00:00Z", "Mar 29 03:00:00", "2026-03-29 03:00:00"],
    ["the last second of summer", "Europe/Berlin", "2026-10-25T00:59:59Z", "Oct 25 02:59:59", "2026-10-25 02:59:59"],
    ["the repeated hour", "Europe/Berlin", "2026-10-25T01:00:00Z", "Oct 25 02:00:00", "2026-10-25 02:00:00"],
    // Lord Howe Island puts its clocks forward by half an hour.
    [
      "half an hour of summer time",
      "Australia/Lord_Howe",
      "2026-10-03T15:30:00Z",
      "Oct 4 02:30:00",
      "2026-10-04 02:30:00",
    ],
    ["times before zones", "Europe/Berlin", "0050-06-01T12:00:00Z", "0050-06-01 12:53:28", "0050-06-01 12:53:28"],
    ["the first supported time", "America/New_York", "0000-01-01T00:00:00Z", expect.any(String), "0000-01-01 00:00:00"],
    ["the last supported time", "Asia/Tokyo", "9999-12-31T23:59:59Z", "9999-12-31 23:59:59", "9999-12-31 23:59:59"],
  ])("shows %s", (_, timeZone, time, short, full) => {
    const clock = clockFor({ now, timeZone });
    expect(clock.short(Date.parse(time))).toEqual(short);
    expect(clock.full(Date.parse(time))).toBe(full);
    expect(clock.zoned(Date.parse(time))).toBe(`${full} ${timeZone ?? "UTC"}`);
  });

  it.each(["America/New_York", "Asia/Kathmandu", "Europe/Dublin", "Pacific/Apia", "UTC"])(
    "in %s matches the zone's local time at any time",
    (timeZone) => {
      const clock = clockFor({ now, timeZone });
      const judge = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
      const anyTime = fc.date({ min: new Date("1980-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
      fc.assert(
        fc.property(anyTime, (time) => {
          expect(clock.full(time.getTime())).toBe(judge.format(time));
        }),
      );
    },
  );

  it.each(["Mars/Olympus", "", "+25:00"])("is refused for %j, which is not a zone", (timeZone) => {
    expect(() => clockFor({ now, timeZone })).toThrow(
      new RangeError(`Unknown time zone "${timeZone}". Use an IANA name, such as Europe/Berlin or UTC.`),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "is refused for the current time %d",
    (time) => {
      expect(() => clockFor({ now: time })).toThrow(
        new RangeError(`now must be milliseconds since 1970, such as Date.now(), but is ${time}.`),
      );
    },
  );

  it("writes any finite time", () => {
    const clock = clockFor({ now, timeZone: "Europe/Berlin" });
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (time) => {
        expect(clock.full(time)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      }),
    );
  });
});

describe("a count", () => {
  it.each([
    [0, "0"],
    [-0, "0"],
    [999, "999"],
    [1000, "1,000"],
    [1_234_567, "1,234,567"],
    [-1_234_567, "-1,234,567"],
    [0.5, "0.5"],
    [1234.5, "1234.5"],
    [1e21, "1e+21"],
    [Number.MAX_SAFE_INTEGER, "9,007,199,254,740,991"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
  ])("of %d is %s", (value, text) => {
    expect(formatCount(value)).toBe(text);
  });
});

describe("bytes", () => {
  it.each([
    [0, "0 B"],
    [1, "1 B"],
    [999, "999 B"],
    [1000, "1 kB"],
    [1004, "1 kB"],
    [1005, "1 kB"],
    [1240, "1.24 kB"],
    [48_120, "48.1 kB"],
    [99_949, "99.9 kB"],
    [99_950, "100 kB"],
    [999_499, "999 kB"],
    [999_500, "1 MB"],
    [1_284_331_902, "1.28 GB"],
    [5e12, "5 TB"],
    [7.3e15, "7.3 PB"],
    [1e18, "1 EB"],
    [1e21, "1,000 EB"],
    [-5, "-5 B"],
    [-5_000_000, "-5,000,000 B"],
    [Number.NaN, "NaN B"],
  ])("%d are %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it("never have more than three digits before their unit, up to an exabyte", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e18, noNaN: true }), (bytes) => {
        expect(formatBytes(Math.round(bytes))).toMatch(/^\d{1,3}(\.\d{1,2})? ([kMGTPE]?B)$/);
      }),
    );
  });
});

describe("a duration", () => {
  it.each([
    [0, "0 ms"],
    [0.4, "0 ms"],
    [84, "84 ms"],
    [84.5, "85 ms"],
    [999.4, "999 ms"],
    [999.5, "1 s"],
    [1240, "1.24 s"],
    [10_000, "10 s"],
    [59_949, "59.9 s"],
    [59_950, "1 min"],
    [MINUTE + 59.9 * SECOND, "2 min"],
    [2 * MINUTE + 3 * SECOND, "2 min 3 s"],
    [59 * MINUTE + 59.6 * SECOND, "1 h"],
    [125 * MINUTE, "2 h 5 min"],
    [HOUR + 29 * SECOND, "1 h"],
    [HOUR + 31 * SECOND, "1 h 1 min"],
    [23 * HOUR + 59 * MINUTE + 40 * SECOND, "1 d"],
    [3 * DAY + 4 * HOUR, "3 d 4 h"],
    [3 * DAY + 4 * HOUR + 31 * MINUTE, "3 d 5 h"],
    [4000 * DAY, "4,000 d"],
    [-1, "-1 ms"],
    [-125 * MINUTE, "-2 h 5 min"],
    [Number.NaN, "NaN ms"],
    [Number.POSITIVE_INFINITY, "Infinity ms"],
  ])("of %d ms is %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  it("never exceeds a unit's maximum", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 400 * DAY, noNaN: true }), (milliseconds) => {
        const parts = formatDuration(milliseconds).split(/ (?=\d)/);
        const most: Record<string, number> = { ms: 999, s: 59.9, min: 59, h: 23, d: 400 };
        expect(parts.length).toBeLessThanOrEqual(2);
        for (const part of parts) {
          const [count, unit = ""] = part.split(" ");
          expect(Number(count)).toBeLessThanOrEqual(most[unit] ?? -1);
        }
      }),
    );
  });
});

describe("a duration in a sentence", () => {
  it.each([
    [SECOND, "the last second", "within a second"],
    [MINUTE, "the last minute", "within a minute"],
    [HOUR, "the last hour", "within an hour"],
    [DAY, "the last day", "within a day"],
    [90 * SECOND, "the last 1 min 30 s", "within 1 min 30 s"],
    [20 * MINUTE, "the last 20 min", "within 20 min"],
    [0, "the last 0 ms", "within 0 ms"],
  ])("of %d ms reads as %s and %s", (milliseconds, last, within) => {
    expect(`the last ${formatPeriod(milliseconds)}`).toBe(last);
    expect(`within ${formatWithin(milliseconds)}`).toBe(within);
  });
});

describe("a duration in whole minutes", () => {
  it.each([
    [0, "< 1 min"],
    [1, "1 min"],
    [44, "44 min"],
    [125, "2 h 5 min"],
    [-1, "-1 min"],
  ])("of %d is %s", (minutes, text) => {
    expect(formatMinutes(minutes)).toBe(text);
  });
});

describe("a share", () => {
  it.each([
    [0, 0, "0%"],
    [0, 7, "0%"],
    [7, 7, "100%"],
    [1, 3, "33%"],
    [1, 11, "9.1%"],
    [3, 100, "3%"],
    [1, 1000, "0.1%"],
    [1, 1001, "< 0.1%"],
    [999, 1000, "99.9%"],
    [99_999, 100_000, "> 99.9%"],
    [9951, 10_000, "99.5%"],
    [9996, 10_000, "> 99.9%"],
  ])("of %d in %d is %s", (part, whole, text) => {
    expect(formatShare(part, whole)).toBe(text);
  });

  it("is never 0% or 100% unless it is exact", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 1e9 }), (part, more) => {
        expect(["0%", "100%"]).not.toContain(formatShare(part, part + more));
      }),
    );
  });
});
