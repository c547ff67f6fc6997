import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  contract,
  extensionOperations,
  extensionsContract,
  intakeContract,
  intakeOperations,
  type Node,
  type Operation,
  operations,
  resolve,
} from "./contract.js";
import { faultsOf, validator } from "./judge.js";
import { examplesOf, testExamples } from "./test/examples.js";

const allOperations = [...operations, ...extensionOperations];
const idOf = ({ operation }: Operation): string => String(operation.operationId);
const listed = (some: readonly Operation[]) => some.map((one) => `${one.method} ${one.path} ${idOf(one)}`);
/** The only operation without a key: it returns the public keys of a project, by GET and without a body. */
const publicOperation = "getSigningKeys";
const failures = ["400", "401", "403", "404", "405", "413", "415", "429", "503", "default"];
/** The statuses it never answers: there is no key to refuse, and no body to read. */
const impossibleForPublic = ["401", "403", "404", "413", "415"];
/** The operations that can contradict what was revoked. */
const mayConflict = ["createAccessToken", "revokeAccessToken"];

const strings = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "string"]));
const integers = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "integer"]));
const search = {
  ...strings("project_id", "since", "until", "order", "cursor"),
  ...integers("limit", "wait_s"),
  where: "object",
};
const life = { ...strings("created_timestamp", "destroyed_timestamp"), ...integers("duration_min") };

/** The fields of the specification, with their JSON types. */
const fields: Record<string, Record<string, string>> = {
  SessionLogEntry: {
    ...strings("timestamp", "channel_id", "session_id"),
    ...integers("total_connections", "max_connections"),
    ...life,
  },
  ConnectionLogEntry: {
    ...strings("timestamp", "channel_id", "session_id", "client_id", "bundle_id", "connection_id"),
    ...integers("total_received_bytes", "total_sent_bytes"),
    ...life,
  },
  ApiLogEntry: { ...strings("timestamp", "url"), ...integers("status", "elapsed_time_ms", "count") },
  MediaApiLogEntry: {
    ...strings("timestamp", "media_target", "channel_id"),
    ...integers("status", "elapsed_time_ms"),
  },
  WebhookLogEntry: {
    ...strings("timestamp", "type", "url", "channel_id", "connection_id", "event_id"),
    ...integers("status", "elapsed_time_ms"),
  },
  ListSessionLogsRequest: search,
  ListConnectionLogsRequest: search,
  ListApiLogsRequest: search,
  ListMediaApiLogsRequest: search,
  ListWebhookLogsRequest: search,
  CreateAccessTokenRequest: {
    ...strings("channel_id", "role", "not_before", "expiration_time", "jwt_id"),
    ...integers("max_channel_connections"),
  },
  AccessToken: strings("access_token"),
  Problem: { ...strings("type", "title", "detail", "request_id"), ...integers("status"), errors: "array" },
  ProblemError: strings("pointer", "detail"),
};

/** The fields that an entry may lack. */
const optional: Record<string, string[]> = {
  ApiLogEntry: ["count"],
  WebhookLogEntry: ["channel_id", "connection_id", "event_id"],
};

