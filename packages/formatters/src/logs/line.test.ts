import type { LogKind } from "@media-ops/contract";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEntry, anyKind } from "../test/arbitrary.js";
import { now, samples } from "../test/samples.js";
import { entryLabel } from "./line.js";

const [delivery] = samples.webhooks;

describe("the label of an entry", () => {
  it.each<[LogKind, unknown, string]>([
    ["sessions", samples.sessions[0], "14:03:22 · lobby · 01KAKR6W…F6H8"],
    ["sessions", samples.sessions[2], "Nov 20 22:15:09 · 会議室 · 01KAJ3F2…H5J7"],
    ["connections", samples.connections[1], "14:03:20 · lobby · camera-7"],
    ["api", samples.api[1], "14:01:44 · ▲ 400 · media.example/projects/create-access-token"],
    ["media-api", samples["media-api"][2], "13:20:00 · ✗ 503 · Media_20151104.ListConnections · lobby"],
    ["webhooks", delivery, "14:05:28 · ✓ 200 · connection.created · hooks.example/media"],
    ["webhooks", samples.webhooks[3], "13:58:02 · ✗ no answer · session.created · unreachable.example/in"],
    ["webhooks", samples.webhooks[1], "14:05:12 · ✗ 503 · connection.destroyed · hooks.example/te…central-1/events"],
    ["events", samples.events[0], "14:03:22 · ✓ disconnected by the API · connection.destroyed · lobby"],
    ["events", samples.events[1], "14:03:20 · ✗ ICE timeout · connection.failed · lobby · stage-ca…ra-2"],
    ["events", samples.events[2], "14:02:11 · ▲ channel full (5 of 5) · admission.refused · lobby · c1"],
    ["events", samples.events[3], "13:18:40 · ✓ ok · connection.created · lobby"],
  ])("of %s has its time and its most distinctive fields", (kind, entry, label) => {
    expect(entryLabel(kind, entry, { now })).toBe(label);
  });

  it("is in the reader's zone, and has the date if the day differs there", () => {
    expect(entryLabel("webhooks", delivery, { now, timeZone: "Asia/Tokyo" })).toMatch(/^23:05:28 /);
    const entry = { ...delivery, timestamp: "2026-11-21T15:00:00Z" };
    expect(entryLabel("webhooks", entry, { now, timeZone: "Asia/Tokyo" })).toMatch(/^Nov 22 00:00:00 /);
  });

  it("shortens two long texts to equal parts", () => {
    const entry = { ...delivery, type: "t".repeat(40), url: "u".repeat(40) };
    expect(entryLabel("webhooks", entry, { now })).toBe(
      `14:05:28 · ✓ 200 · ${"t".repeat(13)}…${"t".repeat(12)} · ${"u".repeat(13)}…${"u".repeat(12)}`,
    );
  });

  it.each([undefined, null, {}, 7, { type: "  ", url: "" }])("is a dash if all fields are missing", (entry) => {
    expect(entryLabel("webhooks", entry, { now })).toBe("–");
  });

  it("has from 1 to 75 units, on one line and without split characters, for any entry", () => {
    const anyKindAndEntry = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntry(kind)));
    const anyTimeZone = fc.constantFrom(undefined, "Asia/Kolkata", "America/New_York");
    fc.assert(
      fc.property(anyKindAndEntry, anyTimeZone, ([kind, entry], timeZone) => {
        const label = entryLabel(kind, entry, { now, timeZone });
        expect(label.trim()).not.toBe("");
        expect(label.length).toBeLessThanOrEqual(75);
        expect(label).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]|\p{Cs}/u);
      }),
      { numRuns: 200 },
    );
  });
});
