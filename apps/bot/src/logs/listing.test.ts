import { amountOf, type ListingFigures } from "@media-ops/reports";
import { createMediaClient, type WebhookLogEntry } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "../connections/connections.js";
import { language } from "../language.js";
import { periodOf } from "../saved-command.js";
import { notShared, webhook } from "../test/entries.js";
import { startPlainService } from "../test/services.js";
import { startStage } from "../test/stage.js";
import {
  headingOf,
  isKey,
  keyAt,
  NEWEST,
  pageOf,
  positionOf,
  ROWS,
  readAround,
  readerOf,
  readListed,
  readSpot,
  type Spot,
  spotOf,
  writeSpot,
} from "./listing.js";

const now = Date.parse("2026-11-21T14:05:30.123Z");

function headingFor(text: string, figures: ListingFigures): string {
  const read = language.parse(`logs webhooks ${text}`, { now });
  if (!read.ok || read.command.name !== "logs") throw new Error(`no logs: ${text}`);
  return headingOf({ saved: { command: read.command }, project: { id: "demo" }, now, timeZone: "UTC" }, figures);
}

describe("the heading of a listing", () => {
  it.each<[text: string, figures: ListingFigures, heading: string]>([
    ["", { found: 1000, of: undefined }, "1,000 webhooks, project demo"],
    [
      "failed since:2h",
      { found: 37, of: 1_240_332 },
      "37 failed webhooks of 1,240,332 in the last 2 hours, project demo",
    ],
    ["ok since:2026-11-21", { found: 7, of: 8 }, "7 successful webhooks of 8 since 2026-11-21, project demo"],
    [
      'failed since:"2026-11-20 14:00 Tokyo" until:"2026-11-20 15:00 Tokyo"',
      { found: 37, of: 100 },
      "37 failed webhooks of 100 since 2026-11-20 14:00 until 2026-11-20 15:00 Asia/Tokyo, project demo",
    ],
    [
      "status>=400 -url~hooks since:2h",
      { found: 37, of: 100 },
      "37 webhooks of 100 in the last 2 hours, status ≥ 400, url without hooks, project demo",
    ],
    [
      "failed since:2h",
      { found: 3, of: undefined, searchedTo: "2026-11-21T14:05:29Z" },
      "Incomplete: only 14:05:29–14:05:30 UTC was searched. At least 3 failed webhooks in the last 2 hours, project demo",
    ],
    [
      "failed since:60d",
      { found: 3, of: 9 },
      "Incomplete: entries are kept for 30 days. 3 failed webhooks of 9 in the last 30 days, project demo",
    ],
    [
      "since:2026-09-01 until:2026-09-02",
      { found: 0, of: undefined },
      "Nothing is known of webhooks since 2026-09-01 until 2026-09-02 00:00 UTC, project demo: entries are kept for 30 days.",
    ],
  ])("says what was found, of how many, when and where: %s", (text, figures, heading) => {
    expect(headingFor(text, figures)).toBe(heading);
  });

  it("keeps its figures even if the query is cut, and splits no surrogate pair", () => {
    const filters = ["x", "😀"].map((sign) => `-url~${sign.repeat(60 / sign.length)}`).join(" ");
    for (const more of ["", "a", "ab"]) {
      const heading = headingFor(`-url~${more}z ${filters}`, { found: 3, of: 1000 });
      expect(heading).toMatch(/^3 webhooks of 1,000, url without [abz]+, url without x+, url without 😀*…$/u);
      expect(Buffer.from(heading).toString()).toBe(heading);
      expect(heading.length).toBeLessThanOrEqual(200);
    }
  });
});

// Some milliseconds pass between parsing a command and listing its entries.
const when = { now: now + 40, timeZone: "Asia/Tokyo" };

function periodOfText(text: string): number | undefined {
  const read = language.parse(text, { now: now, timeZone: when.timeZone });
  if (!read.ok || read.command.name !== "logs") throw new Error(`no logs: ${text}`);
  return periodOf(read.command, when);
}

