import { describe, expect, it } from "vitest";
import { contract, extensionOperations, extensionsContract, type Node, resolve } from "./contract.js";
import { validator } from "./judge.js";
import { testExamples } from "./test/examples.js";

const schemas: Readonly<Record<string, Node>> = extensionsContract.components?.schemas ?? {};
const judge = (schema: string) => validator(schemas[schema] ?? {});
const membersOf = (schema: string) => Object.keys(schemas[schema]?.properties ?? {});

/** The fields of the event log's entries, with their JSON types. */
const eventFields = {
  timestamp: "string",
  type: "string",
  channel_id: "string",
  session_id: "string",
  connection_id: "string",
  client_id: "string",
  bundle_id: "string",
  role: "string",
  node_name: "string",
  outcome: "string",
  reason: "string",
  media_reason: "string",
  detail: "string",
  jwt_id: "string",
  key_id: "string",
  elapsed_time_ms: "integer",
  count: "integer",
  event_id: "string",
};

describe("the extensions", () => {
  it("are operations beside those that every service has", () => {
    expect(
      extensionOperations.map(({ path, method, operation }) => `${method} ${path} ${operation.operationId}`),
    ).toEqual([
      "post /orgs/list-event-logs listEventLogs",
      "post /orgs/list-live-channels listLiveChannels",
      "post /orgs/count-logs countLogs",
    ]);
    for (const { path } of extensionOperations) expect(contract.paths).not.toHaveProperty([path]);
  });

  it("have the same server and key", () => {
    expect(extensionsContract.servers).toMatchObject([{ url: "{base_url}", variables: { base_url: {} } }]);
    expect(extensionsContract.security).toEqual(contract.security);
    expect(extensionsContract.components?.securitySchemes?.apiKey).toMatchObject({ type: "http", scheme: "bearer" });
  });
});

describe("the event log", () => {
  it("has entries of these fields, of which few are always present", () => {
    const properties = Object.entries(schemas.EventLogEntry?.properties ?? {});
    const types = properties.map(([name, schema]) => [name, resolve(schema).type]);
    expect(Object.fromEntries(types)).toEqual(eventFields);
    expect(schemas.EventLogEntry?.required).toEqual(["timestamp", "type", "outcome"]);
  });

  it("can be searched by each field, by the channel's name, and by whether an entry failed", () => {
    expect(membersOf("EventLogWhere").sort()).toEqual([...Object.keys(eventFields), "channel", "failed"].sort());
  });

  it("is listed with the members of every listing", () => {
    const { properties } = contract.components?.schemas?.ListWebhookLogsRequest ?? {};
    expect(membersOf("ListEventLogsRequest")).toEqual(Object.keys(properties ?? {}));
  });

  const isEntry = judge("EventLogEntry");
  const entry = { timestamp: "2026-04-01T09:30:15Z", type: "admission.refused", outcome: "refused" };

  it.each([
    {},
    { reason: "channel-full", detail: "5 of 5" },
    { count: 2 },
    { type: "recording.started", outcome: "ok" },
  ])("may have an entry with %j", (members) => {
    expect(isEntry({ ...entry, ...members })).toBe(true);
  });

  it.each([{ outcome: "unknown" }, { reason: "ICE-TIMEOUT" }, { count: 1 }, { timestamp: undefined }, { role: null }])(
    "never has an entry with %j",
    (members) => {
      expect(isEntry(JSON.parse(JSON.stringify({ ...entry, ...members })))).toBe(false);
    },
  );
});

describe("the live channels", () => {
  const isRequest = judge("ListLiveChannelsRequest");

  it.each([{}, { project_id: "demo" }, { channel_id: "a@b@demo", limit: 1000 }, { channel: "lobby" }])(
    "may be asked for by %j",
    (request) => {
      expect(isRequest(request)).toBe(true);
    },
  );

  it.each([{ channel_id: "lobby" }, { channel: "" }, { limit: 0 }, { limit: 1001 }, { limit: "5" }, [], null])(
    "are never asked for by %j",
    (request) => {
      expect(isRequest(request)).toBe(false);
    },
  );

  it("always have each sum, and lack what is not known of a channel or a connection", () => {
    expect(schemas.LiveChannels?.required).toEqual(membersOf("LiveChannels"));
    const isChannel = judge("LiveChannel");
    const channel = { channel_id: "lobby@demo", connections: 0, admitted: 1, roles: {} };
    expect(isChannel(channel)).toBe(true);
    const clients = [{ connection_id: "A", state: "admitted" }];
    expect(isChannel({ ...channel, clients, omitted_clients: 0 })).toBe(true);
    expect(isChannel({ ...channel, limits: { min: 5 } })).toBe(false);
    expect(isChannel({ ...channel, clients: [{ connection_id: "A", state: "gone" }] })).toBe(false);
  });
});

describe("a count", () => {
  const isValid = judge("CountLogsRequest");

  it.each([
    { kind: "sessions" },
    { kind: "webhooks", project_id: "demo", since: "2026-04-01T00:00:00+09:00", until: "2026-04-02T00:00:00.5Z" },
    { kind: "webhooks", where: { status: { gte: 400, not: { eq: [404, 410] } } }, by: ["url", "status"], top: 10 },
    { kind: "connections", where: { channel: { eq: "lobby" } }, every: 86_400, offset: 32_400 },
    { kind: "events", where: { failed: true, client_id: { eq: "c1" } }, by: ["reason", "node_name"] },
  ])("may be %j", (request) => {
    expect(isValid(request)).toBe(true);
  });

  it.each([
    {},
    { kind: "calls" },
    { kind: "api", by: [] },
    { kind: "api", by: ["url", "url"] },
    { kind: "api", by: ["url", "status", "failed"] },
    { kind: "api", by: ["elapsed_time_ms"] },
    { kind: "api", top: 0 },
    { kind: "api", every: 0 },
    { kind: "api", every: 0.5 },
    { kind: "api", every: 3600, offset: 86_401 },
    { kind: "api", since: "yesterday" },
    { kind: "api", where: { satus: { eq: 200 } } },
    { kind: "api", limit: 10 },
    null,
  ])("is never %j", (request) => {
    expect(isValid(request)).toBe(false);
  });

  it("takes the conditions of every listing", () => {
    const all = Object.entries({ ...contract.components?.schemas, ...schemas });
    const wheres = all.filter(([name]) => name.endsWith("Where")).map(([, schema]) => schema);
    const taken = Object.values(schemas.CountLogsRequest?.properties?.where?.anyOf ?? {});
    expect(taken.map((schema) => resolve(schema))).toEqual(wheres);
  });
});

describe("the counts", () => {
  it("always have each member of the answer", () => {
    expect(schemas.LogCounts?.required).toEqual(membersOf("LogCounts"));
  });
});

describe("the examples", () => testExamples(extensionsContract));
