import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isKey,
  keyAt,
  NEWEST,
  newestOf,
  pageOf,
  positionOf,
  ROWS,
  readSpot,
  type Spot,
  spotOf,
  writeSpot,
} from "./listing.js";

type Fits = Parameters<typeof pageOf>[2];

interface Entry {
  timestamp: string;
  width: number;
}

const all: Fits = (entries) => entries.length;

/** A page holds as many of the first entries as fit into the room together, but at least one. */
const within =
  (room: number): Fits =>
  (entries) => {
    let [left, count] = [room, 0];
    for (const entry of entries as Entry[]) {
      left -= entry.width;
      if (left < 0 && count > 0) break;
      count += 1;
    }
    return count;
  };

const START = Date.UTC(2026, 10, 21) / 1000;
const timeOf = (seconds: number): string => new Date((START + seconds) * 1000).toISOString();

/** Entries, newest first; many at the same time, and many equal. */
const anyEntries = (
  seconds: { min: number; max: number },
  size: { minLength?: number; maxLength: number },
): fc.Arbitrary<Entry[]> =>
  fc
    .array(fc.record({ at: fc.integer(seconds), width: fc.integer({ min: 1, max: 3 }) }), size)
    .map((some) => some.sort((a, b) => b.at - a.at).map(({ at, width }) => ({ timestamp: timeOf(at), width })));

const anyListing = anyEntries({ min: 0, max: 30 }, { minLength: 1, maxLength: 130 });
/** The widths of the entries that are logged before each press. */
const anyArrivals = fc.array(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 7 }), {
  minLength: 1,
  maxLength: 8,
});

/**
 * Adds new entries: wide ones later than all others, narrow ones at the same time, so that they may be equal to others.
 */
function grown(entries: Entry[], widths: number[]): Entry[] {
  const newest = Date.parse(entries[0]?.timestamp ?? timeOf(0)) / 1000 - START;
  const added = widths
    .sort((a, b) => b - a)
    .map((width) => ({ timestamp: timeOf(width === 1 ? newest : newest + 1), width }));
  return [...added, ...entries];
}

/** Pages from a spot to the end of a listing, while new entries are added at its start before each press. */
function walk(start: Entry[], way: "older" | "newer", first: Spot, fits: Fits, arrivals: number[][]) {
  let entries = start;
  const pages: Entry[][] = [];
  let spot = first;
  for (let presses = 0; presses < 400; presses++) {
    const page = pageOf(entries, spot, fits);
    pages.push(entries.slice(page.start, page.end));
    if (way === "older" ? page.end === entries.length : page.start === 0) return { pages, entries, page };
    const key = keyAt(entries, way === "older" ? page.end - 1 : page.start);
    const written = readSpot(writeSpot({ is: way, key }));
    expect(written).toEqual({ is: way, key });
    spot = written ?? NEWEST;
    entries = grown(entries, arrivals[presses] ?? []);
  }
  throw new Error("It does not end.");
}

describe("paging through a listing while new entries are logged", () => {
  it("skips no entry if fewer rows than a page fit", () => {
    fc.assert(
      fc.property(anyListing, anyArrivals, fc.integer({ min: 1, max: 30 }), (listing, arrivals, room) => {
        const older = walk(listing, "older", NEWEST, within(room), arrivals);
        expect(older.pages.flat()).toEqual(listing);
        const newer = walk(older.entries, "newer", spotOf(older.entries, older.page), within(room), []);
        expect(newer.pages.reverse().flat()).toEqual(older.entries);
        for (const page of [...older.pages, ...newer.pages]) {
          expect(page.length).toBeLessThanOrEqual(ROWS);
          expect(within(room)(page)).toBe(page.length);
        }
      }),
    );
  });

  it("fills the pages before the oldest as far as they have room", () => {
    const wide = { width: 3 };
    const entries = Array.from({ length: 30 }, (_, at) => ({ timestamp: timeOf(100 - at), ...wide }));
    const page = pageOf(entries, { is: "newer", key: keyAt(entries, 25) }, within(30));
    expect(page).toEqual({ start: 15, end: 25, isOther: false });
  });
});

describe("a page with deleted entries", () => {
  const entries = Array.from({ length: 50 }, (_, at) => ({ timestamp: timeOf(100 - at), width: 1 }));

  it("continues at the time of the entry that it refers to", () => {
    const key = keyAt(entries, 19);
    const left = entries.filter((_, at) => at !== 19);
    expect(pageOf(left, { is: "older", key }, all)).toEqual({ start: 19, end: 39, isOther: false });
    expect(pageOf(left, { is: "newer", key }, all)).toEqual({ start: 0, end: 19, isOther: false });
  });

  it("is the last page if all older entries are gone", () => {
    const left = entries.slice(0, 30);
    const expected = { start: 10, end: 30, isOther: true };
    expect(pageOf(left, { is: "older", key: keyAt(entries, 39) }, all)).toEqual(expected);
    expect(pageOf(left, { is: "around", key: keyAt(entries, 45), before: 5, count: 20 }, all)).toEqual(expected);
  });

  it("is the first page if no entry is newer", () => {
    expect(pageOf(entries, { is: "newer", key: keyAt(entries, 0) }, all)).toEqual({ start: 0, end: 20, isOther: true });
  });

  it("is empty if no entry is left", () => {
    expect(pageOf([], { is: "older", key: keyAt(entries, 0) }, all)).toEqual({ start: 0, end: 0, isOther: false });
  });
});

