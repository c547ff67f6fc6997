import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { contract, extensionOperations, type Node, type Operation, operations, resolve } from "./contract.js";
import { faultsOf, validator } from "./judge.js";
import { examplesOf, testExamples } from "./test/examples.js";

const allOperations = [...operations, ...extensionOperations];
const failures = ["400", "401", "403", "404", "405", "413", "415", "429", "503", "default"];
/** The only operation without a key: it returns the public keys of a project, by GET and without a body. */
const publicOperation = "getSigningKeys";
const isPublic = ({ operation }: Operation) => String(operation.operationId) === publicOperation;
/** The statuses it never answers: there is no key to refuse, and no body to read. */
const impossibleForPublic = ["401", "403", "404", "413", "415"];

/** The operations that can contradict what was revoked. */
const mayConflict = new Set(["createAccessToken", "revokeAccessToken"]);

/** The members of every listing's request; the conditions in `where` are below. */
const searchMembers = {
  project_id: "string",
  since: "string",
  until: "string",
  limit: "integer",
  order: "string",
  cursor: "string",
  wait_s: "integer",
  where: "object",
};

/** The fields of each schema, with their JSON types. */
const fields: Record<string, Record<string, string>> = {
  SessionLogEntry: {
    timestamp: "string",
    channel_id: "string",
    session_id: "string",
    total_connections: "integer",
    max_connections: "integer",
    created_timestamp: "string",
    destroyed_timestamp: "string",
    duration_min: "integer",
  },
  ConnectionLogEntry: {
    timestamp: "string",
    channel_id: "string",
    session_id: "string",
    client_id: "string",
    bundle_id: "string",
    connection_id: "string",
    total_received_bytes: "integer",
    total_sent_bytes: "integer",
    created_timestamp: "string",
    destroyed_timestamp: "string",
    duration_min: "integer",
  },
  ApiLogEntry: {
    timestamp: "string",
    url: "string",
    status: "integer",
    elapsed_time_ms: "integer",
    count: "integer",
  },
  MediaApiLogEntry: {
    timestamp: "string",
    media_target: "string",
    channel_id: "string",
    status: "integer",
    elapsed_time_ms: "integer",
  },
  WebhookLogEntry: {
    timestamp: "string",
    type: "string",
    url: "string",
    status: "integer",
    elapsed_time_ms: "integer",
    channel_id: "string",
    connection_id: "string",
    event_id: "string",
  },
  ListSessionLogsRequest: searchMembers,
  ListConnectionLogsRequest: searchMembers,
  ListApiLogsRequest: searchMembers,
  ListMediaApiLogsRequest: searchMembers,
  ListWebhookLogsRequest: searchMembers,
  CreateAccessTokenRequest: {
    channel_id: "string",
    role: "string",
    max_channel_connections: "integer",
    not_before: "string",
    expiration_time: "string",
    jwt_id: "string",
  },
  AccessToken: { access_token: "string" },
  Problem: {
    type: "string",
    title: "string",
    status: "integer",
    detail: "string",
    request_id: "string",
    errors: "array",
  },
  ProblemError: { pointer: "string", detail: "string" },
};

const combined = { any: "array", all: "array", not: "object" };
const bounds = (type: string) => ({ gt: type, gte: type, lt: type, lte: type });
const texts = ["eq", "contains", "starts_with", "like"];
/** The members of each test, with the JSON types of single values. */
const tests: Record<string, Record<string, string>> = {
  NumberTest: { eq: "number", ...bounds("number"), ...combined },
  TimeTest: { ...bounds("string"), ...combined },
  TextTest: { ...Object.fromEntries(texts.map((name) => [name, "string"])), ...combined },
};

/** What can be asked beside the fields of entries. */
const derived: Record<string, string[]> = {
  SessionLogWhere: ["channel"],
  ConnectionLogWhere: ["channel", "total_bytes"],
  ApiLogWhere: ["from", "failed"],
  MediaApiLogWhere: ["channel", "failed"],
  WebhookLogWhere: ["failed", "channel"],
};

/** The fields that an entry may lack. */
const optional: Record<string, string[]> = {
  ApiLogEntry: ["count"],
  WebhookLogEntry: ["channel_id", "connection_id", "event_id"],
};

