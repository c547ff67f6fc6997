import { gunzipSync } from "node:zlib";
import { databaseUrl } from "@media-ops/testing";
import { describe, expect, it, vi } from "vitest";
import type { ReadyAnswer } from "../http/route.js";
import { openLogs } from "../stores.js";
import { openTestStorage } from "../test/harness.js";
import { Listing, Listings, listingCacheBytes } from "./listings.js";
import type { NewEntry } from "./log-store.js";

const ROUNDS = 25;
const AT_ONCE = 5;

const entry = (id: number): NewEntry => {
  const timestamp = new Date().toISOString();
  return { projectId: "demo", kind: "webhooks", timestamp, text: JSON.stringify({ timestamp, id }) };
};

it("repeats and omits no entry, even if entries are added while the log is read", async () => {
  const storage = await openTestStorage(await databaseUrl());
  const writer = await openLogs(storage, Date.now);
  let written = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // A new reader has cached nothing: it reads the whole log while that grows.
    const reader = new Listings(storage, Date.now);
    const writing = Array.from({ length: AT_ONCE }, () => writer.append([entry(written++)]));
    const reading = Array.from({ length: AT_ONCE }, () => reader.list("demo", "webhooks"));
    await Promise.all([...writing, ...reading]);
    const { body } = await reader.list("demo", "webhooks");
    const ids = (JSON.parse(body.toString()) as { id: number }[]).map(({ id }) => id);
    expect([...ids].sort((one, other) => one - other)).toEqual(Array.from({ length: written }, (_, id) => id));
  }
});

const LOG_BYTES = 50_000;

/** Fills the logs of several projects with some 50 KB each. `listAll` returns how many logs were read whole. */
async function fillLogs(projects: number, cacheBytes: number) {
  const storage = await openTestStorage(await databaseUrl());
  const logs = await openLogs(storage, Date.now);
  const listings = new Listings(storage, Date.now, cacheBytes);
  const timestamp = new Date().toISOString();
  const names = Array.from({ length: projects }, (_, at) => `project-${at}`);
  const text = JSON.stringify({
    timestamp,
    text: Buffer.alloc(LOG_BYTES / 2)
      .fill("abcdefgh")
      .toString(),
  });
  for (const projectId of names) {
    const entry: NewEntry = { projectId, kind: "api", timestamp, text };
    await logs.append([entry, entry]);
  }
  const asked = vi.spyOn(storage.query, "executeQuery");
  return {
    async listAll(use: (listing: ReadyAnswer) => unknown = () => {}) {
      asked.mockClear();
      for (const name of names) await use(await listings.list(name, "api"));
      return asked.mock.calls.filter(([query]) => /octet_length/.test("sql" in query ? query.sql : "")).length;
    },
  };
}

describe("logs that are listed in turn", () => {
  it("are read whole once, and then only for new entries, if they fit the cache", async () => {
    const { listAll } = await fillLogs(20, 21 * (LOG_BYTES + 2000));
    expect(await listAll()).toBe(20);
    expect(await listAll()).toBe(0);
  });

  it("are read whole again if they do not fit: the cache stays within its limit", async () => {
    const { listAll } = await fillLogs(20, 10 * LOG_BYTES);
    expect(await listAll()).toBe(20);
    expect(await listAll()).toBe(20);
  });

  it("use memory for their gzipped form, too, once a caller has requested it", async () => {
    const { listAll } = await fillLogs(20, 20 * (LOG_BYTES + 1200));
    expect(await listAll()).toBe(20);
    expect(await listAll()).toBe(0);
    await listAll((listing) => listing.gzipped());
    expect(await listAll()).toBeGreaterThan(0);
  });
});

/** A listing with this many entries. */
function listingOf(count: number): Listing {
  const entries = Array.from({ length: count }, (_, at) => {
    return JSON.stringify({ timestamp: "2026-04-01T09:30:15Z", id: at * 7919, text: "é".repeat(at % 50) });
  });
  const lengths = entries.map((entry) => Buffer.byteLength(entry));
  // Node allocates small buffers as parts of a larger one.
  return new Listing(count, Buffer.from(`[${entries.join()}]`), lengths);
}

it.each([0, 1, 10, 100, 3000])("counts all bytes that it holds, plain and gzipped: of %i entries", async (count) => {
  const listing = listingOf(count);
  const plain = listing.body.buffer.byteLength;
  expect(listing.size).toBeGreaterThanOrEqual(plain);
  expect(listing.size).toBeLessThan(plain + 8 * count + 2000);
  const before = listing.size;
  const gzipped = await listing.gzipped();
  expect(gunzipSync(gzipped).equals(listing.body)).toBe(true);
  expect(listing.size).toBe(before + gzipped.buffer.byteLength);
});

const MIB = 2 ** 20;

it.each([
  ["a container of 256 MiB", 256, 32],
  ["a container of 1 GiB", 1024, 64],
  ["a machine of 4 GiB", 4096, 256],
  ["a machine of 256 GiB", 262_144, 512],
])("in %s, listings use %i / 16 MiB, but from 32 to 512: %i", (_, memory, expected) => {
  expect(listingCacheBytes({}, memory * MIB)).toBe(expected * MIB);
});

it("detects the available memory if none is given", () => {
  expect(listingCacheBytes()).toBeGreaterThanOrEqual(32 * MIB);
  expect(listingCacheBytes()).toBeLessThanOrEqual(512 * MIB);
});
