import { once } from "node:events";
import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { extensionOperations, operations, resolve } from "@media-ops/openapi/contract";
import { databaseUrl } from "@media-ops/testing";
import { afterAll, describe, expect, it } from "vitest";
import { logKindNames, logKinds } from "./logs/log-store.js";
import { mediaApiPath } from "./media-api/routes.js";
import { callWithin, leastBody, listings, pathOf, setEventWebhook, startTestService } from "./test/harness.js";
import { expectAnswer, RawConnection, requestText } from "./test/raw-http.js";

// Most tests share a service, with separate projects if they check logs.
const now = Date.parse("2026-04-01T10:30:00Z");
const shared = await startTestService({ now: () => now, atEnd: afterAll });

/** Calls the shared service with a key of a new project. */
async function newProject(projectId: string) {
  const key = await shared.createKey(projectId);
  const call: typeof shared.call = (path, options = {}) => shared.call(path, { key, ...options });
  return { projectId, key, call };
}

describe("the routes", () => {
  it("are the operations of the contract and its extensions, and their documentation", async () => {
    const { call, service } = shared;
    await setEventWebhook(service);
    for (const { path, method } of [...operations, ...extensionOperations].filter(({ method }) => method === "post")) {
      const options = { method: method.toUpperCase(), body: leastBody(path) };
      expect((await call(path, options)).status, path).toBe(200);
    }
    const others = ["/", "/orgs", "/orgs/list-recording-logs", "/metrics", "/healthz", "/readyz", "/intake/event"];
    for (const path of others) expect((await call(path)).status, path).toBe(404);
    for (const path of ["/openapi.yaml", "/extensions.yaml", "/docs", "/.well-known/jwks.json?project_id=demo"]) {
      expect((await fetch(service.url + path)).status).toBe(200);
    }
  });
});

/** The entries of each log that the contract shows as examples. */
const examples = [...operations, ...extensionOperations].flatMap(({ path, operation }) => {
  const kind = logKindNames.find((name) => pathOf[logKinds[name].operation] === path);
  const shown = operation.responses?.["200"]?.content?.["application/json"]?.examples;
  const [example] = Object.values(shown ?? {});
  const entries: object[] = JSON.parse(JSON.stringify(resolve(example ?? {}).value ?? []));
  return kind ? [{ kind, path, entries }] : [];
});

describe("a listing", () => {
  it("exists for every log", () => {
    expect(examples.map(({ kind }) => kind).sort()).toEqual([...logKindNames].sort());
    expect(examples.every(({ entries }) => entries.length > 0)).toBe(true);
    expect(examples.map(({ path }) => path).sort()).toEqual(listings.map(([, path]) => path).sort());
  });

  it.each(examples)("of $kind returns its entries unchanged, newest first; [] if there is none", async (example) => {
    const { kind, path, entries } = example;
    const { call, projectId } = await newProject(`entries-${kind}`);
    const empty = await newProject(`empty-${kind}`);
    expect((await empty.call(path)).text).toBe("[]");
    const written = ["2026-04-01T10:12:41Z", "2026-04-01T10:12:41.207318Z", "2026-04-01T10:12:41.2Z"].map(
      (timestamp, at) => ({ ...entries[at % entries.length], timestamp }),
    );
    await shared.append(
      ...written.map((entry) => ({ projectId, kind, timestamp: entry.timestamp, text: JSON.stringify(entry) })),
    );
    const { body, headers } = await call(path);
    expect(body).toEqual([written[1], written[2], written[0]]);
    expect(headers.get("content-type")).toBe("application/json; charset=UTF-8");
  });

  it.each(listings)("%s accepts the key's own project by name, and refuses another's", async (_, path) => {
    const { call, createKey } = shared;
    await createKey("other");
    expect((await call(path, { body: { project_id: "demo" } })).status).toBe(200);
    const refused = await call(path, { body: { project_id: "other" } });
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining("Leave project_id out") } });
    // The refusal must not reveal whether a project exists.
    const unknown = await call(path, { body: { project_id: "no-such-project" } });
    expect({ ...(unknown.body as object), request_id: "" }).toEqual({ ...(refused.body as object), request_id: "" });
  });

  it("is gzipped on request, with the same content", async () => {
    const { service, append } = shared;
    const { projectId, key } = await newProject("gzipped");
    await append(
      ...Array.from({ length: 100 }, (_, i) => {
        const timestamp = new Date(now - i * 1000).toISOString();
        const entry = { timestamp, type: "a.b", url: "https://hooks.example/ü?✓", status: 200, elapsed_time_ms: 1 };
        return { projectId, kind: "webhooks" as const, timestamp, text: JSON.stringify(entry) };
      }),
    );
    const raw = async (headers: Record<string, string>) => {
      const call = request(service.url + pathOf.listWebhookLogs, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, ...headers },
      }).end();
      const [response] = await once(call, "response");
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      return {
        encoding: response.headers["content-encoding"],
        vary: response.headers.vary,
        bytes: Buffer.concat(chunks),
      };
    };
    const [plain, gzipped] = [await raw({}), await raw({ "accept-encoding": "br, gzip;q=0.5" })];
    expect(plain).toMatchObject({ encoding: undefined, vary: "accept-encoding" });
    expect(gzipped).toMatchObject({ encoding: "gzip", vary: "accept-encoding" });
    expect(gzipped.bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(gunzipSync(gzipped.bytes)).toEqual(plain.bytes);
    expect((await raw({ "accept-encoding": "gzip;q=0" })).encoding).toBeUndefined();
  });
});

