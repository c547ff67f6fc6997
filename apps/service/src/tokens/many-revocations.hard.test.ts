import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { serve } from "../cli/test/command-line.js";
import type { AuthAnswer } from "../generated/intake.js";
import { openStorage } from "../storage/open-storage.js";
import { callWithin, pathOf, temporaryFolder } from "../test/harness.js";
import { authRequest } from "../test/media-events.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";

// What one API key can revoke in 11 hours.
const REVOCATIONS = 400_000;
const AT_ONCE = 1000;
const ROUNDS = 4;
const ROUND_MS = 5000;
const CLIENTS = 20;
// Ten in a second, as many as one key may.
const REVOKE_EVERY_MS = 100;

const MAX_START_SECONDS = 2;
const MAX_BYTES = 60_000_000;

// Makes a program collect garbage when it receives SIGUSR2.
const COLLECTS = `--import=data:text/javascript,${encodeURIComponent(
  'import v8 from"node:v8";import vm from"node:vm";v8.setFlagsFromString("--expose-gc");const gc=vm.runInNewContext("gc");process.on("SIGUSR2",()=>gc());',
)}`;

/** A service whose project has this many revocations. */
async function startWith(revocations: number) {
  const cwd = await temporaryFolder();
  const env = sharedEnv(`sqlite:${cwd}/media.db`);
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
  const service = await serve({ cwd, env: { ...env, PATH: process.env.PATH, NODE_OPTIONS: COLLECTS } });
  const key = apiKeys.get("demo") ?? "";
  const minted = await callWithin(service.url, pathOf.createAccessToken, { key, body: { channel_id: "lobby@demo" } });
  const { access_token: token } = minted.body as { access_token: string };
  const waits: number[] = [];

  const admit = async (end: AbortSignal): Promise<void> => {
    while (!end.aborted) {
      const since = performance.now();
      const response = await fetch(`${service.internalUrl}/intake/auth`, {
        method: "POST",
        headers: { authorization: `Bearer ${intakeKey}`, "content-type": "application/json" },
        body: JSON.stringify(authRequest({ token })),
      });
      expect(((await response.json()) as AuthAnswer).allowed).toBe(true);
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
    /** A value of its metrics, after garbage was collected. */
    async metric(name: string): Promise<number> {
      service.child.kill("SIGUSR2");
      const metrics = await (await fetch(`${service.internalUrl}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1]);
    },
  };
}

it(`${REVOCATIONS} revocations delay neither the start nor admission, and need little memory`, async () => {
  // By turns, since other programs may take time from the machine.
  const none = await startWith(0);
  const many = await startWith(REVOCATIONS);
  const more = async (name: string): Promise<number> => (await many.metric(name)) - (await none.metric(name));
  // Not by the clock, since other programs take time from the machine.
  const startSeconds = await more("process_cpu_seconds_total");
  for (let round = 0; round < ROUNDS; round++) {
    await none.round();
    await many.round();
  }
  const bytes = await more("process_resident_memory_bytes");
  const [p99, p99Without] = [many.p99(), none.p99()];
  process.stdout.write(
    `start ${Math.round(startSeconds * 1000)} ms longer, ${Math.round(bytes / 1e6)} MB more, p99 ${Math.round(p99)} ms instead of ${Math.round(p99Without)} ms\n`,
  );
  expect(startSeconds).toBeLessThan(MAX_START_SECONDS);
  expect(p99).toBeLessThan(2 * p99Without + 50);
  // Until garbage was collected.
  await expect.poll(() => more("process_resident_memory_bytes")).toBeLessThan(MAX_BYTES);
});
