import { type LogKind, readTimestamp } from "@media-ops/contract";
import { createMediaClient } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { type Selection, searchOf, whereOf } from "./filters.js";
import { defineLanguage } from "./language.js";
import { when } from "./test/language.js";

const language = defineLanguage(coreCommands);
// It refuses conditions that are not in the contract.
const service = createFakeMediaService({ now: () => when.now });
const client = createMediaClient(service.clientOptions);

function parse(kind: LogKind, filters: string): Selection {
  const result = language.parse(`logs ${kind} ${filters}`, when);
  if (!result.ok || result.command.name !== "logs") throw new Error(`${filters} was not understood`);
  return result.command;
}

/** The entries that a service selects. */
async function selected(selection: Selection, entries: readonly object[], project?: string): Promise<object[]> {
  service.reset();
  // Any JSON may be in a log.
  for (const entry of entries) service.add(selection.kind, JSON.parse(JSON.stringify(entry)));
  return client.logs.list(selection.kind, searchOf(selection, project));
}

const selects = async (kind: LogKind, filters: string, entry: object): Promise<boolean> =>
  (await selected(parse(kind, filters), [entry])).length === 1;

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
const refusal = {
  timestamp: "2026-11-20T09:31:02.117Z",
  type: "admission.refused",
  channel_id: "lobby@demo",
  session_id: null,
  connection_id: "8ZB5HW1NA0J9V6TQ2M4EXK7C3R",
  client_id: "c1",
  bundle_id: null,
  role: "sendrecv",
  node_name: "node-1",
  outcome: "refused",
  reason: "channel-full",
  media_reason: null,
  detail: "5 of 5",
  jwt_id: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
  key_id: "k7Qm2xVb",
  elapsed_time_ms: null,
  count: 12,
};
const mediaApi = {
  timestamp: "2026-11-20T10:12:40.951Z",
  media_target: "Media_20151104.DisconnectChannel",
  channel_id: "lobby@demo",
  status: 200,
  elapsed_time_ms: 21,
};

describe("the entries that a filter selects", () => {
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
    {
      kind: "events",
      entry: refusal,
      holding: `
        failed -ok outcome:refused outcome:ok,refused -outcome:ok reason:channel-full reason:CHANNEL_FULL reason:*-full
        reason~full -reason:ice-* type:admission.refused channel:lobby client:c1 connection:8ZB5…C3R role:sendrecv
        node:node-1 detail~"of 5" token:5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11 jti:5f0c* key:k7Qm2xVb count:12 count>10
        -after>0 -session:7N3D* time:2026-11-20`,
      failing: `
        ok -failed outcome:failed outcome:ok reason:ice-* -reason:channel-full type:connection.* channel:hall client:c
        role:recvonly node:node detail:5 token:k7Qm2xVb count:1 count<12 after>0 session:7N3D* bundle:* media-reason:*`,
    },
  ];
  it.each(cases)("on $kind are the expected ones, and no others", async ({ kind, entry, holding, failing }) => {
    // Splits at spaces that are not in quotes.
    const each = (texts: string) => texts.match(/(?:"[^"]*"|\S)+/g) ?? [];
    const those = async (texts: string, isSelected: boolean) => {
      const wrong: string[] = [];
      for (const filter of each(texts)) if ((await selects(kind, filter, entry)) !== isSelected) wrong.push(filter);
      return wrong;
    };
    expect(await those(holding, true)).toEqual([]);
    expect(await those(failing, false)).toEqual([]);
  });

  it("match all filters together", async () => {
    const both = "status>=400 elapsed>=500ms status<500";
    expect(await selects("webhooks", both, webhook)).toBe(true);
    expect(await selects("webhooks", both, { ...webhook, status: 200 })).toBe(false);
    expect(await selects("webhooks", both, { ...webhook, status: 500 })).toBe(false);
    expect(await selects("webhooks", both, { ...webhook, elapsed_time_ms: 1 })).toBe(false);
  });

  it.each([null, "many", {}, [], true, ""])("have no status of %j, except for its negation", async (status) => {
    for (const test of ["status:404", "status>=0", "status<999"]) {
      expect(await selects("webhooks", test, { ...webhook, status })).toBe(false);
      expect(await selects("webhooks", `-${test}`, { ...webhook, status })).toBe(true);
    }
  });

  it("are, of what failed, those without an answer, and with a status from 400 on", async () => {
    for (const [status, failed] of [
      [0, true],
      [200, false],
      [399, false],
      [400, true],
      [599, true],
    ] as const) {
      expect(await selects("webhooks", "failed", { ...webhook, status })).toBe(failed);
      expect(await selects("webhooks", "ok", { ...webhook, status })).toBe(!failed);
    }
  });

  it("are, of events that failed, also those of a refused client", async () => {
    for (const outcome of ["ok", "refused", "failed"]) {
      expect(await selects("events", "failed", { ...refusal, outcome })).toBe(outcome !== "ok");
      expect(await selects("events", "ok", { ...refusal, outcome })).toBe(outcome === "ok");
    }
  });

  it("are calls by the program that made them", async () => {
    const call = { url: "https://media.example/orgs/list-webhook-logs?from=bot", timestamp: webhook.timestamp };
    expect(await selects("api", "from:bot", call)).toBe(true);
    expect(await selects("api", "from:*", call)).toBe(true);
    expect(await selects("api", "-from:cli", call)).toBe(true);
    expect(await selects("api", "-from:*", call)).toBe(false);
    expect(await selects("api", "-from:*", { ...call, url: "https://media.example/orgs/list-webhook-logs" })).toBe(
      true,
    );
  });

  it("have both fields of a sum", async () => {
    const half = { ...connection, total_sent_bytes: null };
    expect(await selects("connections", "bytes>=0", half)).toBe(false);
    expect(await selects("connections", "-bytes>=0", half)).toBe(true);
  });
});

