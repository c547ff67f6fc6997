import type { ApiLogEntry } from "@media-ops/contract";
import { databaseUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { revokeApiKey } from "../keys/api-keys.js";
import { newCredential } from "../keys/credential.js";
import { openStorage } from "../storage/open-storage.js";
import { type CallOptions, leastBody, listings, pathOf, setEventWebhook, startTestService } from "../test/harness.js";
import { exchange } from "../test/raw-http.js";

const { createAccessToken: mintPath, listWebhookLogs: webhookPath, listSessionLogs: sessionPath } = pathOf;
const MINUTE = Date.parse("2026-04-01T10:30:00Z");
const CALLS = 60;
const LONG_QUERY = `?q=${"x".repeat(15_000)}`;

const clock = { now: MINUTE };
const shared = await startTestService({
  now: () => clock.now,
  env: { MEDIA_TOKENS_PER_MINUTE: "1", MEDIA_LISTINGS_PER_MINUTE: "0" },
  atEnd: afterAll,
});
const { service, logged } = shared;

let projects = 0;
/** Calls with the key of a new project, and its API log. */
async function newProject({ call, createKey } = shared) {
  const projectId = `p${projects++}`;
  const key = await createKey(projectId);
  return {
    projectId,
    key,
    call: (path: string, options: CallOptions = {}) => call(path, { key, ...options }),
    apiLog: async () => (await call(pathOf.listApiLogs, { key })).body as ApiLogEntry[],
    /** The head of a call, without its end. */
    headOf: (path: string, host = "media.test") =>
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\n`,
  };
}

/** Makes many calls on a few connections. Returns how many were answered with each status. */
async function callOften(key: string): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const lane = async (): Promise<void> => {
    for (let i = 0; i < CALLS / 20; i++) {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(service.url + mintPath + LONG_QUERY, { method: "POST", headers });
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 20 }, lane));
  return statuses;
}

describe("a call", () => {
  it("of any operation is in the API log as soon as it has been answered", async () => {
    await setEventWebhook(service);
    for (const path of Object.values(pathOf)) {
      await shared.call(path, { body: leastBody(path) });
      const entries = (await shared.call(pathOf.listApiLogs)).body as ApiLogEntry[];
      expect(entries.find(({ url }) => url === service.url + path)).toEqual({
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        url: service.url + path,
        status: 200,
        elapsed_time_ms: expect.any(Number),
      });
    }
  });

  it.each<[string, number, string, CallOptions]>([
    ["bad input", 400, mintPath, { body: { role: "admin" } }],
    ["another project's log", 403, webhookPath, { body: { project_id: "other" } }],
    ["the wrong method", 405, webhookPath, { method: "GET" }],
    ["the wrong content type", 415, webhookPath, { body: "a=b", headers: { "content-type": "text/plain" } }],
    ["too large a body", 413, webhookPath, { body: { project_id: "x".repeat(70_000) } }],
  ])("that is refused for %s is logged, too, with %i", async (_, status, path, options) => {
    const { call, apiLog } = await newProject();
    expect((await call(path, options)).status).toBe(status);
    expect(await apiLog()).toMatchObject([{ status, url: service.url + path }]);
  });

  it("without a host, as HTTP/1.0 allows, is logged with the URL of the service", async () => {
    const { key, apiLog } = await newProject();
    const head = `POST ${webhookPath} HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    expect(await exchange(service.url, head)).toMatchObject([{ status: 200 }]);
    expect(await apiLog()).toMatchObject([{ url: service.url + webhookPath }]);
  });

  it("that never ended, broke off in its body or expected too much is logged, too", async () => {
    const limits = { requestTimeoutMs: 500, headersTimeoutMs: 400, checkEveryMs: 50 };
    const hasty = await startTestService({ limits });
    for (const [status, rest] of [
      [408, "Content-Length: 10\r\n\r\n{"],
      [400, "Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
      [417, "Expect: more\r\n\r\n"],
    ] as const) {
      const { headOf, apiLog } = await newProject(hasty);
      expect(await exchange(hasty.service.url, headOf(webhookPath) + rest)).toMatchObject([{ status }]);
      expect(await apiLog()).toMatchObject([{ status, url: hasty.service.url + webhookPath }]);
    }
  });

  it("with a wrong key, or of a path outside the operations, is not logged, nor is another project's", async () => {
    const { key: good, call, apiLog } = await newProject();
    const [prefix, keyId] = good.split("_");
    const wrong = newCredential("mo").text.replace(/^mo_[^_]+/, `${prefix}_${keyId}`);
    for (const key of [undefined, newCredential("mo").text, wrong]) {
      expect((await call(pathOf.listApiLogs, { key })).status).toBe(401);
    }
    await call("/orgs/list-session-log");
    await fetch(`${service.url}/docs`);
    await (await newProject()).call(mintPath);
    expect(await apiLog()).toEqual([]);
  });

  it("is shown with the public URL if that is set, and with the query, but without secrets", async () => {
    const { call, apiKey } = await startTestService({ env: { MEDIA_PUBLIC_URL: "https://media.example/api/" } });
    await call(`${webhookPath}?from=bot&key=${apiKey}`);
    const [entry] = (await call(pathOf.listApiLogs)).body as ApiLogEntry[];
    const keyId = apiKey.split("_")[1];
    expect(entry?.url).toBe(`https://media.example/api/orgs/list-webhook-logs?from=bot&key=mo_${keyId}_[redacted]`);
  });

  it("has its start time and its duration", async () => {
    const { call, apiLog } = await newProject();
    await call(mintPath);
    clock.now += 60_000;
    const [entry] = await apiLog();
    expect(Date.parse(entry?.timestamp ?? "")).toBe(clock.now - 60_000 - (entry?.elapsed_time_ms ?? Number.NaN));
  });

  it("never has the host that the caller sent", async () => {
    const { headOf, apiLog } = await newProject();
    const rests = ["Content-Length: 0\r\n\r\n", "Expect: more\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nzz\r\n"];
    for (const rest of rests) await exchange(service.url, headOf(`${webhookPath}?x`, "evil.example") + rest);
    const entries = await apiLog();
    expect(entries.map(({ url }) => url)).toEqual(Array(3).fill(`${service.url}${webhookPath}?x`));
    expect(entries.map(({ status }) => status).sort()).toEqual([200, 400, 417]);
    expect(logged()).not.toContain("evil.example");
  });

  it("shows no part of a secret at the cut of its URL", async () => {
    const { key, call, apiLog } = await newProject();
    const called = `${service.url}${webhookPath}?`;
    await call(`${webhookPath}?${"x".repeat(480 - called.length)}${key}`);
    const [, keyId, ...secret] = key.split("_");
    expect((await apiLog())[0]?.url).toMatch(new RegExp(`xxxmo_${keyId}_\\[redacted\\]$`));
    expect(logged()).not.toContain(secret.join("_").slice(0, 8));
  });
});

