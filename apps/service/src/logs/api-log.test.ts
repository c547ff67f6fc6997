import type { ApiLogEntry } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
import { newCredential } from "../keys/credential.js";
import {
  type CallOptions,
  leastBody,
  pathOf,
  setEventWebhook,
  startTestService,
  type TestService,
} from "../test/harness.js";
import { exchange } from "../test/raw-http.js";

async function apiLog({ call }: TestService, key?: string): Promise<ApiLogEntry[]> {
  return (await call(pathOf.listApiLogs, key === undefined ? {} : { key })).body as ApiLogEntry[];
}

describe("a call", () => {
  it.each(Object.values(pathOf))("of %s is in the API log as soon as it has been answered", async (path) => {
    const service = await startTestService();
    await setEventWebhook(service.service);
    await service.call(path, { body: leastBody(path) });
    const [entry] = await apiLog(service);
    expect(entry).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      url: `${service.service.url}${path}`,
      status: 200,
      elapsed_time_ms: expect.any(Number),
    });
  });

  const refused: [string, number, string, CallOptions][] = [
    ["bad input", 400, pathOf.createAccessToken, { body: { role: "admin" } }],
    ["another project's log", 403, pathOf.listWebhookLogs, { body: { project_id: "other" } }],
    ["the wrong method", 405, pathOf.listWebhookLogs, { method: "GET" }],
    ["the wrong content type", 415, pathOf.listWebhookLogs, { body: "a=b", headers: { "content-type": "text/plain" } }],
    ["too large a body", 413, pathOf.listWebhookLogs, { body: { project_id: "x".repeat(70_000) } }],
  ];
  it.each(refused)("that is refused for %s is logged, too, with %i", async (_, status, path, options) => {
    const service = await startTestService();
    expect((await service.call(path, options)).status).toBe(status);
    expect(await apiLog(service)).toMatchObject([{ status, url: `${service.service.url}${path}` }]);
  });

  it("without a host, as HTTP/1.0 allows, is logged with the URL of the service", async () => {
    const service = await startTestService();
    const head = `POST ${pathOf.listWebhookLogs} HTTP/1.0\r\nAuthorization: Bearer ${service.apiKey}\r\n\r\n`;
    expect(await exchange(service.service.url, head)).toMatchObject([{ status: 200 }]);
    expect(await apiLog(service)).toMatchObject([{ url: service.service.url + pathOf.listWebhookLogs }]);
  });

  it.each([
    [408, "that never ended", "Content-Length: 10\r\n\r\n{"],
    [400, "that broke off in its body", "Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
    [417, "that expected too much", "Expect: more\r\n\r\n"],
  ])("that was refused with %i for a request %s is logged, too", async (status, _, rest) => {
    const service = await startTestService({
      limits: { requestTimeoutMs: 500, headersTimeoutMs: 400, checkEveryMs: 50 },
    });
    const head = `POST ${pathOf.listWebhookLogs} HTTP/1.1\r\nHost: media.test\r\nContent-Type: application/json\r\nAuthorization: Bearer ${service.apiKey}\r\n`;
    expect(await exchange(service.service.url, head + rest)).toMatchObject([{ status }]);
    expect(await apiLog(service)).toMatchObject([{ status, url: service.service.url + pathOf.listWebhookLogs }]);
  });

  it("over the rate limit is logged, too", async () => {
    const service = await startTestService({ env: { MEDIA_TOKENS_PER_MINUTE: "1" } });
    for (const status of [200, 429]) expect((await service.call(pathOf.createAccessToken)).status).toBe(status);
    expect((await apiLog(service)).map(({ status }) => status)).toEqual([429, 200]);
  });

  it("with a wrong key is not logged", async () => {
    const service = await startTestService();
    const [prefix, keyId] = service.apiKey.split("_");
    const wrong = newCredential("mo").text.replace(/^mo_[^_]+/, `${prefix}_${keyId}`);
    for (const key of [undefined, newCredential("mo").text, wrong]) {
      expect((await service.call(pathOf.listApiLogs, { key })).status).toBe(401);
    }
    expect(await apiLog(service)).toEqual([]);
  });

  it("of one project is not in another project's log", async () => {
    const service = await startTestService();
    const other = await service.createKey("other");
    await service.call(pathOf.createAccessToken);
    expect(await apiLog(service, other)).toEqual([]);
  });

  it("of a path outside the operations is not logged", async () => {
    const service = await startTestService();
    await service.call("/orgs/list-session-log");
    await fetch(`${service.service.url}/docs`);
    expect(await apiLog(service)).toEqual([]);
  });

  it("is shown with the public URL if that is set, and with the query, but without secrets", async () => {
    const service = await startTestService({ env: { MEDIA_PUBLIC_URL: "https://media.example/api/" } });
    await service.call(`${pathOf.listWebhookLogs}?from=bot&key=${service.apiKey}`);
    const [entry] = await apiLog(service);
    const keyId = service.apiKey.split("_")[1];
    expect(entry?.url).toBe(`https://media.example/api/orgs/list-webhook-logs?from=bot&key=mo_${keyId}_[redacted]`);
  });

  it("has its start time and its duration", async () => {
    let time = Date.parse("2026-04-01T09:30:15.250Z");
    const service = await startTestService({ now: () => time });
    await service.call(pathOf.createAccessToken);
    time += 60_000;
    const [entry] = await apiLog(service);
    const elapsed = entry?.elapsed_time_ms ?? Number.NaN;
    expect(Date.parse(entry?.timestamp ?? "")).toBe(Date.parse("2026-04-01T09:30:15.250Z") - elapsed);
  });
});

it("a call that cannot be recorded, as the keys cannot be read, is answered and does not end the service", async () => {
  const { service, logged } = await startTestService();
  await service.storage.close();
  const key = newCredential("mo").text;
  const head = `POST ${pathOf.listApiLogs} HTTP/1.1\r\nHost: media.test\r\nAuthorization: Bearer ${key}\r\n`;
  expect(await exchange(service.url, `${head}Expect: more\r\n\r\n`)).toMatchObject([{ status: 417 }]);
  await expect.poll(logged).toContain("could not be recorded");
});