describe("the API's form of a filter", () => {
  it.each<[LogKind, string, object]>([
    ["webhooks", "failed", { failed: true }],
    ["webhooks", "ok", { failed: false }],
    ["webhooks", "status:404", { status: { eq: 404 } }],
    ["webhooks", "-status:404", { status: { not: { eq: 404 } } }],
    ["webhooks", "status:404,500", { status: { eq: [404, 500] } }],
    ["webhooks", "status:404,5xx", { status: { any: [{ eq: 404 }, { gte: 500, lte: 599 }] } }],
    ["webhooks", "status>=400 status<500", { status: { all: [{ gte: 400 }, { lt: 500 }] } }],
    ["webhooks", "elapsed>1.5s", { elapsed_time_ms: { gt: 1500 } }],
    ["webhooks", "url~hooks,HALL", { url: { contains: ["hooks", "HALL"] } }],
    ["webhooks", "-url~hooks", { url: { not: { contains: "hooks" } } }],
    ["webhooks", "type:session.*", { type: { starts_with: "session." } }],
    ["webhooks", "event-id:2M4E*", { event_id: { starts_with: "2M4E" } }],
    ["webhooks", "type:*.created", { type: { like: "*.created" } }],
    ["webhooks", "type:a,b*,c*d", { type: { any: [{ eq: "a" }, { starts_with: "b" }, { like: "c*d" }] } }],
    ["webhooks", 'url:"a*b\\"*', { url: { starts_with: "a*b\\" } }],
    ["webhooks", 'url:*"a*b\\"', { url: { like: "*a\\*b\\\\" } }],
    ["webhooks", "time>=09:00", { timestamp: { gte: "2026-11-21T09:00:00.000Z" } }],
    ["webhooks", "time>09:00", { timestamp: { gte: "2026-11-21T09:00:00.001Z" } }],
    ["webhooks", "time<=09:00", { timestamp: { lt: "2026-11-21T09:00:00.001Z" } }],
    ["webhooks", "time<09:00", { timestamp: { lt: "2026-11-21T09:00:00.000Z" } }],
    ["webhooks", "time:yesterday", { timestamp: { gte: "2026-11-20T00:00:00.000Z", lt: "2026-11-21T00:00:00.000Z" } }],
    ["webhooks", "time<=9999-12-31", { timestamp: { lt: "9999-12-31T23:59:59.999999999Z" } }],
    ["connections", "bytes>10MB", { total_bytes: { gt: 10_000_000 } }],
    ["connections", "duration<90s", { duration_min: { lt: 1.5 } }],
    ["connections", "session:7N3D…B6RY", { session_id: { like: "7N3D*B6RY" } }],
    ["connections", "channel:lobby", { channel: { eq: "lobby" } }],
    ["connections", "-channel~lob", { channel: { not: { contains: "lob" } } }],
    ["connections", "channel~b@d", { channel_id: { contains: "b@d" } }],
    ["sessions", "max:2..10", { max_connections: { gte: 2, lte: 10 } }],
    ["webhooks", "connection:0J9V…W1NA", { connection_id: { like: "0J9V*W1NA" } }],
    ["events", "failed -outcome:refused", { failed: true, outcome: { not: { eq: "refused" } } }],
    ["events", "reason:ICE_TIMEOUT,ice-failed", { reason: { eq: ["ice-timeout", "ice-failed"] } }],
    ["api", "from:bot", { from: { eq: "bot" } }],
    ["api", "-from:*", { from: { not: { like: "*" } } }],
  ])("in %s, %s", (kind, typed, where) => {
    expect(whereOf(kind, parse(kind, typed).filters)).toEqual(where);
  });

  it("of a channel with an @ is its id, or a name with an @", () => {
    const { kind, filters } = parse("sessions", "channel:ann@home");
    expect(whereOf(kind, filters, "demo")).toEqual({ channel_id: { eq: ["ann@home", "ann@home@demo"] } });
    const named = { all: [{ starts_with: "ann@home@" }, { not: { like: "ann@home@*@*" } }] };
    expect(whereOf(kind, filters)).toEqual({ channel_id: { any: [{ eq: "ann@home" }, named] } });
  });

  it("of contradicting words selects nothing", () => {
    const failed = { negated: false, test: { is: "failed" } } as const;
    const both = (field: string) => [
      { field, ...failed },
      { field, ...failed, negated: true },
    ];
    expect(whereOf("webhooks", both("status"))).toEqual({ status: { lt: 0, gt: 0 } });
    expect(whereOf("events", both("outcome"))).toEqual({ outcome: { eq: "ok", not: { eq: "ok" } } });
  });

  it("has at most a hundred members in each list", () => {
    const { kind, filters } = parse("webhooks", `status:${Array.from({ length: 201 }, (_, n) => n).join(",")}`);
    const { status } = whereOf(kind, filters);
    expect(status?.any?.map(({ eq }) => [eq].flat().length)).toEqual([100, 100, 1]);
    const many = Array.from({ length: 101 }, () => ({
      field: "status",
      negated: false,
      test: { is: ">", value: 1 } as const,
    }));
    expect(whereOf("webhooks", many).status?.all?.map(({ all }) => all?.length)).toEqual([100, undefined]);
  });

  it("of a field that the log does not have is refused", () => {
    const filters = [{ field: "client", negated: false, test: { is: "like", any: [["lobby"]] } as const }];
    expect(() => whereOf("webhooks", filters)).toThrow('webhook logs have no field "client".');
  });
});

describe("the search for a command's entries", () => {
  it("has the period, the end excluded, and only what was asked for", () => {
    expect(searchOf(parse("webhooks", "failed since:2h until:1h"))).toEqual({
      since: "2026-11-21T10:00:00.000Z",
      until: "2026-11-21T11:00:00.000Z",
      where: { failed: true },
    });
    expect(searchOf(parse("webhooks", ""))).toEqual({});
  });
});

describe("a comparison of timestamps", () => {
  const instant = fc.integer({ min: 0, max: 253_402_300_799_999 });

  it("is exact to the millisecond, at any precision", () => {
    const more = fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 9 });
    fc.assert(
      fc.property(instant, more, fc.constantFrom("Z", "+00:00", "z"), (at, digits, end) => {
        expect(readTimestamp(new Date(at).toISOString().replace("Z", `${digits}${end}`))).toBe(at);
      }),
    );
  });
});
