import { describe, expect, it } from "vitest";
import { contract, extensionOperations, extensionsContract, resolve } from "./contract.js";
import { validator } from "./judge.js";
import { testExamples } from "./test/examples.js";

const judge = (schema: string) => validator(extensionsContract.components?.schemas?.[schema] ?? {});

describe("the extensions", () => {
  it("are one operation, beside those that every service has", () => {
    expect(
      extensionOperations.map(({ path, method, operation }) => `${method} ${path} ${operation.operationId}`),
    ).toEqual(["post /orgs/count-logs countLogs"]);
    for (const { path } of extensionOperations) expect(contract.paths).not.toHaveProperty([path]);
  });

  it("have the same server and key", () => {
    expect(extensionsContract.servers).toMatchObject([{ url: "{base_url}", variables: { base_url: {} } }]);
    expect(extensionsContract.security).toEqual(contract.security);
    expect(extensionsContract.components?.securitySchemes?.apiKey).toMatchObject({ type: "http", scheme: "bearer" });
  });
});

describe("a count", () => {
  const isValid = judge("CountLogsRequest");

  it.each([
    { kind: "sessions" },
    { kind: "webhooks", project_id: "demo", since: "2026-04-01T00:00:00+09:00", until: "2026-04-02T00:00:00.5Z" },
    { kind: "webhooks", where: { status: { gte: 400, not: { eq: [404, 410] } } }, by: ["url", "status"], top: 10 },
    { kind: "connections", where: { channel: { eq: "lobby" } }, every: 86_400, offset: 32_400 },
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
    const wheres = Object.keys(contract.components?.schemas ?? {}).filter((name) => name.endsWith("Where"));
    const taken = Object.values(
      extensionsContract.components?.schemas?.CountLogsRequest?.properties?.where?.anyOf ?? {},
    );
    expect(taken.map((schema) => resolve(schema))).toEqual(
      wheres.map((name) => contract.components?.schemas?.[name] ?? {}),
    );
  });
});

describe("the counts", () => {
  it("always have each member of the answer", () => {
    const { required, properties } = extensionsContract.components?.schemas?.LogCounts ?? {};
    expect(required).toEqual(Object.keys(properties ?? {}));
  });
});

describe("the examples", () => testExamples(extensionsContract));