describe("the period of a listing", () => {
  it.each([
    ["since:2h", 7_200_000],
    ["since:hour", 3_600_000],
    ["since:90s", 90_000],
    ["since:7d status>=400", 604_800_000],
    ["since:3d url~last", 259_200_000],
  ])("is as long as the heading says: %s", (text, ms) => {
    expect(periodOfText(`logs webhooks ${text}`)).toBe(ms);
  });

  it.each([
    "",
    "since:today",
    "since:22:00",
    "since:2026-11-21T12:00:30.000Z",
    "since:2h until:1h",
    "until:1h",
    "since:2h zone:Berlin",
  ])("has no length if the heading gives clock times: %s", (text) => {
    expect(periodOfText(`logs webhooks ${text}`)).toBe(undefined);
  });
});

/** Answers the first calls when this many wait; fewer would wait for ever. */
function firstTogether(count: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  return async () => {
    if (isOpen) return;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      isOpen = waiting.length === count;
      if (isOpen) for (const go of waiting) go();
    });
  };
}

it.each([
  ["two at once if the page has all matches", "logs webhooks failed", 7, ["count-logs", "list-webhook-logs"]],
  ["two at once without filters", "logs webhooks", 107, ["count-logs", "list-webhook-logs"]],
  [
    "two at once and another count for a longer listing",
    "logs webhooks ok",
    100,
    ["count-logs", "count-logs", "list-webhook-logs"],
  ],
  ["two at once for the newest few", "logs webhooks ok last:5", 5, ["count-logs", "list-webhook-logs"]],
])("the calls of a listing are %s: %s", async (_, command, found, calls) => {
  const fake = await startPlainService({ extensions: true, hold: firstTogether(2) });
  const stage = await startStage({ media: fake });
  fake.add(
    "webhooks",
    ...Array.from({ length: 107 }, (_, at) => webhook({ minutesAgo: at + 1, status: at < 7 ? 503 : 200 })),
  );
  expect(await stage.read(stage.bob, `/media ${command}`)).toContain(`${found} `);
  expect(fake.calls.map(({ path }) => path.replace("/orgs/", "")).sort()).toEqual(calls);
});

function startLog(entries: readonly WebhookLogEntry[], options: { extensions?: boolean; maxScanned?: number } = {}) {
  const fake = createFakeMediaService(options);
  fake.add("webhooks", ...entries);
  const client = createMediaClient(fake.clientOptions);
  return { fake, reader: readerOf({ id: "demo", ask: (call) => call(client, {}), shared: notShared }) };
}

const START = Date.now() - 3_600_000;
/** Entries in any order; many of the same time, and many equal. */
const anyLog = fc.array(
  fc.record({ second: fc.nat(12), elapsed_time_ms: fc.nat(2), status: fc.constantFrom(200, 503) }),
  { minLength: 1, maxLength: 250 },
);
const entriesOf = (some: { second: number; elapsed_time_ms: number; status: number }[]): WebhookLogEntry[] =>
  some.map(({ second, ...fields }) => webhook({ ...fields, timestamp: new Date(START + second * 1000).toISOString() }));

const always = () => true;
const failed = { where: { failed: true } };

it("pages have every match once in both directions, while entries arrive and many are of the same time", async () => {
  await fc.assert(
    fc.asyncProperty(anyLog, fc.constantFrom({}, failed), async (some, question) => {
      const { fake, reader } = startLog(entriesOf(some));
      const page = async (spot: Spot) => {
        const window = await readAround(reader, "webhooks", question, spot, always);
        const { start, end } = pageOf(window.entries, spot, ({ length }) => length);
        return { ...window, start, end, shown: window.entries.slice(start, end) };
      };
      const all: Entry[] = await reader.list("webhooks", { ...question, limit: 1000 }).then(({ data }) => data);
      const older: Entry[] = [];
      let at = await page(NEWEST);
      for (;;) {
        expect(at.before + at.start).toBe(older.length);
        older.push(...at.shown);
        if (at.end === at.entries.length && !at.hasOlder) break;
        at = await page({ is: "older", key: keyAt(at.entries, at.end - 1) });
      }
      expect(older).toEqual(all);

      fake.add("webhooks", webhook({ status: 503, elapsed_time_ms: 99 }));
      const newer: Entry[] = [...at.shown];
      while (at.before + at.start > 0) {
        at = await page({ is: "newer", key: keyAt(at.entries, at.start) });
        newer.unshift(...at.shown);
      }
      expect(newer.slice(newer.length - all.length)).toEqual(all);
    }),
    { numRuns: 30 },
  );
});

