import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LogKind, logKindNames, sortKey } from "../logs/log-store.js";
import { unhurried } from "../reads/along.js";
import { entriesOf, expected, whereOf } from "../test/search-model.js";
import type { FieldRange } from "./columns.js";
import { compileWhere, matching, mayHold, type Where } from "./conditions.js";

async function holds(kind: LogKind, where: Where, entry: object): Promise<boolean> {
  const { timestamp = "2026-04-01T09:30:15Z" } = entry as { readonly timestamp?: string };
  const rows = [{ at: sortKey(timestamp), seq: 1, entry: JSON.stringify(entry) }];
  return (await matching(compileWhere(kind, "demo", where), { kind, rows }, unhurried.pause)).length > 0;
}

it.each(logKindNames)("any condition on entries of %s is met by those that meet it one by one", async (kind) => {
  await fc.assert(
    fc.asyncProperty(entriesOf(kind), whereOf(kind), async (entries, where) => {
      // The model leaves out expired entries.
      const written = expected(
        entries.map((entry, at) => ({ ...entry, seq: at + 1 })),
        {},
      );
      const rows = written.map(({ timestamp, seq, text }) => ({ at: sortKey(timestamp), seq, entry: text }));
      const found = await matching(compileWhere(kind, "demo", where), { kind, rows }, unhurried.pause);
      expect(found.map(({ seq }) => seq)).toEqual(expected(written, { where }).map(({ seq }) => seq));
    }),
    { numRuns: 200 },
  );
});

describe("an entry", () => {
  it.each<[Where, object, boolean]>([
    [{ status: { gte: 400, lt: 500 } }, { status: 500 }, false],
    [{ status: { all: [{ not: { eq: 200 } }, { not: { eq: 204 } }] } }, { status: 204 }, false],
    [{ status: { not: { eq: 200 } } }, {}, true],
    [{ status: { eq: 200 } }, { status: "200" }, false],
    [{ failed: true }, { status: 0 }, true],
    [{ failed: false }, {}, false],
    [{ url: { contains: "HOOKS" } }, { url: "https://Hooks.example/" }, true],
    [{ url: { starts_with: "https://H" } }, { url: "https://hooks" }, false],
    [{ url: { like: "a*a" } }, { url: "a" }, false],
    [{ url: { like: "*ab*ab" } }, { url: "ab" }, false],
    [{ url: { like: "*ab*ab" } }, { url: "xabab" }, true],
    [{ url: { like: "a\\*\\\\b" } }, { url: "a*\\b" }, true],
    [{ url: { like: "a\\*" } }, { url: "ab" }, false],
    [{ url: { like: "a*" } }, { url: "a\nb" }, true],
    [{ timestamp: { gt: "2026-04-01T18:30:15.1234567+09:00" } }, { timestamp: "2026-04-01T09:30:15.12345671Z" }, true],
    [{}, {}, true],
  ])("with the condition %j, %j is found: %s", async (where, entry, expected) => {
    expect(await holds("webhooks", where, entry)).toBe(expected);
  });
});

it("tests an entry with a hostile pattern in no time", async () => {
  const started = performance.now();
  expect(await holds("webhooks", { url: { like: `${"*a".repeat(1000)}b` } }, { url: "a".repeat(30_000) })).toBe(false);
  expect(performance.now() - started).toBeLessThan(5000);
});

