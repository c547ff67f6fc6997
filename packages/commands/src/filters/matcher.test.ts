import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coreCommands } from "../commands.js";
import type { LogKind } from "../kinds.js";
import { defineLanguage } from "../language.js";
import { anyEntry, anyFilter, anyKind } from "../test/arbitrary.js";
import { when } from "../test/when.js";
import { readTimestamp } from "../times.js";
import { matcher } from "./matcher.js";

const language = defineLanguage(coreCommands);

function selects(kind: LogKind, filters: string): (entry: unknown) => boolean {
  const result = language.parse(`logs ${kind} ${filters}`, when);
  if (!result.ok || result.command.name !== "logs") throw new Error(`${filters} was not understood`);
  return matcher(result.command);
}

const webhook = {
  timestamp: "2026-11-20T09:30:15.801123Z",
  type: "session.created",
  url: "https://hooks.example/media?room=Lobby",
  status: 404,
  elapsed_time_ms: 500,
};
const connection = {
  timestamp: "2026-11-20T09:48:03.114Z",
  channel_id: "lobby@demo",
  session_id: "7N3DS2KQ4H1WZ9M5XG8TCVB6RY",
  client_id: "stage-camera-2",
  bundle_id: "stage",
  connection_id: "0J9V6TQ2M4EXK7C3R8ZB5HW1NA",
  total_received_bytes: 6_000_000,
  total_sent_bytes: 4_000_000,
  created_timestamp: "2026-11-20T09:30:15.482913Z",
  destroyed_timestamp: "2026-11-20T09:48:03.113902Z",
  duration_min: 17,
};
const session = {
  timestamp: "2026-11-20T10:12:41.207318Z",
  channel_id: "ann@home@demo",
  session_id: "7N3DS2KQ4H1WZ9M5XG8TCVB6RY",
  total_connections: 12,
  max_connections: 5,
  created_timestamp: "2026-11-20T09:30:15.482913Z",
  destroyed_timestamp: "2026-11-20T10:12:41.207311Z",
  duration_min: 42,
};
const mediaApi = {
  timestamp: "2026-11-20T10:12:40.951Z",
  media_target: "Media_20151104.DisconnectChannel",
  channel_id: "lobby@demo",
  status: 200,
  elapsed_time_ms: 21,
};

