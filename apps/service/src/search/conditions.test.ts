import { describe, expect, it } from "vitest";
import { type LogKind, sortKey } from "../logs/log-store.js";
import { unhurried } from "../reads/along.js";
import type { Column, FieldRange } from "./columns.js";
import { compileWhere, matching, mayHold, testOf, type Where } from "./conditions.js";

async function holds(kind: LogKind, where: Where, entry: object): Promise<boolean> {
  const { timestamp = "2026-04-01T09:30:15Z" } = entry as { readonly timestamp?: string };
  const rows = [{ at: sortKey(timestamp), seq: 1, entry: JSON.stringify(entry) }];
  return (await matching(compileWhere(kind, "demo", where), { kind, rows }, unhurried.pause)).length > 0;
}

const text = (...values: (string | null)[]): Column => ({
  type: "text",
  dictionary: [...new Set(values)],
  codes: Uint8Array.from(values.map((value) => [...new Set(values)].indexOf(value))),
});
const numbers = (...values: number[]): Column => ({ type: "number", values: Float64Array.from(values) });

describe("an entry", () => {
  it.each<[Where, object, boolean]>([
    [{ status: { eq: 200 } }, { status: 200 }, true],
    [{ status: { eq: [404, 500] } }, { status: 500 }, true],
    [{ status: { eq: [404, 500] } }, { status: 501 }, false],
    [{ status: { gte: 400, lt: 500 } }, { status: 500 }, false],
    [{ status: { any: [{ lt: 300 }, { gt: 499 }] } }, { status: 500 }, true],
    [{ status: { any: [{ lt: 300 }, { gt: 499 }] } }, { status: 404 }, false],
    [{ status: { all: [{ not: { eq: 200 } }, { not: { eq: 204 } }] } }, { status: 204 }, false],
    [{ status: { not: { eq: 200 } } }, {}, true],
    [{ status: { lte: 400 } }, {}, false],
    [{ status: { eq: 200 } }, { status: "200" }, false],
    [{ failed: true }, { status: 0 }, true],
    [{ failed: true }, { status: 400 }, true],
    [{ failed: true }, { status: 399 }, false],
    [{ failed: false }, { status: 399 }, true],
    [{ failed: false }, { status: 0 }, false],
    [{ failed: false }, {}, false],
    [{ failed: true }, {}, false],
    [{ url: { contains: "HOOKS" } }, { url: "https://Hooks.example/" }, true],
    [{ url: { contains: ["a", "b"] } }, { url: "xyz" }, false],
    [{ url: { starts_with: "https://H" } }, { url: "https://hooks" }, false],
    [{ url: { like: "*/media/*" } }, { url: "https://hooks.example/media/events" }, true],
    [{ url: { like: "a*a" } }, { url: "a" }, false],
    [{ url: { like: "*ab*ab" } }, { url: "ab" }, false],
    [{ url: { like: "*ab*ab" } }, { url: "xabab" }, true],
    [{ url: { like: "a\\*\\\\b" } }, { url: "a*\\b" }, true],
    [{ url: { like: "a\\*" } }, { url: "ab" }, false],
    [{ url: { like: "*" } }, { url: "" }, true],
    [{ url: { like: "" } }, { url: "a" }, false],
    [{ url: { like: "a*" } }, { url: "a\nb" }, true],
    [{ url: { not: { like: "*" } } }, {}, true],
    [{ url: { eq: "" } }, {}, false],
    [{ timestamp: { gt: "2026-04-01T18:30:15.1234567+09:00" } }, { timestamp: "2026-04-01T09:30:15.12345671Z" }, true],
    [{ timestamp: { lte: "2026-04-01T09:30:15.50Z" } }, { timestamp: "2026-04-01T09:30:15.5Z" }, true],
    [{ status: { eq: 200 }, url: { eq: "a" } }, { status: 200, url: "b" }, false],
    [{}, {}, true],
  ])("with the condition %j, %j is found: %s", async (where, entry, expected) => {
    expect(await holds("webhooks", where, entry)).toBe(expected);
  });

  it.each<[Where, object, boolean]>([
    [{ failed: true }, { outcome: "refused" }, true],
    [{ failed: true }, { outcome: "failed" }, true],
    [{ failed: true }, { outcome: "ok" }, false],
    [{ failed: true }, {}, false],
    [{ failed: true }, { status: 500 }, false],
    [{ failed: false }, { outcome: "ok" }, true],
    [{ failed: false }, { outcome: "refused" }, false],
    [{ failed: false }, {}, false],
    [{ outcome: { not: { eq: "ok" } } }, {}, true],
    [{ count: { gte: 2 } }, {}, false],
    [{ channel: { eq: "lobby" }, reason: { eq: ["expired"] } }, { channel_id: "lobby@demo", reason: "expired" }, true],
  ])("of the event log with the condition %j: %j is found: %s", async (where, entry, expected) => {
    expect(await holds("events", where, entry)).toBe(expected);
  });

  it("is found by its channel's name, the sum of its bytes, times and the program that made the call", async () => {
    const found = (where: Where, entry: object) => holds("connections", where, entry);
    expect(await found({ channel: { eq: "ann@home" } }, { channel_id: "ann@home@demo" })).toBe(true);
    expect(await found({ channel: { eq: "ann" } }, { channel_id: "ann@home@demo" })).toBe(false);
    expect(await found({ channel: { eq: "lobby" } }, { channel_id: "lobby" })).toBe(true);
    const bytes = { total_received_bytes: 3, total_sent_bytes: 4 };
    expect(await found({ total_bytes: { eq: 7 } }, bytes)).toBe(true);
    expect(await found({ total_bytes: { not: { gt: 7 } } }, { total_sent_bytes: 4 })).toBe(true);
    expect(await found({ total_bytes: { lt: 7 } }, { total_sent_bytes: 4 })).toBe(false);
    expect(await found({ created_timestamp: { lt: "2026-04-01T09:30:15.5Z" } }, {})).toBe(false);
    const from = (where: Where, url: string) => holds("api", where, { url });
    expect(await from({ from: { eq: "bot" } }, "https://media.example/orgs/list-api-logs?from=bot")).toBe(true);
    expect(await from({ from: { starts_with: "cli" } }, "https://media.example/?a=b&from=cli-follow#from")).toBe(true);
    expect(await from({ from: { like: "*" } }, "https://media.example/?form=bot")).toBe(false);
    expect(await from({ from: { not: { like: "*" } } }, "https://media.example/")).toBe(true);
  });
});