describe("the operations", () => {
  it("are the six of the specification, all POST, and others beside them", () => {
    expect(listed(operations)).toEqual([
      "post /orgs/list-session-logs listSessionLogs",
      "post /orgs/list-connection-logs listConnectionLogs",
      "post /orgs/list-api-logs listApiLogs",
      "post /orgs/list-media-api-logs listMediaApiLogs",
      "post /orgs/list-webhook-logs listWebhookLogs",
      "post /projects/create-access-token createAccessToken",
    ]);
    for (const { operation } of operations) expect(resolve(operation.requestBody ?? {}).required).toBe(false);
    for (const { path } of extensionOperations) expect(contract.paths).not.toHaveProperty([path]);
  });

  it("of the intake take the key in a header or in the path, beside the proxy to the media API", () => {
    const kinds = ["auth", "session", "event"];
    expect(listed(intakeOperations)).toEqual([
      ...kinds.map((kind) => `post /intake/${kind} ${kind}`),
      ...kinds.map((kind) => `post /intake/{intake_key}/${kind} ${kind}ByPath`),
      "post /media-api callMediaApi",
    ]);
  });

  it.each(allOperations)("$path answers every error status with a problem and its headers", (described) => {
    const responses = described.operation.responses ?? {};
    const possible = [...failures, ...(mayConflict.includes(idOf(described)) ? ["409"] : [])].filter(
      (status) => idOf(described) !== publicOperation || !impossibleForPublic.includes(status),
    );
    expect(Object.keys(responses).sort()).toEqual(["200", ...possible].sort());
    for (const status of possible) {
      const content = resolve(responses[status] ?? {}).content ?? {};
      expect(content["application/problem+json"]?.schema).toEqual({ $ref: "media.yaml#/components/schemas/Problem" });
    }
  });

  it.each([...allOperations, ...intakeOperations])("$path has the headers of each status", ({ operation }) => {
    const headers: Record<string, string[]> = {
      "401": ["WWW-Authenticate"],
      "405": ["Allow"],
      "429": ["Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
      "503": ["Retry-After"],
    };
    for (const [status, reference] of Object.entries(operation.responses ?? {})) {
      const { content = {}, headers: own = {} } = resolve(reference);
      expect(Object.keys(own)).toEqual(expect.arrayContaining(["x-request-id", ...(headers[status] ?? [])]));
      if (status !== "200") expect(Object.keys(content)).toEqual(["application/problem+json"]);
    }
  });

  it("are documented in docs/api.md", () => {
    const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
    for (const { path } of allOperations) expect(page).toContain(path);
  });

  it("need the API key as a bearer credential, except for the one that returns public keys, which is a GET", () => {
    for (const { security, servers, components } of [contract, extensionsContract]) {
      expect(security).toEqual([{ apiKey: [] }]);
      expect(components?.securitySchemes?.apiKey).toMatchObject({ type: "http", scheme: "bearer" });
      expect(servers).toMatchObject([{ url: "{base_url}", variables: { base_url: {} } }]);
    }
    const open = allOperations.filter(({ operation }) => operation.security);
    expect(open).toMatchObject([{ method: "get", operation: { operationId: publicOperation, security: [] } }]);
    expect(open[0]?.operation).not.toHaveProperty("requestBody");
    expect(allOperations.filter(({ method }) => method !== "post")).toEqual(open);
  });
});

describe("the fields", () => {
  const schemas = Object.entries(contract.components?.schemas ?? {});

  it("are listed for every schema that has any, except for the conditions of searches", () => {
    const names = schemas.filter(([name, { properties }]) => properties && !/(Where|Test)$/.test(name));
    expect(Object.keys(fields).sort()).toEqual(names.map(([name]) => name).sort());
  });

  it.each(Object.entries(fields))("of %s match the specification", (name, expected) => {
    const { properties = {}, required = [] } = contract.components?.schemas?.[name] ?? {};
    const types = Object.entries(properties).map(([field, schema]): [string, unknown] => [field, resolve(schema).type]);
    expect(Object.fromEntries(types)).toEqual(expected);
    if (name === "Problem") return;
    if (!name.endsWith("Request")) {
      return expect(required).toEqual(Object.keys(properties).filter((field) => !optional[name]?.includes(field)));
    }
    expect(validator(name)({})).toBe(true);
    expect(validator(name)({ expiration_tme: "2026-04-01T03:10:00Z" })).toBe(false);
  });

  it("of no token that is checked, listed or revoked have the token itself, nor public keys a private part", () => {
    const membersOf = (schema: string) =>
      Object.keys(extensionsContract.components?.schemas?.[schema]?.properties ?? {});
    for (const schema of ["CheckedToken", "IssuedToken", "RevokedTokens", "TokenRevocation"]) {
      expect(membersOf(schema)).not.toContain("access_token");
    }
    expect(membersOf("SigningKey")).toEqual(["kty", "crv", "x", "kid", "alg", "use"]);
  });
});

it.each<[schema: string, valid: unknown[], invalid: unknown[]]>([
  [
    "Timestamp",
    ["", ".4", ".444", ".444444", ".444444444", `.${"4".repeat(30)}`].map((digits) => `2026-04-01T09:30:15${digits}Z`),
    ["2026-04-01T09:30:15+00:00", "2026-04-01T09:30:15.Z", "2026-04-01", "2026-13-01T00:00:00Z", 1775035815, null],
  ],
  [
    "CreateAccessTokenRequest",
    [
      ...[{ channel_id: "a@b@demo" }, { channel_id: "🎥 stage@demo" }, { role: "sendonly" }],
      ...[{ max_channel_connections: 0 }, { max_channel_connections: 5000 }],
      ...[{ not_before: "2026-04-01T12:00:00.123456789+09:00" }, { jwt_id: "5F0C8A52-3F5E-1F0B-9D9A-3A4B8F7F2C11" }],
    ],
    [
      ...[{ channel_id: "lobby" }, { channel_id: "lobby@" }, { channel_id: `${"x".repeat(251)}@demo` }],
      ...[{ role: "admin" }, { project_id: "demo" }, { jwt_id: "demo" }, [], null],
      ...[-1, 5001, 1.5, "5"].map((most) => ({ max_channel_connections: most })),
      ...[{ not_before: 1775035815 }, { not_before: "2026-04-01" }, { expiration_time: "2026-04-01T03:10:00" }],
      ...[{ expiration_time: "2026-04-01T03:10:00Z." }, { jwt_id: "urn:uuid:5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11" }],
    ],
  ],
])("a %s is what the specification allows", (schema, valid, invalid) => {
  const isValid = validator(schema);
  expect(valid.filter((value) => !isValid(value))).toEqual([]);
  expect(invalid.filter((value) => isValid(value))).toEqual([]);
});

/** The members that every kind of event requires: its log entry or its seat needs them. */
const required = [
  ["SessionEvent", "SessionCreated", "id channel_id session_id"],
  [
    "SessionEvent",
    "SessionDestroyed",
    "id timestamp channel_id session_id created_timestamp destroyed_timestamp max_connections total_connections",
  ],
  ["SessionEvent", "SessionVanished", "id node_name"],
  ["ConnectionEvent", "ConnectionCreated", "id channel_id connection_id"],
  ["ConnectionEvent", "ConnectionDestroyed", "id timestamp channel_id session_id connection_id data"],
  ["ConnectionEvent", "ConnectionFailed", "id"],
  ["ConnectionEvent", "OtherEvent", "id type"],
  ["AuthRequest", "Auth", "role channel_id connection_id"],
] as const;

it.each(required)(
  "a %s, %s, has the members that the service needs, and may have unknown ones",
  (schema, kind, names) => {
    const isValid = validator(intakeContract.components?.schemas?.[schema] ?? {});
    const example: Node = resolve(intakeContract.components?.examples?.[kind] ?? {}).value ?? {};
    expect(isValid({ ...example, shard: 4, "": null })).toBe(true);
    for (const name of names.split(" ")) {
      const { [name]: left, ...rest } = example;
      expect(left, name).toBeDefined();
      expect(isValid(rest), `without ${name}`).toBe(false);
    }
  },
);

describe.each([
  ["the API", contract],
  ["the extensions", extensionsContract],
  ["the intake", intakeContract],
])("the examples of %s", (_, document) => testExamples(document));

it("the examples show each token option on its own", () => {
  const keys = examplesOf(contract).map(({ value }) => Object.keys(value));
  const options = Object.keys(fields.CreateAccessTokenRequest ?? {});
  expect(keys).toEqual(expect.arrayContaining(options.map((option) => [option])));
});

describe("the judge", () => {
  const problem = { type: "about:blank", title: "Too many calls", status: 429, detail: "Wait.", request_id: "1" };
  const entry = { timestamp: "2026-04-01T09:30:15Z", url: "http://media.test/", status: 200, elapsed_time_ms: 1 };
  const json = { "content-type": "application/json; charset=UTF-8", "x-request-id": "1" };
  const faults = (status: number, headers: Record<string, string>, body: unknown, path = "/orgs/list-api-logs") =>
    faultsOf(path, { status, headers: new Headers(headers), text: JSON.stringify(body) });

  it("accepts an answer that the contract describes, also of the intake", () => {
    expect(faults(200, { ...json, "ratelimit-limit": "600" }, [entry])).toEqual([]);
    expect(faults(200, json, { allowed: true }, "/intake/auth")).toEqual([]);
    expect(faults(200, json, {}, "/intake/auth")).not.toEqual([]);
  });

  it.each([
    ["an entry without a field", 200, json, [{ ...entry, status: undefined }], /must have required property 'status'/],
    ["a missing header", 200, { "content-type": "application/json" }, [], /no x-request-id/],
    ["a header of the wrong type", 200, { ...json, "RateLimit-Limit": "many" }, [], /RateLimit-Limit may not be many/],
    ["another content type", 429, json, problem, /not application\/problem\+json/],
  ])("finds %s", (_, status, headers, body, message) => {
    expect(faults(status, headers, body)).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  });
});