describe("a filter", () => {
  const cases: readonly { kind: LogKind; entry: object; holding: string; failing: string }[] = [
    {
      kind: "webhooks",
      entry: webhook,
      holding: `
        status:404 status=404 status!=500 status>403 status>=404 status<405 status<=404 status:4xx status:40x
        status:400..404 status:500,404 -status:5xx -status>404 status>3xx status<5xx
        elapsed:500ms elapsed>=0.5s elapsed<501 elapsed>499.5ms elapsed:100ms..1s
        type:session.created type:session.* type:*.created type:*ss*cr* type:*s*s*d type:* type:a,session.created
        type~CREATED -type:connection.* url~hooks url~LOBBY,zzz url!~nowhere url:https://hooks.* url:*Lobby -url:"*Lobby"
        time:2026-11-20 time:2026-11-19..yesterday time>=2026-11-20T09:30:15.801Z time<=2026-11-20T09:30:15.801Z
        time:2026-11-20T09:30:15Z time>2026-11-20T09:30:15.800Z time<2026-11-20T09:30:15.802Z time:yesterday time<today
        time>=yesterday time<=yesterday -time:today time:"2026-11-20 09:30" time>2026-11-19
        since:2026-11-20 until:2026-11-21 since:2026-11-20T09:30:15.801Z until:2026-11-20T09:30:15.802Z
        since:2026-11-20T10:30:15.801+01:00`,
      failing: `
        status:400 status>404 status<404 status:5xx -status:404 -status>=400 elapsed>500ms elapsed:501
        type:session type:Session.created type:*.created.* type:*session.createdd type:session*.created*created -type:session.*
        -url~hooks url~"hooks*" url:https://hooks.example/media
        time:today time>yesterday time>2026-11-20T09:30:15.801Z time<2026-11-20T09:30:15.801Z time<yesterday
        time:2026-11-20T09:30:16Z since:today until:2026-11-20 since:2026-11-20T09:30:15.802Z
        until:2026-11-20T09:30:15.801Z`,
    },
    {
      kind: "connections",
      entry: connection,
      holding: `
        bytes:10MB bytes>=10MB bytes<10.1MB received:6MB sent>3999kB
        duration:17m duration>16 duration<=17m duration>0.2h
        channel:lobby channel:lobby@demo channel:lob* channel:*@demo channel~LOBB channel~y@d
        session:7N3D…B6RY session:7N3D* client:stage* client:*-2 bundle:stage connection:0J9V6…1NA`,
      failing: `
        bytes>10MB received:10MB sent>4MB duration:18m duration>17m
        channel:lobb channel:demo channel~demo channel:hall,lob -channel:lobby
        session:7N3D session:7N3D…B6RX client:camera bundle:stag -connection:0J9V*`,
    },
    {
      kind: "sessions",
      entry: session,
      holding: `
        total:12 peak:5 peak<6 max_connections:5 duration:42 created:2026-11-20
        channel:ann@home channel:ann@home@demo channel:ann@*
        destroyed>2026-11-20T10:12:41.206Z destroyed<=2026-11-20T10:12:41.207Z`,
      failing: `
        total:5 peak>5 channel:ann channel:home channel:demo created:2026-11-21
        destroyed>2026-11-20T10:12:41.207Z`,
    },
    {
      kind: "media-api",
      entry: mediaApi,
      holding: "target:*.DisconnectChannel target~disconnect target:Media_2015* status:2xx channel:lobby elapsed<=21",
      failing: "target:DisconnectChannel target~Connect.Channel status:4xx channel:hall elapsed<21ms",
    },
  ];
  it.each(cases)("on $kind matches the expected entries, and no others", ({ kind, entry, holding, failing }) => {
    // Splits at spaces that are not in quotes.
    const each = (texts: string) => texts.match(/(?:"[^"]*"|\S)+/g) ?? [];
    expect(each(holding).filter((filter) => !selects(kind, filter)(entry))).toEqual([]);
    expect(each(failing).filter((filter) => selects(kind, filter)(entry))).toEqual([]);
  });

  it("must match together with all others", () => {
    const both = selects("webhooks", "status>=400 elapsed>=500ms");
    expect(both(webhook)).toBe(true);
    expect(both({ ...webhook, status: 200 })).toBe(false);
    expect(both({ ...webhook, elapsed_time_ms: 1 })).toBe(false);
  });

  it.each([undefined, null, "many", {}, [], true, "", " 404", "4e2", "0x194"])(
    "does not match a status of %j, but its negation does",
    (status) => {
      for (const test of ["status:404", "status>=0", "status<999"]) {
        expect(selects("webhooks", test)({ ...webhook, status })).toBe(false);
        expect(selects("webhooks", `-${test}`)({ ...webhook, status })).toBe(true);
      }
    },
  );

  it.each([undefined, null, 5, {}, "soon", "2026-11-20", "1795219200000", "9999"])(
    "does not match a time of %j, but its negation does",
    (timestamp) => {
      for (const test of ["time<2099-01-01", "time>2000-01-01", "time:2026-11-20"]) {
        expect(selects("webhooks", test)({ ...webhook, timestamp })).toBe(false);
        expect(selects("webhooks", `-${test}`)({ ...webhook, timestamp })).toBe(true);
      }
      for (const bound of ["since:2000-01-01", "since:1970-01-01", "until:1970-01-01", "until:tomorrow"]) {
        expect(selects("webhooks", bound)({ ...webhook, timestamp })).toBe(false);
      }
    },
  );

  it("treats numeric text as a number", () => {
    expect(
      selects("webhooks", "status:404 elapsed>=0.4s")({ ...webhook, status: "404", elapsed_time_ms: "500.5" }),
    ).toBe(true);
  });

  it("needs both fields of a sum", () => {
    const { total_sent_bytes, ...half } = connection;
    expect(total_sent_bytes).toBe(4_000_000);
    expect(selects("connections", "bytes>=0")(half)).toBe(false);
    expect(selects("connections", "-bytes>=0")(half)).toBe(true);
  });

  it.each([null, undefined, 5, "text", true, Symbol("entry"), () => webhook])(
    "matches no entry that is not an object: %s",
    (entry) => {
      expect(selects("webhooks", "-status:404")(entry)).toBe(false);
      expect(selects("webhooks", "")(entry)).toBe(false);
    },
  );

  it("accepts an entry that contains itself", () => {
    const entry: Record<string, unknown> = { ...webhook };
    entry.status = entry;
    expect(selects("webhooks", "-status:404")(entry)).toBe(true);
  });

  it("matches pathological patterns in linear time", () => {
    const pattern = selects("webhooks", `url:${"*a".repeat(100)}*b`);
    expect(pattern({ ...webhook, url: "a".repeat(20_000) })).toBe(false);
  });
});

describe("any filter", () => {
  it("never throws on any entry, and its negation returns the opposite", () => {
    const both = anyKind.chain((kind) =>
      fc.tuple(fc.constant(kind), anyFilter(kind), fc.oneof(anyEntry(kind), fc.anything())),
    );
    fc.assert(
      fc.property(both, ([kind, filter, entry]) => {
        const holds = matcher({ kind, filters: [filter] })(entry);
        const opposite = matcher({ kind, filters: [{ ...filter, negated: !filter.negated }] })(entry);
        expect(opposite).toBe(typeof entry === "object" && entry !== null ? !holds : false);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a comparison of timestamps", () => {
  const instant = fc.integer({ min: 0, max: 253_402_300_799_999 });
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 9 });

  it("is exact to the millisecond, at any precision and offset", () => {
    fc.assert(
      fc.property(
        instant,
        fc.integer({ min: -1500, max: 1500 }),
        digits,
        fc.constantFrom("Z", "+00:00", "z"),
        (at, distance, more, end) => {
          const other = Math.min(Math.max(at + distance, 0), 253_402_300_799_999);
          const text = new Date(other).toISOString().replace("Z", `${more}${end}`);
          expect(readTimestamp(text)).toBe(other);
          expect(matcher({ kind: "api", filters: [], since: at })({ timestamp: text })).toBe(other >= at);
          expect(matcher({ kind: "api", filters: [], until: at })({ timestamp: text })).toBe(other < at);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("understands offsets and missing fractions", () => {
    const instant = Date.parse("2026-11-20T09:00:00.500Z");
    expect(readTimestamp("2026-11-20T10:00:00.500+01:00")).toBe(instant);
    expect(readTimestamp("2026-11-20T09:00:00Z")).toBe(instant - 500);
    expect(readTimestamp("2026-11-20T09:00:00.5Z")).toBe(instant);
    expect(readTimestamp("2026-11-20T09:00:01Z")).toBe(instant + 500);
  });
});
