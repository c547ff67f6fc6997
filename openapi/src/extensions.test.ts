import { describe, expect, it } from "vitest";
import { extensionOperations, extensionsContract, type Node, resolve } from "./contract.js";
import { validator } from "./judge.js";

const schemas: Readonly<Record<string, Node>> = extensionsContract.components?.schemas ?? {};
const judge = (schema: string) => validator(schemas[schema] ?? {});

describe("an entry of the event log", () => {
  const entry = { timestamp: "2026-04-01T09:30:15Z", type: "admission.refused", outcome: "refused" };

  it.each([
    {},
    { reason: "channel-full", detail: "5 of 5" },
    { count: 2 },
    { type: "recording.started", outcome: "ok" },
  ])("may have %j", (members) => {
    expect(judge("EventLogEntry")({ ...entry, ...members })).toBe(true);
  });

  it.each([{ outcome: "unknown" }, { reason: "ICE-TIMEOUT" }, { count: 1 }, { timestamp: null }, { role: null }])(
    "never has %j",
    (members) => {
      expect(judge("EventLogEntry")({ ...entry, ...members })).toBe(false);
    },
  );
});

describe("the requests of the extensions", () => {
  const managing = extensionOperations.filter(({ path, method }) => path.startsWith("/projects/") && method === "post");

  it("take the name of the requester as a header, of visible ASCII", () => {
    const isName = validator(extensionsContract.components?.parameters?.RequestedBy?.schema ?? {});
    for (const { operation } of managing) {
      const parameters = Object.values(operation.parameters ?? {}).map((parameter) => resolve(parameter));
      expect(parameters).toMatchObject([{ name: "x-requested-by", in: "header", required: false }]);
    }
    expect(["slack:T0PLAY/U0ANN", "Ann Lee", "x".repeat(255)].map((name) => isName(name))).toEqual([true, true, true]);
    expect(["", "ünn", "a\nb", "x".repeat(256)].map((name) => isName(name))).toEqual([false, false, false, false]);
  });

  it.each(managing)("$path takes the project, and refuses a member that is not known", ({ operation }) => {
    const { schema = {}, examples = {} } = operation.requestBody?.content?.["application/json"] ?? {};
    const value = { ...resolve(Object.values(examples)[0] ?? {}).value };
    const isRequest = validator(resolve(schema));
    expect(isRequest({ ...value, project_id: "demo" })).toBe(true);
    expect(isRequest({ ...value, projct_id: "demo" })).toBe(false);
  });

  it.each(["ListAccessTokensRequest", "ListRevocationsRequest", "ListDeliveriesRequest", "ListAuditLogRequest"])(
    "have pages of 1 to 1000: %s",
    (request) => {
      const isValid = [0, 1, 1000, 1001, "5"].map((limit) => judge(request)({ limit }));
      expect(isValid).toEqual([false, true, true, false, false]);
      expect(judge(request)({ cursor: "abc" })).toBe(true);
    },
  );

  it.each([
    ["CountLogsRequest", {}],
    ["CountLogsRequest", { kind: "calls" }],
    ["CountLogsRequest", { kind: "api", by: [] }],
    ["CountLogsRequest", { kind: "api", by: ["url", "url"] }],
    ["CountLogsRequest", { kind: "api", by: ["elapsed_time_ms"] }],
    ["CountLogsRequest", { kind: "api", top: 0 }],
    ["CountLogsRequest", { kind: "api", every: 0.5 }],
    ["CountLogsRequest", { kind: "api", every: 3600, offset: 86_401 }],
    ["CountLogsRequest", { kind: "api", where: { satus: { eq: 200 } } }],
    ["ListLiveChannelsRequest", { channel_id: "lobby" }],
    ["ListLiveChannelsRequest", { limit: 1001 }],
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
  ])("are never accepted as %s: %j", (request, value) => {
    expect(judge(request)(value)).toBe(false);
  });
});

it("what lists or checks tokens never holds the token itself", () => {
  for (const schema of ["CheckedToken", "IssuedToken", "RevokedTokens", "TokenRevocation"]) {
    expect(Object.keys(schemas[schema]?.properties ?? {})).not.toContain("access_token");
  }
});