it("tests an entry with a hostile pattern in no time", async () => {
  const started = performance.now();
  expect(await holds("webhooks", { url: { like: `${"*a".repeat(1000)}b` } }, { url: "a".repeat(30_000) })).toBe(false);
  expect(performance.now() - started).toBeLessThan(5000);
});

describe("columns", () => {
  const found = (kind: LogKind, where: Where, columns: Record<string, Column>): number[] => {
    const tests = compileWhere(kind, "demo", where).all.map((condition) =>
      testOf(
        condition,
        condition.columns.map((name) => columns[name] ?? text()),
      ),
    );
    return [0, 1, 2, 3].filter((index) => tests.every((holds) => holds(index)));
  };
  const columns = {
    status: numbers(200, 404, Number.NaN, 0),
    url: text("a", "b", null, "b"),
    outcome: text("ok", "refused", null, "failed"),
    total_received_bytes: numbers(1, 2, 3, Number.NaN),
    total_sent_bytes: numbers(1, 1, 1, 1),
    created_timestamp: numbers(0, 1, 2, 3),
    destroyed_timestamp: text("1970-01-01T00:00:00.0000015", "1970-01-01T00:00:01", null, "1970-01-01T00:00:00"),
  };

  it.each<[LogKind, Where, number[]]>([
    ["webhooks", { failed: true }, [1, 3]],
    ["webhooks", { failed: false }, [0]],
    ["webhooks", { status: { not: { eq: 200 } } }, [1, 2, 3]],
    ["events", { failed: true }, [1, 3]],
    ["events", { failed: false }, [0]],
    ["events", { outcome: { not: { eq: "ok" } } }, [1, 2, 3]],
    ["webhooks", { url: { eq: "b" }, status: { gt: 0 } }, [1]],
    ["webhooks", { url: { not: { eq: "b" } } }, [0, 2]],
    ["connections", { total_bytes: { gte: 3 } }, [1, 2]],
    ["sessions", { created_timestamp: { lt: "1970-01-01T00:00:00.0000015Z" } }, [0, 1]],
    ["sessions", { created_timestamp: { gte: "1970-01-01T00:00:00.000002Z" } }, [2, 3]],
    ["sessions", { destroyed_timestamp: { lte: "1970-01-01T00:00:00.0000015Z" } }, [0, 3]],
  ])("of %s, %j is met by %j", (kind, where, expected) => {
    expect(found(kind, where, columns)).toEqual(expected);
  });
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