it("the calls of a revoked key leave no entry, in any number, and are counted in the metrics", async () => {
  const { projectId, key, call } = await newProject();
  const [, keyId = ""] = key.split("_");
  await revokeApiKey(service.storage.query, keyId, clock.now);
  await call(sessionPath, { method: "GET" });
  expect(await callOften(key)).toEqual({ 401: CALLS });
  const other = await shared.createKey(projectId);
  expect((await call(pathOf.listApiLogs, { key: other })).body).toEqual([]);
  const metrics = await (await fetch(`${service.internalUrl}/metrics`)).text();
  expect(metrics).toMatch(new RegExp(`^media_revoked_key_calls_total\\{key_id="${keyId}"\\} ${CALLS + 1}$`, "m"));
});

describe("the calls of a good key that are refused alike", () => {
  it("leave two entries a minute, each with a URL of at most 512 bytes", async () => {
    const { key, call, apiLog } = await newProject();
    expect((await call(mintPath)).status).toBe(200);
    expect(await callOften(key)).toEqual({ 429: CALLS });
    const refused = async () => (await apiLog()).filter(({ status }) => status === 429);
    const [first, ...others] = await refused();
    expect(first?.url).toMatch(/create-access-token\?q=x+$/);
    expect(Buffer.byteLength(first?.url ?? "")).toBe(512);
    expect(first).not.toHaveProperty("count");
    expect(others).toEqual([]);

    // In the next minute, the rest of the previous one is written, and a new group begins.
    clock.now += 60_000;
    await call(mintPath);
    for (let i = 0; i < 2; i++) expect((await call(mintPath)).status).toBe(429);
    // An entry's time depends on how long its call took: the first minute's two may be in either order.
    const [latest, ...earlier] = await refused();
    const url = service.url + mintPath;
    expect(latest).toEqual({ ...first, url, timestamp: latest?.timestamp, elapsed_time_ms: expect.any(Number) });
    expect(earlier.map(({ url, count = 1 }) => [url, count]).sort()).toEqual([
      [url, CALLS - 1],
      [first?.url, 1],
    ]);
  });

  it("are written together at the end of the minute", async () => {
    const { call, apiLog } = await newProject(await startTestService({ now: () => MINUTE + 59_800 }));
    for (let i = 0; i < 3; i++) await call(sessionPath, { method: "GET" });
    await expect.poll(async () => (await apiLog()).find(({ count }) => count)).toMatchObject({ count: 2 });
  });

  it("are grouped by operation, status and key", async () => {
    const { projectId, call, apiLog } = await newProject();
    const other = await shared.createKey(projectId);
    for (let i = 0; i < 3; i++) {
      await call(sessionPath, { method: "GET" });
      await call(sessionPath, { method: "GET", key: other });
      await call(webhookPath, { method: "GET" });
    }
    const paths = (await apiLog()).map(({ url }) => new URL(url).pathname);
    expect(paths.sort()).toEqual([sessionPath, sessionPath, webhookPath]);
  });
});

