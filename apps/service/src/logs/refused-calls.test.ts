import type { ApiLogEntry } from "@media-ops/contract";
import { databaseUrl } from "@media-ops/testing";
import { describe, expect, it } from "vitest";
import { revokeApiKey } from "../keys/api-keys.js";
import { pathOf, startTestService, type TestService } from "../test/harness.js";
import { exchange } from "../test/raw-http.js";

const MINUTE = Date.parse("2026-04-01T10:30:00Z");
const CALLS = 60;
const LONG_QUERY = `?q=${"x".repeat(15_000)}`;

async function apiLog({ call }: TestService, key?: string): Promise<ApiLogEntry[]> {
  return (await call(pathOf.listApiLogs, key === undefined ? {} : { key })).body as ApiLogEntry[];
}

/** Makes many calls on a few connections. Returns how many were answered with each status. */
async function callOften(service: TestService, key: string, times: number): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const lane = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const headers = { authorization: `Bearer ${key}` };
      const url = service.service.url + pathOf.createAccessToken + LONG_QUERY;
      const response = await fetch(url, { method: "POST", headers });
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 20 }, () => lane(times / 20)));
  return statuses;
}

describe("the calls of a revoked key", () => {
  it("leave no entry, in any number, and are counted in the metrics", async () => {
    const env = { MEDIA_DATABASE_URL: await databaseUrl() };
    const before = await startTestService({ env });
    const [, keyId = ""] = before.apiKey.split("_");
    await revokeApiKey(before.service.storage.query, keyId, MINUTE);
    await before.service.stop();
    const service = await startTestService({ env });
    await service.call(pathOf.listSessionLogs, { method: "GET", key: before.apiKey });
    expect(await callOften(service, before.apiKey, CALLS)).toEqual({ 401: CALLS });
    expect(await apiLog(service)).toEqual([]);
    const metrics = await (await fetch(`${service.service.internalUrl}/metrics`)).text();
    const [, counted] =
      new RegExp(`^media_revoked_key_calls_total\\{key_id="${keyId}"\\} (\\d+)$`, "m").exec(metrics) ?? [];
    expect(Number(counted)).toBe(CALLS + 1);
  });
});

describe("the calls of a good key over its rate limit", () => {
  it("leave two entries a minute, each with a URL of at most 512 bytes", async () => {
    let time = MINUTE;
    const service = await startTestService({ env: { MEDIA_TOKENS_PER_MINUTE: "1" }, now: () => time });
    expect((await service.call(pathOf.createAccessToken)).status).toBe(200);
    expect(await callOften(service, service.apiKey, CALLS)).toEqual({ 429: CALLS });
    const path = service.service.url + pathOf.createAccessToken;
    const refused = async () => (await apiLog(service)).filter(({ status }) => status === 429);
    const [first, ...others] = await refused();
    expect(first?.url).toMatch(/create-access-token\?q=x+$/);
    expect(Buffer.byteLength(first?.url ?? "")).toBe(512);
    expect(first).not.toHaveProperty("count");
    expect(others).toEqual([]);

    // In the next minute, the rest of the previous one is written, and a new group begins.
    time = MINUTE + 60_000;
    await service.call(pathOf.createAccessToken);
    for (let i = 0; i < 2; i++) expect((await service.call(pathOf.createAccessToken)).status).toBe(429);
    // An entry's time depends on how long its call took: the first minute's two may be in either order.
    const [latest, ...earlier] = await refused();
    expect(latest).toEqual({ ...first, url: path, timestamp: latest?.timestamp, elapsed_time_ms: expect.any(Number) });
    expect(earlier.map(({ url, count = 1 }) => [url, count]).sort()).toEqual([
      [path, CALLS - 1],
      [first?.url, 1],
    ]);
  });

  it("are written together at the end of the minute", async () => {
    const service = await startTestService({ now: () => MINUTE + 59_800 });
    for (let i = 0; i < 3; i++) await service.call(pathOf.listSessionLogs, { method: "GET" });
    await expect.poll(async () => (await apiLog(service)).find(({ count }) => count)).toMatchObject({ count: 2 });
  });

  it("are grouped by operation, status and key", async () => {
    const service = await startTestService({ now: () => MINUTE });
    const other = await service.createKey("demo");
    for (let i = 0; i < 3; i++) {
      await service.call(pathOf.listSessionLogs, { method: "GET" });
      await service.call(pathOf.listSessionLogs, { method: "GET", key: other });
      await service.call(pathOf.listWebhookLogs, { method: "GET" });
    }
    const entries = await apiLog(service);
    expect(entries.map(({ url }) => new URL(url).pathname).sort()).toEqual([
      pathOf.listSessionLogs,
      pathOf.listSessionLogs,
      pathOf.listWebhookLogs,
    ]);
  });

  it("are all recorded when the service stops; a group of one has no count", async () => {
    const url = await databaseUrl();
    const env = { MEDIA_DATABASE_URL: url };
    const service = await startTestService({ env, now: () => MINUTE });
    for (let i = 0; i < 4; i++) await service.call(pathOf.listSessionLogs, { method: "GET" });
    for (let i = 0; i < 2; i++) await service.call(pathOf.listWebhookLogs, { method: "GET" });
    await service.service.stop();
    const again = await startTestService({ env, now: () => MINUTE + 1000 });
    const entries = await apiLog(again);
    const countsOf = (path: string) =>
      entries.filter((entry) => entry.url.endsWith(path)).map((entry) => ("count" in entry ? entry.count : "none"));
    expect(countsOf(pathOf.listSessionLogs).sort()).toEqual([3, "none"]);
    expect(countsOf(pathOf.listWebhookLogs)).toEqual(["none", "none"]);
  });
});

describe("the URL of a logged call", () => {
  it("never has the host that the caller sent", async () => {
    const service = await startTestService();
    const head = (host: string) =>
      `POST ${pathOf.listWebhookLogs}?x HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${service.apiKey}\r\n`;
    for (const rest of [
      "Content-Length: 0\r\n\r\n",
      "Expect: more\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    ]) {
      await exchange(service.service.url, head("evil.example") + rest);
    }
    const entries = await apiLog(service);
    expect(entries.map(({ url }) => url)).toEqual(
      entries.map(() => `${service.service.url}${pathOf.listWebhookLogs}?x`),
    );
    expect(entries.map(({ status }) => status).sort()).toEqual([200, 400, 417]);
    expect(service.logged()).not.toContain("evil.example");
  });

  it("shows no part of a secret at its cut", async () => {
    const service = await startTestService();
    const called = `${service.service.url}${pathOf.listWebhookLogs}?`;
    await service.call(`${pathOf.listWebhookLogs}?${"x".repeat(480 - called.length)}${service.apiKey}`);
    const [entry] = await apiLog(service);
    const [, keyId, ...secret] = service.apiKey.split("_");
    expect(entry?.url).toMatch(new RegExp(`xxxmo_${keyId}_\\[redacted\\]$`));
    expect(service.logged()).not.toContain(secret.join("_").slice(0, 8));
  });
});

it("a line of the service's log stays short, even for a long URL", async () => {
  const service = await startTestService();
  await service.call(`${pathOf.listWebhookLogs}${LONG_QUERY}`, { method: "GET" });
  await service.call(`${pathOf.listWebhookLogs}${LONG_QUERY}`, { key: undefined });
  for (const line of service.logged().split("\n")) expect(line.length).toBeLessThan(2000);
});