describe("the page of an entry", () => {
  it("stays the same page after new entries, referenced by any of its entries", () => {
    fc.assert(
      fc.property(anyListing, fc.nat(), fc.nat(), (listing, anyRow, anyPage) => {
        const start = ROWS * (anyPage % Math.ceil(listing.length / ROWS));
        const page = { start, end: Math.min(start + ROWS, listing.length), isOther: false };
        const row = start + (anyRow % (page.end - start));
        const spot = readSpot(writeSpot(spotOf(listing, page, row))) ?? NEWEST;
        const grown = [{ timestamp: timeOf(30), width: 1 }, ...listing];
        const found = pageOf(grown, spot, all);
        expect(grown.slice(found.start, found.end)).toEqual(listing.slice(page.start, page.end));
      }),
    );
  });
});

describe("the newest N entries", () => {
  const entries = Array.from({ length: 50 }, (_, at) => ({ timestamp: timeOf(100 - at), width: 1 }));

  it("stay the same when new entries are logged", () => {
    const shown = newestOf(entries, 30, undefined);
    expect(shown).toEqual(entries.slice(0, 30));
    const grown = [{ timestamp: timeOf(200), width: 9 }, ...entries];
    expect(newestOf(grown, 30, keyAt(entries, 0))).toEqual(shown);
  });
});

describe("a serialized spot", () => {
  it.each(["", "older:", "older:x", "sideways:abc.12345678.1", "1/20", "new:abc.12345678.1", "100/20:a.12345678.1"])(
    "is not parsed from %j",
    (word) => {
      expect(readSpot(word)).toBeUndefined();
    },
  );
});

const at = (timestamp: string, more = "") => ({ timestamp, more });

describe("the key of an entry", () => {
  it("finds any entry again in any list", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.jsonValue(), fc.record({ timestamp: fc.jsonValue() }))),
        fc.nat(),
        (some, any) => {
          fc.pre(some.length > 0);
          const key = keyAt(some, any % some.length);
          expect(isKey(key)).toBe(true);
          expect(key.length).toBeLessThanOrEqual(30);
          expect(positionOf(some, key)).toEqual({ at: any % some.length, isThere: true });
        },
      ),
    );
  });

  it("distinguishes entries of the same microsecond, and equal entries", () => {
    const time = "2026-11-21T14:03:22.123456Z";
    const entries = [at(time, "a"), at(time, "b"), at(time, "a"), at(time, "a")];
    const keys = entries.map((_, place) => keyAt(entries, place));
    expect(new Set(keys).size).toBe(4);
    expect(keys.map((key) => key.slice(-1))).toEqual(["3", "1", "2", "1"]);
  });

  it("stays the same when equal entries are added", () => {
    const one = at("2026-11-21T14:03:22Z");
    expect(keyAt([one, one, one], 1)).toBe(keyAt([one, one], 0));
  });

  it("differs if any part of the entry differs", () => {
    const entries = [at("2026-11-21T14:03:22Z", "a")];
    expect(positionOf(entries, keyAt([at("2026-11-21T14:03:22Z", "b")], 0)).isThere).toBe(false);
  });
});

describe("the position of a deleted entry", () => {
  const entries = [at("2026-11-21T14:00:03Z"), at("2026-11-21T14:00:02Z"), at("2026-11-21T14:00:01.000001Z")];

  it.each([
    ["2026-11-21T14:00:04Z", 0],
    ["2026-11-21T14:00:02.5Z", 1],
    // The remaining entries of the same time precede it.
    ["2026-11-21T14:00:02Z", 2],
    ["2026-11-21T14:00:01.000002Z", 2],
    ["2026-11-21T14:00:01.000001Z", 3],
    ["2026-11-21T13:00:00Z", 3],
    ["1969-12-31T23:59:59Z", 3],
  ])("is that of its time: %s", (timestamp, place) => {
    expect(positionOf(entries, keyAt([at(timestamp, "gone")], 0))).toEqual({ at: place, isThere: false });
  });

  it("is the start if it had no time", () => {
    expect(positionOf(entries, keyAt([{ more: "gone" }], 0))).toEqual({ at: 0, isThere: false });
  });

  it("is found beside entries without a time", () => {
    const odd = [at("2026-11-21T14:00:03Z"), null, at("yesterday"), at("2026-11-21T14:00:01Z")];
    expect(positionOf(odd, keyAt([at("2026-11-21T14:00:02Z")], 0)).at).toBe(3);
  });
});