it("a search that takes long goes on, and says how far it got if there is no time for that", async () => {
  const many = Array.from({ length: 500 }, (_, at) =>
    webhook({ minutesAgo: 10 - at / 100, status: at < 3 ? 503 : 200 }),
  );
  const { reader } = startLog(many, { maxScanned: 100 });
  const whole = await readAround(reader, "webhooks", failed, NEWEST, always);
  expect(whole).toMatchObject({ entries: { length: 3 }, hasOlder: false, searchedTo: undefined });
  const part = await readAround(reader, "webhooks", failed, NEWEST, () => false);
  expect(part).toMatchObject({ entries: [], canGoOn: true });
  expect(Date.parse(part.searchedTo ?? "")).toBe(Date.parse(many[400]?.timestamp ?? ""));
});

it("counts what a service without counts lists, and says how far that reaches", async () => {
  const { reader } = startLog(
    Array.from({ length: 1200 }, () => webhook()),
    { extensions: false },
  );
  const amount = await amountOf(reader, "webhooks", {});
  expect(amount).toEqual({ entries: 1000, searchedTo: expect.any(String) });
  const listed = await readListed(reader, "webhooks", {});
  expect(listed).toMatchObject({ entries: { length: 1000 }, searchedTo: amount.searchedTo });
});

type Fits = Parameters<typeof pageOf>[2];

interface Row {
  timestamp: string;
  width: number;
}

const all: Fits = (entries) => entries.length;

/** A page holds as many of the first entries as fit into the room together, but at least one. */
const within =
  (room: number): Fits =>
  (entries) => {
    let [left, count] = [room, 0];
    for (const entry of entries as Row[]) {
      left -= entry.width;
      if (left < 0 && count > 0) break;
      count += 1;
    }
    return count;
  };

const BEGAN = Date.UTC(2026, 10, 21) / 1000;
const timeOf = (seconds: number): string => new Date((BEGAN + seconds) * 1000).toISOString();

/** Entries, newest first; many at the same time, and many equal. */
const anyEntries = (
  seconds: { min: number; max: number },
  size: { minLength?: number; maxLength: number },
): fc.Arbitrary<Row[]> =>
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
function grown(entries: Row[], widths: number[]): Row[] {
  const newest = Date.parse(entries[0]?.timestamp ?? timeOf(0)) / 1000 - BEGAN;
  const added = widths
    .sort((a, b) => b - a)
    .map((width) => ({ timestamp: timeOf(width === 1 ? newest : newest + 1), width }));
  return [...added, ...entries];
}

/** Pages from a spot to the end of a listing, while new entries are added at its start before each press. */
function walk(start: Row[], way: "older" | "newer", first: Spot, fits: Fits, arrivals: number[][]) {
  let entries = start;
  const pages: Row[][] = [];
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

  it.each<[what: string, left: number, spot: Spot, start: number, end: number, isOther: boolean]>([
    ["the last one if all older ones are gone", 30, { is: "older", key: keyAt(entries, 39) }, 10, 30, true],
    ["the last one around", 30, { is: "around", key: keyAt(entries, 45), before: 5, count: 20 }, 10, 30, true],
    ["the first one if none is newer", 50, { is: "newer", key: keyAt(entries, 0) }, 0, 20, true],
    ["empty if none is left", 0, { is: "older", key: keyAt(entries, 0) }, 0, 0, false],
  ])("is %s", (_, left, spot, start, end, isOther) => {
    expect(pageOf(entries.slice(0, left), spot, all)).toEqual({ start, end, isOther });
  });
});

it("the page of an entry stays the same page after new entries, referenced by any of its entries", () => {
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

it.each(["", "older:", "older:x", "sideways:abc.12345678.1", "1/20", "new:abc.12345678.1", "100/20:a.12345678.1"])(
  "a serialized spot is not parsed from %j",
  (word) => {
    expect(readSpot(word)).toBeUndefined();
  },
);

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