it("a stop loses no entry of a call that was answered; a group of one refused call has no count", async () => {
  const env = { MEDIA_DATABASE_URL: await databaseUrl(), MEDIA_LISTINGS_PER_MINUTE: "0" };
  const { call, service } = await startTestService({ env, now: () => MINUTE });
  await Promise.all(Array.from({ length: CALLS }, () => call(sessionPath)));
  for (let i = 0; i < 4; i++) await call(sessionPath, { method: "GET" });
  for (let i = 0; i < 2; i++) await call(webhookPath, { method: "GET" });
  await service.stop();
  const again = await startTestService({ env, now: () => MINUTE + 1000 });
  const entries = (await again.call(pathOf.listApiLogs)).body as ApiLogEntry[];
  const countsOf = (path: string, wanted: number) =>
    entries
      .filter(({ url, status }) => url.endsWith(path) && status === wanted)
      .map((entry) => ("count" in entry ? entry.count : "none"));
  expect(countsOf(sessionPath, 200)).toEqual(Array(CALLS).fill("none"));
  expect(countsOf(sessionPath, 405).sort()).toEqual([3, "none"]);
  expect(countsOf(webhookPath, 405)).toEqual(["none", "none"]);
});

it("the API log may be listed while it cannot be written, and calls continue", async () => {
  const url = await databaseUrl();
  const { call } = await startTestService({ env: { MEDIA_DATABASE_URL: url } });
  const count = async () => ((await call(pathOf.listApiLogs)).body as ApiLogEntry[]).length;
  await call(mintPath);
  expect(await count()).toBe(1);
  const { query, kind, close } = await openStorage(url);
  onTestFinished(close);
  // In SQLite, beginning the transaction is enough: it holds the file's only write lock.
  await query.transaction().execute(async (transaction) => {
    if (kind === "postgres") await sql`lock table log_entry in exclusive mode`.execute(transaction);
    expect((await call(mintPath)).status).toBe(200);
    expect(await count()).toBeGreaterThan(0);
    for (const [, path] of listings) expect((await call(path)).status).toBe(200);
  });
  await expect.poll(count).toBeGreaterThan(7);
});

it("a call that cannot be recorded, as the keys cannot be read, is answered and does not end the service", async () => {
  const { service, logged } = await startTestService();
  await service.storage.close();
  const key = newCredential("mo").text;
  const head = `POST ${pathOf.listApiLogs} HTTP/1.1\r\nHost: media.test\r\nAuthorization: Bearer ${key}\r\n`;
  expect(await exchange(service.url, `${head}Expect: more\r\n\r\n`)).toMatchObject([{ status: 417 }]);
  await expect.poll(logged).toContain("could not be recorded");
});

it("a line of the service's log stays short, even for a long URL", async () => {
  for (const options of [{ method: "GET" }, { key: undefined }]) await shared.call(webhookPath + LONG_QUERY, options);
  for (const line of logged().split("\n")) expect(line.length).toBeLessThan(2000);
});
