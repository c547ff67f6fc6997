import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { logPaths } from "@media-ops/contract";
import { contract, extensionOperations, operations, resolve } from "@media-ops/openapi/contract";
import { faultsOf } from "@media-ops/openapi/judge";
import { decodeProtectedHeader, jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import {
  createMediaClient,
  type LogKind,
  MediaApiError,
  MediaConnectionError,
  MediaResponseError,
  MediaTimeoutError,
} from "../index.js";
import { createFakeMediaService, type FakeFailure } from "./index.js";

const livePath = "/orgs/list-live-channels";
const tokenPath = "/projects/create-access-token";
const now = Date.parse("2026-04-01T09:30:15.250Z");
const kinds = Object.keys(logPaths) as LogKind[];

/** Checks a response against the contract; returns its body. */
async function expectWithinContract(path: string, response: Response): Promise<unknown> {
  const text = await response.text();
  expect(faultsOf(path, { status: response.status, headers: response.headers, text })).toEqual([]);
  return JSON.parse(text);
}

function post(
  service: ReturnType<typeof createFakeMediaService>,
  path: string,
  body?: BodyInit,
  headers: Record<string, string> = {},
  method = "POST",
) {
  const usual = { authorization: `Bearer ${service.clientOptions.apiKey}`, "content-type": "application/json" };
  const init = { method, headers: { ...usual, ...headers }, ...(body !== undefined && { body }) };
  return service.fetch(`http://media.test${path}`, init);
}

describe("each operation of the contract", () => {
  const withBody = [...operations, ...extensionOperations].filter(({ method }) => method === "post");
  const examples = withBody.flatMap(({ path, operation: { requestBody = {} } }) => {
    const given = Object.entries(resolve(requestBody).content?.["application/json"]?.examples ?? {});
    return [
      ...(operations.some((one) => one.path === path) ? [[path, "no body", undefined] as const] : []),
      ...given.map(([name, example]) => [path, name, JSON.stringify(resolve(example).value)] as const),
    ];
  });
  it.each(examples)("is answered for each of its examples: %s, %s", async (path, _, body) => {
    const service = createFakeMediaService({ now: () => now });
    for (const kind of kinds) service.add(kind, {}, { timestamp: "2026-03-20T00:00:00.123456789Z" });
    service.setLive({ channel_id: "lobby@demo" }, { channel_id: "hall@demo", clients: [] });
    service.addDeliveries({ event_id: "2M4EXK7C4R8ZB5HW1NA0J9V6TQ", state: "failed" });
    service.setEndpoints({ kind: "event", state: "off", off_since: "2026-04-01T09:00:00Z" });
    const response = await post(service, path, body);
    expect(response.status, body).toBe(200);
    await expectWithinContract(path, response);
  });
});

describe("the fake's listings", () => {
  it.each(kinds)("of %s match the contract, with defaults for fields that a test omits", async (kind) => {
    const service = createFakeMediaService({ now: () => now });
    const [added] = service.add(kind, {});
    const body = await expectWithinContract(logPaths[kind], await post(service, logPaths[kind]));
    expect(body).toEqual([added]);
    expect(added?.timestamp).toBe("2026-04-01T09:30:15.250Z");
  });

  it("are newest first at full precision, for any order in which entries were added", async () => {
    const service = createFakeMediaService({ now: () => now });
    const newestFirst = ["15.25Z", "15.2000019Z", "15.200001Z", "15.2Z", "15Z", "14.999999999Z"];
    const timestamps = newestFirst.map((second) => `2026-04-01T09:30:${second}`);
    service.add("api", ...timestamps.map((timestamp) => ({ timestamp })).sort());
    const entries = await createMediaClient(service.clientOptions).logs.api();
    expect(entries.map((entry) => entry.timestamp)).toEqual(timestamps);
  });

  it("reach back 30 days and have at most 1000 entries", async () => {
    const service = createFakeMediaService({ now: () => now });
    service.add("api", { timestamp: "2026-03-02T09:30:15.249Z" }, { timestamp: "2026-03-02T09:30:15.250Z" });
    const client = createMediaClient(service.clientOptions);
    expect((await client.logs.api()).map((entry) => entry.timestamp)).toEqual(["2026-03-02T09:30:15.250Z"]);
    service.add("api", ...Array.from({ length: 1200 }, () => ({})));
    expect(await client.logs.api()).toHaveLength(1000);
  });

  it("accept intentionally invalid entries", async () => {
    const service = createFakeMediaService({ now: () => now });
    service.add(
      "webhooks",
      { timestamp: "garbage" },
      JSON.parse('{ "timestamp": null, "status": "500", "new_field": 1 }'),
      {},
    );
    const entries = await createMediaClient(service.clientOptions).logs.webhooks();
    expect(entries.map((entry) => entry.timestamp)).toEqual(["2026-04-01T09:30:15.250Z", null, "garbage"]);
  });
});

describe("the fake's tokens", () => {
  it("are real, and any JWT library verifies them with the API key", async () => {
    const service = createFakeMediaService({ now: () => now });
    const { access_token } = await createMediaClient(service.clientOptions).tokens.create({
      channel_id: "a@b@demo",
      role: "recvonly",
      max_channel_connections: 0,
      not_before: "2026-04-01T18:30:16.000001+09:00",
      expiration_time: "2026-04-01T09:40:15.999Z",
      jwt_id: "5F0C8A52-3F5E-4F0B-9D9A-3A4B8F7F2C11",
    });
    const key = new TextEncoder().encode(service.clientOptions.apiKey);
    const { payload } = await jwtVerify(access_token, key, {
      currentDate: new Date(now + 60_000),
      algorithms: ["HS256"],
    });
    expect(decodeProtectedHeader(access_token)).toEqual({ alg: "HS256", typ: "JWT", kid: "fake" });
    expect(payload).toEqual({
      iat: Math.floor(now / 1000),
      jti: "5F0C8A52-3F5E-4F0B-9D9A-3A4B8F7F2C11",
      nbf: Date.parse("2026-04-01T09:30:17Z") / 1000,
      exp: Date.parse("2026-04-01T09:40:15Z") / 1000,
      channel_id: "a@b@demo",
      role: "recvonly",
      max_channel_connections: 0,
    });
  });
});

describe("the fake's refusals", () => {
  const other = '{"channel_id":"demo@other"}';

  it.each<[string, number, path: string, headers: Record<string, string>, body: string, method?: string]>([
    ["a missing key", 401, logPaths.sessions, { authorization: "" }, "{}"],
    ["a wrong key", 401, logPaths.sessions, { authorization: "Bearer mo_fake_other" }, "{}"],
    ["another method", 405, logPaths.sessions, {}, "{}", "PUT"],
    ["another path", 404, "/orgs/list-session-log", {}, "{}"],
    ["another project", 403, logPaths.sessions, {}, '{"project_id":"other"}'],
    ["another project's live channel", 403, livePath, {}, other],
    ["another project's channel", 403, tokenPath, {}, other],
  ])("%s: %i, as in the contract", async (_, status, path, headers, body, method = "POST") => {
    const response = await post(createFakeMediaService(), path, body, headers, method);
    expect(response.status).toBe(status);
    await expectWithinContract(logPaths.sessions, response);
  });
});

describe("simulated failures", () => {
  it.each([400, 401, 403, 404, 405, 413, 415, 429, 503, 500])("have the contract's problem: %i", async (status) => {
    const service = createFakeMediaService();
    service.fail({ status });
    const responses = contract.paths?.[tokenPath]?.post?.responses ?? {};
    const described = resolve(responses[String(status)] ?? responses.default ?? {});
    const [example] = Object.values(described.content?.["application/problem+json"]?.examples ?? {});
    const { type, title } = resolve(example ?? {}).value ?? {};
    expect(await (await post(service, tokenPath)).json()).toMatchObject({ type, title, status });
  });

  it.each([
    ["connection", MediaConnectionError],
    ["silence", MediaTimeoutError],
    ["html", MediaResponseError],
    ["cut-off", MediaResponseError],
    [() => new Response("short and stout", { status: 418 }), MediaApiError],
  ] as [FakeFailure, new (message: string) => Error][])("%s", async (failure, expected) => {
    const service = createFakeMediaService();
    service.fail(failure);
    const create = (timeoutMs?: number) =>
      createMediaClient({ ...service.clientOptions, maxRetries: 0, timeoutMs }).tokens.create();
    await expect(create(failure === "silence" ? 50 : undefined)).rejects.toBeInstanceOf(expected);
    await expect(create()).resolves.toHaveProperty("access_token");
  });

  it("of silence end by the timeout even if garbage is collected meanwhile", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage: () => void = runInNewContext("gc");
    const service = createFakeMediaService();
    service.fail("silence");
    const listing = createMediaClient({ ...service.clientOptions, maxRetries: 0, timeoutMs: 100 }).logs.api();
    const ended = expect(listing).rejects.toBeInstanceOf(MediaTimeoutError);
    await expect.poll(() => service.calls).toHaveLength(1);
    setImmediate(collectGarbage);
    await ended;
  });

  it("of silence end if the call is aborted before it is read", async () => {
    const service = createFakeMediaService();
    service.fail("silence");
    const controller = new AbortController();
    const answer = service.fetch("http://media.test/orgs/list-api-logs", { method: "POST", signal: controller.signal });
    controller.abort();
    await expect(answer).rejects.toHaveProperty("name", "AbortError");
  });

  it("occur in order and as often as requested, and match the contract", async () => {
    const service = createFakeMediaService();
    service.fail({ status: 429, retryAfter: 3 }, 2);
    service.fail({ status: 400, errors: [{ pointer: "/role", detail: "No." }] });
    const statuses = [];
    for (let i = 0; i < 4; i++) {
      const response = await post(service, tokenPath);
      statuses.push([response.status, response.headers.get("retry-after")]);
      if (response.status !== 429) await expectWithinContract(tokenPath, response);
    }
    expect(statuses.join(" ")).toBe("429,3 429,3 400, 200,");
  });
});