describe("a segment", () => {
  const fields: Record<string, FieldRange> = {
    status: { min: 0, max: 404, values: [0, 200, 404] },
    elapsed_time_ms: { min: 3, max: 90 },
    url: { values: ["https://a.example", null] },
    timestamp: { min: 1_000_000, max: 2_000_000 },
    type: {},
  };
  it.each<[Where, boolean]>([
    [{ status: { eq: 500 } }, false],
    [{ status: { gt: 200, lt: 404 } }, false],
    [{ failed: true }, true],
    [{ elapsed_time_ms: { gt: 90 } }, false],
    [{ elapsed_time_ms: { gt: 3, lt: 90 } }, true],
    [{ elapsed_time_ms: { gte: 90 } }, true],
    [{ elapsed_time_ms: { any: [{ lt: 3 }, { eq: 91 }] } }, false],
    [{ elapsed_time_ms: { not: { gte: 0 } } }, true],
    [{ url: { contains: "b.example" } }, false],
    [{ url: { not: { starts_with: "https:" } } }, true],
    [{ timestamp: { gt: "1970-01-01T00:00:02Z" } }, false],
    [{ timestamp: { gte: "1970-01-01T00:00:02Z" } }, true],
    [{ type: { eq: "session.created" } }, true],
  ])("with entries that meet %j may have a match: %s", (where, expected) => {
    expect(mayHold(compileWhere("webhooks", "demo", where), fields)).toBe(expected);
  });

  it.each<[Where, boolean]>([
    [{ connection_id: { eq: "C" } }, false],
    [{ channel: { like: "*" } }, false],
    [{ connection_id: { not: { eq: "C" } } }, true],
  ])(
    "that was built before a field was known has no match of %j but for what needs no value: %s",
    (where, expected) => {
      expect(mayHold(compileWhere("webhooks", "demo", where), fields)).toBe(expected);
    },
  );

  it.each<[Where, boolean]>([
    [{ failed: true }, false],
    [{ failed: false }, true],
    [{ outcome: { eq: "refused" } }, false],
  ])("of the event log in which nothing failed may have a match of %j: %s", (where, expected) => {
    expect(mayHold(compileWhere("events", "demo", where), { outcome: { values: ["ok", null] } })).toBe(expected);
  });
});

it.each<[LogKind, Where, string | undefined]>([
  ["webhooks", { failed: true }, "status"],
  ["webhooks", { failed: false }, undefined],
  ["webhooks", { status: { gte: 400 } }, "status"],
  ["webhooks", { status: { any: [{ eq: 0 }, { eq: [404, 503] }] }, url: { contains: "a" } }, "status"],
  ["webhooks", { status: { gte: 399.5 } }, undefined],
  ["webhooks", { status: { not: { lt: 400 } } }, undefined],
  ["webhooks", { elapsed_time_ms: { gte: 400 } }, undefined],
  ["events", { failed: true }, "outcome"],
  ["events", { failed: false }, undefined],
  ["events", { outcome: { eq: ["refused", "failed"] } }, "outcome"],
  ["events", { outcome: { like: "*f*" } }, "outcome"],
  ["events", { outcome: { like: "*" } }, undefined],
  ["events", { outcome: { not: { eq: "ok" } } }, undefined],
  ["events", { reason: { eq: "expired" } }, undefined],
  ["connections", {}, undefined],
])("knows if only what failed can match: of %s, with %j", (kind, where, expected) => {
  expect(compileWhere(kind, "demo", where).failedBy).toBe(expected);
});

it("names the ids that a match must have, those of the rarest field", () => {
  const idsOf = (where: Where) => compileWhere("connections", "demo", where).ids;
  expect(idsOf({ session_id: { eq: "A" } })).toEqual({ field: "session_id", ids: ["A"] });
  expect(idsOf({ channel: { eq: "lobby" } })).toEqual({ field: "channel_id", ids: ["lobby@demo", "lobby"] });
  expect(idsOf({ client_id: { any: [{ eq: "a" }, { all: [{ eq: ["b", "c"] }] }] } })).toEqual({
    field: "client_id",
    ids: ["a", "b", "c"],
  });
  expect(idsOf({ channel: { eq: "lobby" }, connection_id: { eq: "C" } })?.field).toBe("connection_id");
  expect(idsOf({ client_id: { any: [{ eq: "a" }, { contains: "b" }] } })).toBeUndefined();
  expect(idsOf({ client_id: { not: { eq: "a" } } })).toBeUndefined();
  expect(idsOf({ total_sent_bytes: { eq: 1 } })).toBeUndefined();
  const ofEvents = (where: Where) => compileWhere("events", "demo", { jwt_id: { eq: "J" }, ...where }).ids;
  expect(ofEvents({ channel: { eq: "lobby" } })).toEqual({ field: "jwt_id", ids: ["J"] });
  expect(ofEvents({ connection_id: { eq: "C" } })).toEqual({ field: "connection_id", ids: ["C"] });
});
