import { randomUUID } from "node:crypto";
import { databaseUrl } from "@media-ops/testing";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../storage/open-storage.js";
import { openLogs } from "../stores.js";
import { openTestStorage } from "../test/harness.js";
import { Listings } from "./listings.js";
import { type LogKind, logKinds, MAX_ENTRIES, type NewEntry, sortKey } from "./log-store.js";

const now = Date.parse("2026-04-01T09:30:15.250Z");
const DAY_MS = 24 * 60 * 60 * 1000;

const storage = await openTestStorage(undefined, afterAll);
const clock = { now };
const listingsOf = (storage: Storage): Listings => new Listings(storage, () => clock.now);
const listings = listingsOf(storage);
const store = await openLogs(storage, () => clock.now);
let projectId = "";
beforeEach(() => {
  projectId = randomUUID();
  clock.now = now;
});

const rowsIn = async (): Promise<number> =>
  (await storage.query.selectFrom("log_entry").select("seq").execute()).length;

const entry = (timestamp: string, { id, ...more }: Partial<NewEntry> & { id?: number } = {}): NewEntry => ({
  ...{ projectId, kind: "webhooks", timestamp, text: JSON.stringify({ timestamp, id }) },
  ...more,
});

async function listed(kind: LogKind = "webhooks", of = projectId, from = listings) {
  const { body } = await from.list(of, kind);
  return JSON.parse(body.toString()) as { timestamp: string; id?: number }[];
}

const timestamps = async (from = listings): Promise<string[]> =>
  (await listed("webhooks", projectId, from)).map(({ timestamp }) => timestamp);

