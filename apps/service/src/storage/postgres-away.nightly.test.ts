import { randomUUID } from "node:crypto";
import type { ApiLogEntry } from "@media-ops/contract";
import { postgresUrl } from "@media-ops/testing";
import { startPostgresProxy } from "@media-ops/testing/postgres-proxy";
import { describe, expect, it } from "vitest";
import { listings, pathOf } from "../test/harness.js";
import { connectionDestroyed, connectionOf, sessionDestroyed } from "../test/media-events.js";
import { startOwnPostgres } from "../test/own-postgres.js";
import { startIntake, type TestIntake } from "../test/receiver.js";

type Timed = Awaited<ReturnType<typeof timed>>;

/** The status of an answer, and its duration. */
async function timed(what: string, asking: Promise<{ status: number; headers: Headers }>) {
  const since = performance.now();
  const { status, headers } = await asking;
  return { what, status, retryAfter: Number(headers.get("retry-after")), elapsedMs: performance.now() - since };
}

/** All calls that need the database, sent at once. */
function askAll({ call, send, service }: TestIntake): Promise<Timed[]> {
  const auth = { channel_id: "lobby@demo", connection_id: randomUUID(), role: "sendrecv" };
  const ofNobody = { type: "a.b", id: randomUUID(), channel_id: "lobby@nobody" };
  return Promise.all([
    ...listings.map(([id, path]) => timed(id, call(path))),
    timed("auth", send("auth", auth)),
    timed("session", send("session", sessionDestroyed(connectionOf()))),
    timed("event", send("event", connectionDestroyed(connectionOf()))),
    timed("event of a project that may be new", send("event", ofNobody)),
    timed("key that may be new", call(pathOf.createAccessToken, { key: `mo_${"a".repeat(10)}_${"b".repeat(43)}` })),
    timed("readyz", fetch(`${service.internalUrl}/readyz`)),
  ]);
}

/** Expects the service to be ready soon, and to answer all calls. */
async function expectWell(intake: TestIntake): Promise<void> {
  await expect.poll(async () => (await fetch(`${intake.service.internalUrl}/readyz`)).status).toBe(200);
  const isOdd = ({ what, status }: Timed) => status !== (what === "key that may be new" ? 401 : 200);
  expect((await askAll(intake)).filter(isOdd)).toEqual([]);
}

function expectRefused(all: readonly Timed[], withinMs: number): void {
  expect(all.filter(({ status, retryAfter }) => status !== 503 || !(retryAfter > 0))).toEqual([]);
  expect(all.filter(({ elapsedMs }) => elapsedMs > withinMs)).toEqual([]);
}

/** Expects the calls that need no database to succeed. */
async function expectAlive({ call, service }: TestIntake): Promise<void> {
  expect((await fetch(`${service.internalUrl}/healthz`)).status).toBe(200);
  expect((await call(pathOf.createAccessToken)).status).toBe(200);
}

/** How often the API log contains each call, by path and status. */
async function loggedCalls({ call, service }: TestIntake): Promise<Record<string, number>> {
  await expect.poll(() => service.writer.waiting).toBe(0);
  const { body } = await call(pathOf.listApiLogs);
  const counts: Record<string, number> = {};
  for (const { url, status } of body as ApiLogEntry[]) {
    const name = `${new URL(url).pathname} ${status}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const env = { MEDIA_LISTINGS_PER_MINUTE: "0" };
const ROUNDS = 2;

describe("a service whose PostgreSQL", () => {
  it("is stopped or killed fails dependent calls at once, serves the others, and recovers soon after it is back", async () => {
    const postgres = await startOwnPostgres();
    const intake = await startIntake({ env: { ...env, MEDIA_DATABASE_URL: postgres.url } });
    await intake.allowAnonymous();
    await expectWell(intake);
    for (const end of [postgres.stop, postgres.kill]) {
      await end();
      for (let round = 0; round < ROUNDS; round++) expectRefused(await askAll(intake), 3000);
      await expectAlive(intake);
      await postgres.start();
      await expectWell(intake);
    }
    // Calls made during the outage are logged, once each.
    const calls = await loggedCalls(intake);
    for (const [, path] of listings) expect(calls).toMatchObject({ [`${path} 200`]: 3, [`${path} 503`]: 2 * ROUNDS });
    expect(calls[`${pathOf.createAccessToken} 200`]).toBe(2);
    // The outage and its end are logged once, not with each failed call.
    for (const message of [
      "the media server's webhooks cannot be stored",
      "the media server's webhooks are stored again",
      "log entries cannot be written; trying again",
      "log entries are written again",
    ]) {
      expect(intake.logged().split(`"msg":"${message}"`), message).toHaveLength(1 + 2);
    }
    const lines = intake.logged().split("\n");
    expect(lines.filter((line) => line.includes('"request_id"') && line.includes('"stack"'))).toEqual([]);
  }, 120_000);

  // A silent server may still answer, so the service waits longer than PostgreSQL's own statement timeout.
  it("hangs fails calls after a time limit, later ones sooner, and recovers when it is back", async () => {
    const proxy = await startPostgresProxy(await postgresUrl());
    const intake = await startIntake({ env: { ...env, MEDIA_DATABASE_URL: proxy.url } });
    await intake.allowAnonymous();
    await expectWell(intake);
    proxy.silence(true);
    const first = askAll(intake);
    await expectAlive(intake);
    expectRefused(await first, 12_000);
    expectRefused(await askAll(intake), 11_000);
    await expectAlive(intake);
    proxy.silence(false);
    await expectWell(intake);
    const calls = await loggedCalls(intake);
    for (const [, path] of listings) expect(calls).toMatchObject({ [`${path} 200`]: 2, [`${path} 503`]: 2 });
  }, 120_000);
});
