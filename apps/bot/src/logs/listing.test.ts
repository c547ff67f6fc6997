import { amountOf, type ListingFigures } from "@media-ops/reports";
import { createMediaClient, type WebhookLogEntry } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "../connections/connections.js";
import { language } from "../language.js";
import { periodOf } from "../saved-command.js";
import { notShared, webhook } from "../test/entries.js";
import { startPlainService } from "../test/plain-service.js";
import { startStage } from "../test/stage.js";
import { headingOf, keyAt, NEWEST, pageOf, readAround, readerOf, readListed, type Spot } from "./listing.js";

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

const typedAt = Date.parse("2026-11-21T14:05:30.123Z");
// Some milliseconds pass between parsing a command and listing its entries.
const when = { now: typedAt + 40, timeZone: "Asia/Tokyo" };

function periodOfText(text: string): number | undefined {
  const read = language.parse(text, { now: typedAt, timeZone: when.timeZone });
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

describe("the calls of a listing", () => {
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
  ])("are %s: %s", async (_, command, found, calls) => {
    const fake = await startPlainService({ extensions: true, hold: firstTogether(2) });
    const stage = await startStage({ media: fake });
    fake.add(
      "webhooks",
      ...Array.from({ length: 107 }, (_, at) => webhook({ minutesAgo: at + 1, status: at < 7 ? 503 : 200 })),
    );
    expect(await stage.read(stage.bob, `/media ${command}`)).toContain(`${found} `);
    expect(fake.calls.map(({ path }) => path.replace("/orgs/", "")).sort()).toEqual(calls);
  });
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
