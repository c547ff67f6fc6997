import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { postgresUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { serve } from "../cli/test/command-line.js";
import { openStorage } from "../storage/open-storage.js";
import { callWithin, pathOf, startTestService, temporaryFolder } from "../test/harness.js";
import { authRequest } from "../test/media-events.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";

// What one API key can revoke in 11 hours.
const REVOCATIONS = 400_000;
const AT_ONCE = 1000;
const ROUNDS = 10;
// Shorter than the service keeps unused connections.
const ROUND_MS = 2000;
const CLIENTS = 20;
// Ten in a second, as many as one key may.
const REVOKE_EVERY_MS = 100;

// Twice as long as it may take on a machine that does nothing else.
const MAX_START_MS = 4000;
const MAX_BYTES = 60_000_000;

// Makes a program show, when it receives SIGUSR2, the time that it has computed, and the memory that it needs.
const SHOWS = `--import=data:text/javascript,${encodeURIComponent(`
  import v8 from "node:v8";
  import vm from "node:vm";
  v8.setFlagsFromString("--expose-gc");
  const collectGarbage = vm.runInNewContext("gc");
  process.on("SIGUSR2", () => {
    const { user, system } = process.cpuUsage();
    collectGarbage();
    console.log(JSON.stringify({ cpuMs: (user + system) / 1000, bytes: process.memoryUsage.rss() }));
  });
`)}`;

/** A service whose project has this many revocations. */
async function startWith(revocations: number) {
  const cwd = await temporaryFolder();
  // With SQLite, the pages that it keeps in memory would be measured, too.
  const env = sharedEnv(await postgresUrl());
  const { intakeKey, apiKeys } = await prepareProjects(env, ["demo"], "http://127.0.0.1:9/");
  const storage = await openStorage(env.MEDIA_DATABASE_URL);
  const now = Date.now();
  for (let at = 0; at < revocations; at += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, n) => {
      const jwt_id = randomUUID();
      const kind = { subject: `t ${jwt_id}`, jwt_id, channel_id: null, issued_before: null, until: now + 1e9 };
      return { project_id: "demo", ...kind, revoked_at: now, revoked_by: "ben", version: at + n + 1 };
    });
    await storage.query.insertInto("token_revocation").values(rows).execute();
  }
  await storage.query.insertInto("counter").values({ name: "token_revocation", value: revocations }).execute();
  await storage.close();
  const service = await serve({ cwd, env: { ...env, PATH: process.env.PATH, NODE_OPTIONS: SHOWS } });
  const shown = () => service.lines.filter((line) => line.startsWith('{"cpuMs":'));
  const used = async (): Promise<{ cpuMs: number; bytes: number }> => {
    const before = shown().length;
    service.child.kill("SIGUSR2");
    await expect.poll(() => shown().length).toBe(before + 1);
    return JSON.parse(shown().at(-1) ?? "");
  };
  // Not by the clock, since other programs take time from the machine.
  const { cpuMs: startMs } = await used();
  const key = apiKeys.get("demo") ?? "";
  const minted = await callWithin(service.url, pathOf.createAccessToken, { key, body: { channel_id: "lobby@demo" } });
  const { access_token: token } = minted.body as { access_token: string };
  const waits: number[] = [];

  const admit = async (end: AbortSignal): Promise<void> => {
    while (!end.aborted) {
      const since = performance.now();
      expect(await service.tell("auth", intakeKey, authRequest({ token }))).toMatchObject({ allowed: true });
      waits.push(performance.now() - since);
      await setTimeout(REVOKE_EVERY_MS / 4);
    }
  };
  const revoke = async (end: AbortSignal): Promise<void> => {
    while (!end.aborted) {
      const answer = await callWithin(service.url, pathOf.revokeAccessToken, { key, body: { jwt_id: randomUUID() } });
      expect([200, 429]).toContain(answer.status);
      await setTimeout(REVOKE_EVERY_MS);
    }
  };
  return {
    /** Admits clients while tokens are revoked. */
    async round() {
      const end = AbortSignal.timeout(ROUND_MS);
      await Promise.all([revoke(end), ...Array.from({ length: CLIENTS }, () => admit(end))]);
    },
    /** The time within which all but a hundredth of the clients were answered. */
    p99: () => waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? Number.NaN,
    used,
    startMs,
  };
}

it(`${REVOCATIONS} revocations delay neither the start nor admission, and need little memory`, async () => {
  // By turns, since other programs may take time from the machine.
  const none = await startWith(0);
  const many = await startWith(REVOCATIONS);
  for (let round = 0; round < ROUNDS; round++) {
    await none.round();
    await many.round();
  }
  const start = Math.round(many.startMs - none.startMs);
  let bytes = Number.NaN;
  const measure = async () => {
    bytes = (await many.used()).bytes - (await none.used()).bytes;
    return bytes;
  };
  // V8 gives memory back some time after it was needed.
  await expect.poll(measure, { timeout: 30_000, interval: 1000 }).toBeLessThan(MAX_BYTES);
  const [p99, p99Without] = [many.p99(), none.p99()];
  process.stdout.write(
    `${start} ms more to start, ${Math.round(bytes / 1e6)} MB more, p99 ${Math.round(p99)} ms instead of ${Math.round(p99Without)} ms\n`,
  );
  expect(start).toBeLessThan(MAX_START_MS);
  expect(p99).toBeLessThan(2 * p99Without + 50);
});

it("a project with a million revocations gets no further one; those that it has stay, and another project's are made", async () => {
  const { call, createKey, service } = await startTestService();
  const other = await createKey("other");
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000)
    insert into token_revocation (project_id, subject, jwt_id, revoked_at, until, version)
    select 'demo', 't ' || i, i, 0, 0, 0 from n`.execute(service.storage.query);
  const revoke = (jwt_id: string, key?: string) =>
    call(pathOf.revokeAccessToken, { body: { jwt_id }, ...(key !== undefined && { key }) });
  const known = randomUUID();
  await sql`update token_revocation set jwt_id = ${known}, subject = ${`t ${known}`} where subject = 't 1'`.execute(
    service.storage.query,
  );
  expect(await revoke(randomUUID())).toMatchObject({
    status: 409,
    body: { type: "urn:media-ops:problem:conflict", detail: expect.stringContaining("revoke the key") },
  });
  expect(await revoke(known)).toMatchObject({ status: 200 });
  expect(await revoke(randomUUID(), other)).toMatchObject({ status: 200 });
});
