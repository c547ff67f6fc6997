import { randomUUID } from "node:crypto";
import type { AuditEntry, AuditLog } from "@media-ops/contract";
import { databaseUrl } from "@media-ops/testing";
import { serveHttp } from "@media-ops/testing/servers";
import { expect, it, onTestFinished } from "vitest";
import { mediaApiPath } from "../media-api/routes.js";
import { pathOf, startTestService, type TestService, type TestServiceOptions } from "../test/harness.js";

const MINUTE = Date.parse("2026-04-01T10:30:00Z");

async function start(options: TestServiceOptions = {}) {
  const clock = { now: MINUTE };
  const test = await startTestService({ now: () => clock.now, ...options });
  const revoke = (body: object, key = test.apiKey) => test.call(pathOf.revokeAccessToken, { key, body });
  return { ...test, clock, revoke };
}

async function auditOf({ call }: Pick<TestService, "call">): Promise<AuditEntry[]> {
  return ((await call(pathOf.listAuditLog)).body as AuditLog).entries;
}

const countsOf = (entries: readonly AuditEntry[]) => entries.map(({ count = "none" }) => count);

it("acts that are refused alike share an entry with their count, except the first of a minute", async () => {
  const test = await start();
  const { clock, revoke } = test;
  const foreign = { channel_id: "lobby@other" };
  for (let n = 0; n < 30; n++) {
    clock.now += 1000;
    expect((await revoke(foreign)).status).toBe(403);
  }
  expect(await auditOf(test)).toMatchObject([{ action: "token.revoke", outcome: "refused", subject: "lobby@other" }]);
  // Another fault and another key have their own.
  await revoke({});
  await revoke(foreign, await test.createKey("demo"));
  expect(countsOf(await auditOf(test))).toEqual(["none", "none", "none"]);
  clock.now = MINUTE + 60_000;
  await revoke(foreign);
  const shared = (await auditOf(test)).filter((entry) => "count" in entry);
  const timestamp = new Date(MINUTE + 30_000).toISOString();
  expect(shared).toMatchObject([{ count: 29, outcome: "refused", subject: "lobby@other", timestamp }]);
});

it("acts that are refused for ever new reasons take few entries, and all are counted", async () => {
  const test = await start();
  for (let n = 0; n < 100; n++) {
    const issued_before = new Date(MINUTE + 1e6 + n).toISOString();
    const headers = { "x-media-target": `Media_20151104.Disconnect${n}` };
    const answers = await Promise.all([
      test.call(pathOf.resendDeliveries, { body: { event_id: randomUUID() } }),
      test.revoke({ channel_id: "lobby@demo", issued_before }),
      test.call(mediaApiPath, { headers, body: { channel_id: "lobby@demo" } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 503]);
    test.clock.now += 10;
  }
  test.clock.now += 60_000;
  await test.call(pathOf.resendDeliveries, { body: { event_id: "x" } });
  await test.revoke({});
  const entries = await auditOf(test);
  expect(entries.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(202);
  expect(entries.length).toBeLessThan(50);
});

it("acts that fail share an entry, whether the service or the media server is at fault", async () => {
  const withoutMedia = await start();
  const body = { jwt_id: randomUUID(), disconnect: true };
  for (let n = 0; n < 5; n++) expect((await withoutMedia.revoke(body)).status).toBe(503);
  withoutMedia.clock.now += 60_000;
  await withoutMedia.revoke(body);
  expect(await auditOf(withoutMedia)).toMatchObject([{ outcome: "failed" }, { outcome: "failed", count: 4 }, {}]);

  const { url, close } = await serveHttp((request, response) => {
    request.resume().on("end", () => response.writeHead(400, { "content-type": "application/json" }).end("{}"));
  });
  onTestFinished(close);
  const test = await start({ env: { MEDIA_UPSTREAM_URL: url } });
  const headers = {
    "content-type": "application/json",
    "x-media-target": "Media_20151104.DisconnectChannel",
    authorization: `Bearer ${test.apiKey}`,
  };
  // The media server's own answer is not in the contract.
  const disconnect = () =>
    fetch(test.service.url + mediaApiPath, { method: "POST", headers, body: '{"channel_id":"lobby@demo"}' });
  for (let n = 0; n < 5; n++) await disconnect();
  test.clock.now += 60_000;
  await disconnect();
  expect(await auditOf(test)).toMatchObject([
    { outcome: "failed" },
    { outcome: "failed", subject: "lobby@demo", detail: "the media server answered 400", count: 4 },
    {},
  ]);
});

it("acts that are done have an entry each; refused ones that share one are all recorded when the service stops", async () => {
  const env = { MEDIA_DATABASE_URL: await databaseUrl() };
  const test = await start({ env });
  for (let n = 0; n < 5; n++) expect((await test.revoke({ channel_id: "lobby@demo" })).status).toBe(200);
  expect(countsOf(await auditOf(test))).toEqual(Array(5).fill("none"));
  for (let n = 0; n < 4; n++) await test.revoke({});
  await test.service.stop();
  expect(countsOf(await auditOf(await start({ env }))).sort()).toEqual([3, ...Array(6).fill("none")]);
});
