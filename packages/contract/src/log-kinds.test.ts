import { describe, expect, it } from "vitest";
import { type LogKind, logKinds, logPaths, reasons, typeOf } from "./index.js";
import { requests, schemas } from "./requests/index.js";

const kinds = Object.keys(logPaths) as LogKind[];

describe("the table of logs", () => {
  it("has a condition for each field that people filter by, and the other way round", () => {
    for (const kind of kinds) {
      const listing = schemas[requests[logPaths[kind]]?.$ref ?? ""];
      const where = schemas[listing?.properties?.where?.$ref ?? ""]?.properties ?? {};
      // Read from `channel_id` and from `status` or `outcome`: people name these.
      const conditions = Object.keys(where).filter((name) => name !== "channel" && name !== "failed");
      expect(Object.keys(logKinds[kind].fields).sort(), kind).toEqual(conditions.sort());
      const tests = { time: "TimeTest", number: "NumberTest", text: "TextTest" };
      for (const [name, { holds }] of Object.entries(logKinds[kind].fields)) {
        expect(where[name]?.$ref, `${kind} ${name}`).toBe(tests[typeOf(holds)]);
      }
    }
  });

  // Segments store their columns in this order: a change here makes stored ones unreadable.
  it.each([
    ["sessions", "timestamp channel_id session_id total_connections max_connections"],
    [
      "connections",
      "timestamp channel_id session_id client_id bundle_id connection_id total_received_bytes total_sent_bytes",
    ],
    ["api", "timestamp url status elapsed_time_ms count"],
    ["media-api", "timestamp media_target channel_id status elapsed_time_ms"],
    ["webhooks", "timestamp type url status elapsed_time_ms channel_id connection_id event_id"],
    [
      "events",
      "timestamp type channel_id session_id connection_id client_id bundle_id role node_name outcome reason media_reason " +
        "detail jwt_id key_id elapsed_time_ms count event_id",
    ],
  ] as const)("keeps the order of the fields of %s, which segments store", (kind, order) => {
    const lifetime = kind === "sessions" || kind === "connections";
    const all = `${order}${lifetime ? " created_timestamp destroyed_timestamp duration_min" : ""}`.split(" ");
    const stored = Object.entries(logKinds[kind].fields).filter(([, { isDerived }]) => !isDerived);
    expect(stored.map(([name]) => name)).toEqual(all);
  });

  it("names each field by one word only once in a log, and shows each that an entry has once", () => {
    for (const kind of kinds) {
      const { fields, columns, filters = Object.keys(fields) } = logKinds[kind];
      const words = Object.entries(fields).flatMap(([wire, { name, words = [] }]) => [
        ...new Set([wire, name, ...words]),
      ]);
      expect(new Set(words).size, kind).toBe(words.length);
      const shown = Object.values(columns).flat();
      expect(new Set(shown).size).toBe(shown.length);
      expect([...shown].sort()).toEqual(
        Object.keys(fields)
          .filter((name) => !fields[name]?.isDerived)
          .sort(),
      );
      expect([...filters].sort()).toEqual(Object.keys(fields).sort());
    }
  });

  it("has words for each reason of the contract", () => {
    expect(Object.keys(reasons).sort()).toEqual([...(schemas.EventReason?.enum ?? Object.keys(reasons))].sort());
  });
});
