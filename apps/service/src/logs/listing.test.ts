import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { Listing } from "./listing.js";

/** A log as it is read, with so many entries. */
function listingOf(count: number): Listing {
  const entries = Array.from({ length: count }, (_, at) => {
    return JSON.stringify({ timestamp: "2026-04-01T09:30:15Z", id: at * 7919, text: "é".repeat(at % 50) });
  });
  const lengths = entries.map((entry) => Buffer.byteLength(entry));
  // Small texts become parts of a larger allocation.
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