describe("a log", () => {
  it("is newest first at full precision, in whatever order entries arrived", async () => {
    const newestFirst = [
      "2026-04-01T09:30:15.25Z",
      "2026-04-01T09:30:15.2000019Z",
      "2026-04-01T09:30:15.200001Z",
      "2026-04-01T09:30:15.2Z",
      "2026-04-01T09:30:15Z",
      "2026-04-01T09:30:14.999999999999999999Z",
      "2026-03-31T23:59:60Z",
      "2026-03-31T23:59:59.9Z",
    ];
    await store.append([...newestFirst].sort().map((timestamp) => entry(timestamp)));
    expect(await timestamps()).toEqual(newestFirst);
  });

  it("lists entries with equal timestamps in the reverse order of their arrival", async () => {
    const moments = ["5", "50", "500000", "5"].map((digits) => `2026-04-01T09:30:15.${digits}Z`);
    const arrived = moments.map((timestamp, id) => ({ timestamp, id }));
    const [first = [], second = []] = [arrived.slice(0, 2), arrived.slice(2)];
    for (const some of [first, second]) await store.append(some.map(({ timestamp, id }) => entry(timestamp, { id })));
    expect(await listed()).toEqual(arrived.reverse());
  });

  it("reaches back 30 days, to the fraction of a second", async () => {
    await store.append([
      entry("2026-03-02T09:30:15.25Z"),
      entry("2026-03-02T09:30:15.249999Z"),
      entry("2026-03-02T09:30:15.250001Z"),
    ]);
    expect(await timestamps()).toEqual(["2026-03-02T09:30:15.250001Z", "2026-03-02T09:30:15.25Z"]);
  });

  it("shows the newest 1000", async () => {
    const at = (i: number): string => new Date(now - i * 1000).toISOString();
    await store.append(Array.from({ length: 1500 }, (_, i) => entry(at(i))));
    const all = await timestamps();
    expect(all).toEqual(Array.from({ length: MAX_ENTRIES }, (_, i) => at(i)));
  });

  it("is separate for each project and kind", async () => {
    await store.append([
      entry("2026-04-01T09:00:01Z"),
      entry("2026-04-01T09:00:02Z", { kind: "api" }),
      entry("2026-04-01T09:00:03Z", { projectId: `${projectId}2` }),
      entry("2026-04-01T09:00:04Z", { projectId: projectId.slice(0, -1) }),
    ]);
    expect(await timestamps()).toEqual(["2026-04-01T09:00:01Z"]);
    expect(await listed("api")).toHaveLength(1);
    expect(await listed("webhooks", `${projectId}2`)).toHaveLength(1);
    expect(await listed("sessions")).toEqual([]);
  });

  it("returns the text of every entry unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.uuid(), async (text, projectId) => {
        const timestamp = "2026-04-01T09:30:15Z";
        const json = JSON.stringify({ timestamp, text });
        await store.append([{ projectId, kind: "sessions", timestamp, text: json }]);
        const { body } = await listings.list(projectId, "sessions");
        expect(body.toString()).toBe(`[${json}]`);
      }),
      { numRuns: 100 },
    );
  });

  it("shows entries of other processes at once", async () => {
    const url = await databaseUrl();
    const [ours, theirs] = [await openTestStorage(url), await openTestStorage(url)];
    const ourListings = listingsOf(ours);
    await (await openLogs(ours, () => now)).append([entry("2026-04-01T09:00:01Z")]);
    expect(await timestamps(ourListings)).toHaveLength(1);
    await (await openLogs(theirs, () => now)).append([entry("2026-04-01T09:00:02Z")]);
    expect(await timestamps(ourListings)).toEqual(["2026-04-01T09:00:02Z", "2026-04-01T09:00:01Z"]);
  });

  it("drops entries that leave the window, even if no entry was written", async () => {
    await store.append([entry("2026-04-01T09:30:15Z"), entry("2026-03-02T09:31:00Z")]);
    expect(await timestamps()).toHaveLength(2);
    clock.now += 60_000;
    expect(await timestamps()).toEqual(["2026-04-01T09:30:15Z"]);
  });

  it("is the same whether it is read whole or updated, in whatever order entries arrive", async () => {
    const second = fc.integer({ min: 0, max: 40 }).map((seconds) => new Date(now - seconds * 1000).toISOString());
    const batches = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.array(second, { minLength: 1, maxLength: 4 }) },
        { weight: 1, arbitrary: fc.array(second, { minLength: 90, maxLength: 110 }) },
        { weight: 1, arbitrary: fc.constant(Array.from({ length: 950 }, () => "2026-03-20T00:00:00Z")) },
        { weight: 1, arbitrary: fc.constant(["2026-03-01T00:00:00Z"]) },
      ),
      { minLength: 2, maxLength: 8 },
    );
    let id = 0;
    await fc.assert(
      fc.asyncProperty(fc.uuid(), batches, async (projectId, all) => {
        for (const timestamps of all) {
          await store.append(timestamps.map((timestamp) => entry(timestamp, { projectId, id: id++ })));
          const anew = await listingsOf(storage).list(projectId, "webhooks");
          const upToDate = await listings.list(projectId, "webhooks");
          expect(upToDate.body.toString()).toBe(anew.body.toString());
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe("entries that are appended together", () => {
  it("are written together, or not at all", async () => {
    const broken = { ...entry("2026-04-01T09:00:02Z"), text: null as unknown as string };
    await expect(store.append([entry("2026-04-01T09:00:01Z"), broken])).rejects.toThrow(/not.null/i);
    expect(await listed()).toEqual([]);
    await store.append([entry("2026-04-01T09:00:03Z")]);
    expect(await timestamps()).toEqual(["2026-04-01T09:00:03Z"]);
  });
});

describe("expired entries", () => {
  const old = (days: number, id: number): NewEntry => entry(new Date(now - days * DAY_MS).toISOString(), { id });

  it("are deleted, of every project and kind, and no others, by whole days, so that listed entries are kept", async () => {
    const shown = "2026-03-02T09:30:15.25Z";
    const kept = [entry(shown), entry("2026-03-02T00:00:00Z")];
    const gone = [
      entry("2026-03-01T23:59:59.999999Z"),
      ...Array.from({ length: 1234 }, (_, i) => old(32 + (i % 60), i)),
    ];
    const others = await rowsIn();
    const logs = [
      [projectId, "webhooks"],
      [projectId, "api"],
      [`${projectId}2`, "sessions"],
    ] as const;
    for (const [projectId, kind] of logs) {
      await store.append([...gone, ...kept].map((one) => ({ ...one, projectId, kind })));
    }
    await store.runRetention(now, new AbortController().signal);
    // Entries of other tests may have expired, too.
    expect(await rowsIn()).toBeLessThanOrEqual(others + 6);
    for (const [projectId, kind] of logs) {
      const own = storage.query.selectFrom("log_entry").where("project_id", "=", projectId);
      const rows = await own.select("seq").where("kind", "=", logKinds[kind].number).execute();
      expect(rows).toHaveLength(2);
      expect((await listed(kind, projectId)).map(({ timestamp }) => timestamp)).toEqual([shown]);
    }
  });

  it("are kept when the service stops", async () => {
    const others = await rowsIn();
    await store.append(Array.from({ length: 2000 }, (_, i) => old(40, i)));
    expect(await store.runRetention(now, AbortSignal.abort())).toBeUndefined();
    expect(await rowsIn()).toBe(others + 2000);
  });
});

describe("a sort key", () => {
  const digits = fc.stringMatching(/^\d{0,12}$/);

  it("sorts by time, for any number of digits", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 59 }),
        digits,
        fc.integer({ min: 0, max: 59 }),
        digits,
        (s1, f1, s2, f2) => {
          const text = (second: number, fraction: string): string =>
            `2026-04-01T09:30:${String(second).padStart(2, "0")}${fraction && `.${fraction}`}Z`;
          const exact = (second: number, fraction: string): bigint =>
            BigInt(second) * 10n ** 12n + BigInt(fraction.padEnd(12, "0"));
          const order = (a: string | bigint, b: string | bigint): number => (a < b ? -1 : a > b ? 1 : 0);
          expect(order(sortKey(text(s1, f1)), sortKey(text(s2, f2)))).toBe(order(exact(s1, f1), exact(s2, f2)));
        },
      ),
    );
  });
});
