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
      "post /projects/list-access-tokens listAccessTokens",
      "post /projects/revoke-access-token revokeAccessToken",
      "post /projects/check-access-token checkAccessToken",
      "post /projects/list-access-token-revocations listAccessTokenRevocations",
      "get /.well-known/jwks.json getSigningKeys",
      "post /projects/list-deliveries listDeliveries",
      "post /projects/resend-deliveries resendDeliveries",
      "post /projects/list-webhook-endpoints listWebhookEndpoints",
      "post /projects/enable-webhook-endpoint enableWebhookEndpoint",
      "post /projects/list-audit-log listAuditLog",
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

describe("the operations on tokens, deliveries, endpoints and the audit log", () => {
  const managing = extensionOperations.filter(({ path, method }) => path.startsWith("/projects/") && method === "post");

  it("take the name of the requester as a header, of visible ASCII", () => {
    const isName = validator(extensionsContract.components?.parameters?.RequestedBy?.schema ?? {});
    for (const { operation } of managing) {
      const parameters = Object.values(operation.parameters ?? {}).map((parameter) => resolve(parameter));
      expect(parameters).toMatchObject([{ name: "x-requested-by", in: "header", required: false }]);
    }
    expect(managing).toHaveLength(9);
    expect(["slack:T0PLAY/U0ANN", "Ann Lee", "x".repeat(255)].map((name) => isName(name))).toEqual([true, true, true]);
    expect(["", "ünn", "a\nb", "x".repeat(256)].map((name) => isName(name))).toEqual([false, false, false, false]);
  });

  const requestOf = ({ operation }: (typeof managing)[number]): Node =>
    resolve(operation.requestBody?.content?.["application/json"]?.schema ?? {});

  it.each(managing)("$path takes the project, and refuses a member that is not known", (described) => {
    const [example] = Object.values(described.operation.requestBody?.content?.["application/json"]?.examples ?? {});
    const value = { ...resolve(example ?? {}).value };
    const isRequest = validator(requestOf(described));
    expect(isRequest({ ...value, project_id: "demo" })).toBe(true);
    expect(isRequest({ ...value, projct_id: "demo" })).toBe(false);
  });

  it.each([
    ["ListAccessTokensRequest", "IssuedTokens", "tokens"],
    ["ListRevocationsRequest", "TokenRevocations", "revocations"],
    ["ListDeliveriesRequest", "Deliveries", "deliveries"],
    ["ListAuditLogRequest", "AuditLog", "entries"],
  ])("have pages: %s", (request, answer, items) => {
    expect(membersOf(request)).toEqual(expect.arrayContaining(["limit", "cursor"]));
    expect([1, 1000].map((limit) => judge(request)({ limit }))).toEqual([true, true]);
    expect([0, 1001, "5"].map((limit) => judge(request)({ limit }))).toEqual([false, false, false]);
    expect(membersOf(answer)).toEqual([items, "next_cursor"]);
    expect(judge(answer)({ [items]: [] })).toBe(true);
    expect(judge(answer)({ next_cursor: "abc" })).toBe(false);
  });

  it.each([
    ["ListAccessTokensRequest", { jwt_id: "a\u0000" }],
    ["ListAccessTokensRequest", { role: "admin" }],
    ["RevokeAccessTokenRequest", { jwt_id: "a\u0000" }],
    ["RevokeAccessTokenRequest", { channel_id: "lobby" }],
    ["RevokeAccessTokenRequest", { channel_id: "lobby@demo", issued_before: "yesterday" }],
    ["RevokeAccessTokenRequest", { disconnect: "yes" }],
    ["CheckAccessTokenRequest", {}],
    ["CheckAccessTokenRequest", { access_token: "x".repeat(8193) }],
    ["ListDeliveriesRequest", { state: "lost" }],
    ["ResendDeliveriesRequest", { since: "2026-04-01" }],
    ["EnableWebhookEndpointRequest", {}],
    ["EnableWebhookEndpointRequest", { kind: "events" }],
    ["ListAuditLogRequest", { requested_by: "" }],
  ])("never accept as %s: %j", (request, value) => {
    expect(judge(request)(value)).toBe(false);
  });
});

describe("the public keys of a project", () => {
  it("are named by the project alone, and have no private part", () => {
    const keys = extensionOperations.find(({ operation }) => String(operation.operationId) === "getSigningKeys");
    expect(Object.values(keys?.operation.parameters ?? {})).toMatchObject([
      { name: "project_id", in: "query", required: true },
    ]);
    expect(keys?.operation).not.toHaveProperty("requestBody");
    expect(membersOf("SigningKey")).toEqual(["kty", "crv", "x", "kid", "alg", "use"]);
    expect(schemas.SigningKey?.required).toEqual(membersOf("SigningKey"));
  });
});

describe("a token that is checked, and one that is listed", () => {
  it("never hold the token itself", () => {
    for (const schema of ["CheckedToken", "IssuedToken", "RevokedTokens", "TokenRevocation"]) {
      expect(membersOf(schema)).not.toContain("access_token");
    }
  });
});

describe("the examples", () => testExamples(extensionsContract));