describe("the rate limit", () => {
  it("counts each key's listings together, its tokens and media API calls separately, and reports the calls left", async () => {
    let time = Date.parse("2026-04-01T10:30:00Z");
    const limits = { LISTINGS: "2", TOKENS: "1", MEDIA_API: "1" };
    const env = Object.fromEntries(
      Object.entries(limits).map(([calls, limit]) => [`MEDIA_${calls}_PER_MINUTE`, limit]),
    );
    const { call, createKey } = await startTestService({ env, now: () => time });
    const other = await createKey("demo");
    const left = async (path: string, key?: string) => {
      const { status, headers } = await call(path, key === undefined ? {} : { key });
      const names = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"];
      return [status, ...names.map((name) => headers.get(name))];
    };
    expect(await left(pathOf.listSessionLogs)).toEqual([200, "2", "1", "60", null]);
    expect(await left(pathOf.listWebhookLogs)).toEqual([200, "2", "0", "60", null]);
    time += 57_000;
    expect(await left(pathOf.listApiLogs)).toEqual([429, "2", "0", "3", "3"]);
    const detail = expect.stringContaining("made 2 listing calls within a minute. Try again in 3 s");
    expect((await call(pathOf.listApiLogs)).body).toMatchObject({ detail });
    expect(await left(pathOf.createAccessToken)).toEqual([200, "1", "0", "60", null]);
    // Refused calls count as well.
    expect(await left(mediaApiPath)).toEqual([503, "1", "0", "60", "60"]);
    const refused = await call(mediaApiPath);
    expect(refused).toMatchObject({ status: 429, body: { detail: expect.stringContaining("made 1 media API calls") } });
    expect(await left(pathOf.listApiLogs, other)).toEqual([200, "2", "1", "60", null]);
    time += 3000;
    expect(await left(pathOf.listApiLogs)).toEqual([200, "2", "1", "60", null]);
  });

  it("is off at 0", async () => {
    const { call } = await startTestService({ env: { MEDIA_LISTINGS_PER_MINUTE: "0" } });
    expect((await call(pathOf.listApiLogs)).headers.has("ratelimit-limit")).toBe(false);
  });
});

describe("the internal listener", () => {
  it("serves the health, the readiness and the metrics of the service", async () => {
    const { service, call } = await startTestService();
    await call(pathOf.createAccessToken);
    await call(pathOf.createAccessToken, { key: undefined });
    await call("/no/such/address");
    await call(pathOf.listWebhookLogs, { body: { limit: 1 } });
    await call(pathOf.countLogs, { body: { kind: "webhooks" } });
    const inside = (path: string) => fetch(service.internalUrl + path);
    expect(await (await inside("/healthz")).json()).toEqual({ status: "alive" });
    expect(await (await inside("/readyz")).json()).toEqual({
      status: "ready",
      database: expect.stringMatching(/^[\w-]+$/),
    });
    const metrics = await (await inside("/metrics")).text();
    expect(metrics).toContain('media_answers_total{path="/projects/create-access-token",status="200"} 1');
    expect(metrics).toContain('media_answers_total{path="/projects/create-access-token",status="401"} 1');
    expect(metrics).toContain('media_answers_total{path="other",status="404"} 1');
    expect(metrics).toContain('media_searches_total{kind="listing",outcome="complete"} 1');
    expect(metrics).toContain('media_searches_total{kind="count",outcome="complete"} 1');
  });

  it("serves none of the operations", async () => {
    const { service, apiKey } = shared;
    for (const { path } of [...operations, ...extensionOperations])
      expect((await callWithin(service.internalUrl, path, { key: apiKey })).status).toBe(404);
  });
});

describe("a stop", () => {
  const head = (apiKey: string, length: number): string =>
    requestText([
      `POST ${pathOf.createAccessToken} HTTP/1.1`,
      ...["Host: x", `Authorization: Bearer ${apiKey}`, "Content-Type: application/json", `Content-Length: ${length}`],
    ]);

  it("finishes the call in progress and accepts none later: a further one on its connection gets 503, or nothing", async () => {
    const { service, apiKey } = await startTestService();
    const connection = await RawConnection.open(service.url);
    connection.write(`${head(apiKey, 2)}{`);
    // The slow call is in progress once a later call has been answered.
    await callWithin(service.url, pathOf.createAccessToken, { key: apiKey });
    const stopped = service.stop();
    connection.write(`}${head(apiKey, 0)}`);
    await connection.closed;
    await stopped;
    const [first, second, ...more] = await connection.answers(2);
    expect([first?.status, first?.headers.get("connection"), more]).toEqual([200, "close", []]);
    if (second) expect(expectAnswer(pathOf.createAccessToken, second).status).toBe(503);
    await expect(fetch(service.url)).rejects.toThrow();
  });

  it("may be called more than once", async () => {
    const { service } = await startTestService({ env: { MEDIA_DATABASE_URL: await databaseUrl() } });
    await Promise.all([service.stop(), service.stop()]);
  });
});

describe("a start", () => {
  it("reports which port is taken, and leaves nothing open", async () => {
    const { port } = new URL(shared.service.url);
    const failing = startTestService({ env: { MEDIA_PORT: port } });
    await expect(failing).rejects.toThrow(`127.0.0.1:${port} is taken. Set MEDIA_PORT to another port`);
  });
});
