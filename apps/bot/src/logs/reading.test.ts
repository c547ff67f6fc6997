import { amountOf } from "@media-ops/reports";
import { createMediaClient, type WebhookLogEntry } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Entry } from "../connections/clients.js";
import { notShared, webhook } from "../test/entries.js";
import { keyAt, NEWEST, pageOf, type Spot } from "./bookmark.js";
import { readAround, readerOf, readListed } from "./listing.js";

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