describe("the operations", () => {
  it("match the specification, and are all POST", () => {
    expect(operations.map(({ path, method, operation }) => `${method} ${path} ${operation.operationId}`)).toEqual([
      "post /orgs/list-session-logs listSessionLogs",
      "post /orgs/list-connection-logs listConnectionLogs",
      "post /orgs/list-api-logs listApiLogs",
      "post /orgs/list-media-api-logs listMediaApiLogs",
      "post /orgs/list-webhook-logs listWebhookLogs",
      "post /projects/create-access-token createAccessToken",
    ]);
  });

  it.each(allOperations)("$path answers every error status with a problem and its headers", (described) => {
    const responses = described.operation.responses ?? {};
    const possible = isPublic(described)
      ? failures.filter((status) => !impossibleForPublic.includes(status))
      : [...failures, ...(mayConflict.has(String(described.operation.operationId)) ? ["409"] : [])];
    expect(Object.keys(responses).sort()).toEqual(["200", ...possible].sort());
    const headersOf = (status: string) => Object.keys(resolve(responses[status] ?? {}).headers ?? {});
    for (const status of possible) {
      const content = resolve(responses[status] ?? {}).content ?? {};
      expect(Object.keys(content)).toEqual(["application/problem+json"]);
      expect(content["application/problem+json"]?.schema).toEqual({ $ref: "media.yaml#/components/schemas/Problem" });
    }
    for (const status of Object.keys(responses)) expect(headersOf(status)).toContain("x-request-id");
    if (possible.includes("401")) expect(headersOf("401")).toContain("WWW-Authenticate");
    expect(headersOf("405")).toContain("Allow");
    expect(headersOf("429")).toEqual(
      expect.arrayContaining(["Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]),
    );
    expect(headersOf("503")).toContain("Retry-After");
  });

  it.each(allOperations)("$path is documented in docs/api.md", ({ path }) => {
    expect(readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8")).toContain(path);
  });

  it("need no request body", () => {
    for (const { operation } of operations) expect(resolve(operation.requestBody ?? {}).required).toBe(false);
  });

  it("accept the API key as a bearer credential", () => {
    expect(contract.security).toEqual([{ apiKey: [] }]);
    expect(contract.components?.securitySchemes?.apiKey).toMatchObject({ type: "http", scheme: "bearer" });
    for (const { operation } of allOperations.filter((described) => !isPublic(described))) {
      expect(operation).not.toHaveProperty("security");
    }
  });

  it("need a key, except for the one that returns public keys, which is a GET", () => {
    const open = allOperations.filter(({ operation }) => operation.security);
    expect(open).toMatchObject([{ method: "get", operation: { operationId: publicOperation, security: [] } }]);
    const otherMethods = allOperations.filter(({ method }) => method !== "post");
    expect(otherMethods).toEqual(open);
  });

  it("have the server's address as a variable", () => {
    expect(contract.servers).toMatchObject([{ url: "{base_url}", variables: { base_url: {} } }]);
  });
});

describe("the fields", () => {
  it("are listed for every schema that has any", () => {
    const schemas = Object.entries(contract.components?.schemas ?? {}).filter(([, schema]) => schema.properties);
    const listed = [fields, derived, tests].flatMap(Object.keys);
    expect(listed.sort()).toEqual(schemas.map(([name]) => name).sort());
  });

  it.each(Object.entries(tests))("of %s match the operators of searches", (name, expected) => {
    const properties = contract.components?.schemas?.[name]?.properties ?? {};
    const types = Object.entries(properties).map(([member, schema]) => [
      member,
      typeOf(schema) ?? typeOf(schema.anyOf?.[0] ?? {}),
    ]);
    expect(Object.fromEntries(types)).toEqual(expected);
  });

  it.each(Object.entries(derived))("of %s are those of the log's entries, and some more", (name, more) => {
    const own = Object.keys(fields[name.replace("Where", "Entry")] ?? {});
    expect(own.length).toBeGreaterThan(0);
    expect(Object.keys(contract.components?.schemas?.[name]?.properties ?? {}).sort()).toEqual(
      [...own, ...more].sort(),
    );
  });

  it.each(Object.entries(fields))("of %s match the specification", (name, expected) => {
    const properties = contract.components?.schemas?.[name]?.properties ?? {};
    const types = Object.entries(properties).map(([field, schema]) => [field, typeOf(schema)]);
    expect(Object.fromEntries(types)).toEqual(expected);
  });

  it.each(Object.keys(fields).filter((name) => !/Request$|^Problem$/.test(name)))(
    "of %s are always present, except for the optional ones",
    (name) => {
      const schema = contract.components?.schemas?.[name];
      const always = Object.keys(schema?.properties ?? {}).filter((field) => !optional[name]?.includes(field));
      expect(schema?.required).toEqual(always);
    },
  );

  it.each(Object.keys(fields).filter((name) => name.endsWith("Request")))(
    "of %s are all optional, and unknown ones are refused",
    (name) => {
      const isValid = validator(name);
      expect(isValid({})).toBe(true);
      expect(isValid({ expiration_tme: "2026-04-01T03:10:00Z" })).toBe(false);
    },
  );
});

describe("an entry's timestamp", () => {
  const isValid = validator("Timestamp");

  it.each([0, 1, 3, 6, 9, 30])("may have %i fraction digits", (digits) => {
    expect(isValid(`2026-04-01T09:30:15${digits ? `.${"4".repeat(digits)}` : ""}Z`)).toBe(true);
  });

  it.each([
    "2026-04-01T09:30:15+00:00",
    "2026-04-01T09:30:15.Z",
    "2026-04-01",
    "2026-13-01T00:00:00Z",
    1775035815,
    null,
  ])("is never %j", (value) => {
    expect(isValid(value)).toBe(false);
  });
});

describe("a token request", () => {
  const isValid = validator("CreateAccessTokenRequest");

  it.each([
    { channel_id: "a@b@demo" },
    { channel_id: "🎥 stage@demo" },
    { role: "sendonly" },
    { max_channel_connections: 0 },
    { max_channel_connections: 5000 },
    { not_before: "2026-04-01T12:00:00.123456789+09:00" },
    { jwt_id: "5F0C8A52-3F5E-1F0B-9D9A-3A4B8F7F2C11" },
  ])("may be %j", (request) => {
    expect(isValid(request)).toBe(true);
  });

  it.each([
    { channel_id: "lobby" },
    { channel_id: "lobby@" },
    { channel_id: `${"x".repeat(251)}@demo` },
    { role: "admin" },
    { max_channel_connections: -1 },
    { max_channel_connections: 5001 },
    { max_channel_connections: 1.5 },
    { max_channel_connections: "5" },
    { not_before: 1775035815 },
    { not_before: "2026-04-01" },
    { expiration_time: "2026-04-01T03:10:00" },
    { expiration_time: "2026-04-01T03:10:00Z." },
    { jwt_id: "demo" },
    { jwt_id: "urn:uuid:5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11" },
    { project_id: "demo" },
    [],
    null,
  ])("is never %j", (request) => {
    expect(isValid(request)).toBe(false);
  });
});

describe("the examples", () => {
  testExamples(contract);

  it("show each token option on its own", () => {
    const keys = examplesOf(contract).map(({ value }) => Object.keys(value));
    const single = keys.filter(({ length }) => length === 1);
    const options = Object.keys(fields.CreateAccessTokenRequest ?? {});
    expect(single).toEqual(expect.arrayContaining(options.map((option) => [option])));
  });
});

describe("the judge", () => {
  const path = "/orgs/list-api-logs";
  const problem = {
    type: "urn:media-ops:problem:too-many-requests",
    title: "Too many calls",
    status: 429,
    detail: "Wait.",
    request_id: "1",
  };
  const entry = { timestamp: "2026-04-01T09:30:15Z", url: "http://media.test/", status: 200, elapsed_time_ms: 1 };
  const json = { "content-type": "application/json; charset=UTF-8", "x-request-id": "1" };
  const faults = (status: number, headers: Record<string, string>, body: unknown) =>
    faultsOf(path, { status, headers: new Headers(headers), text: JSON.stringify(body) });

  it("accepts an answer that the contract describes", () => {
    expect(faults(200, { ...json, "ratelimit-limit": "600" }, [entry])).toEqual([]);
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

function typeOf(schema: Node): unknown {
  return resolve(schema).type;
}