describe("the fake", () => {
  it("records its calls, and clears everything on reset()", async () => {
    const service = createFakeMediaService();
    service.add("api", {});
    service.setLive({ channel_id: "lobby@demo" });
    service.fail({ status: 503 });
    await post(service, logPaths.api, '{"project_id":"demo"}');
    expect(service.calls).toMatchObject([{ path: logPaths.api, method: "POST", body: { project_id: "demo" } }]);
    service.fail({ status: 503 });
    service.reset();
    expect(service.calls).toHaveLength(0);
    const { live, logs } = createMediaClient(service.clientOptions);
    await expect(logs.api()).resolves.toEqual([]);
    await expect(live()).resolves.toMatchObject({ connections: 0, channels: [] });
  });

  it("accepts only its own key and project", async () => {
    const service = createFakeMediaService({ apiKey: "mo_mine_secret", projectId: "stage" });
    const client = createMediaClient(service.clientOptions);
    await expect(client.logs.api({ project_id: "stage" })).resolves.toEqual([]);
    expect(service.add("sessions", {})[0]?.channel_id).toBe("lobby@stage");
    const request = { channel_id: "lobby@stage", expiration_time: new Date(Date.now() + 60_000).toISOString() };
    expect((await client.tokens.create(request)).access_token).toMatch(/^ey[^.]+\.ey[^.]+\.[^.]+$/);
  });
});
