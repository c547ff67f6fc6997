import { setTimeout } from "node:timers/promises";
import type { AuthAnswer, RevokedTokens } from "@media-ops/contract";
import { postgresUrl } from "@media-ops/testing";
import { readUnverifiedToken } from "@media-ops/tokens";
import { expect, it, onTestFinished } from "vitest";
import { serve } from "../cli/test/command-line.js";
import { callWithin, pathOf, temporaryFolder } from "../test/harness.js";
import { authRequest } from "../test/media-events.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";

const CLIENTS = 1000;
// Each client retries about once a second.
const RETRY_MS = 1000;
const EFFECTIVE_MS = 1000;

it(`of ${CLIENTS} clients that retry with a revoked token on two processes, none is let in a second after the answer`, async () => {
  const env = sharedEnv(await postgresUrl());
  const { intakeKey, apiKeys } = await prepareProjects(env, ["demo"], "http://127.0.0.1:9/");
  const options = { cwd: await temporaryFolder(), env: { ...env, PATH: process.env.PATH } };
  const processes = await Promise.all([serve(options), serve(options)]);
  const [first] = processes;
  const key = apiKeys.get("demo") ?? "";
  const minted = await callWithin(first.url, pathOf.createAccessToken, { key, body: { channel_id: "lobby@demo" } });
  const { access_token: token } = minted.body as { access_token: string };

  const admitted: number[] = [];
  let refused = 0;
  const ask = async (n: number): Promise<void> => {
    const { tell } = processes[n % processes.length] ?? first;
    const { allowed, reason } = await tell<AuthAnswer>("auth", intakeKey, authRequest({ token }));
    if (allowed) admitted.push(performance.now());
    else {
      expect(reason).toBe("The token was revoked. Make a new one.");
      refused += 1;
    }
  };
  const end = new AbortController();
  const clients = Array.from({ length: CLIENTS }, async (_, n) => {
    await setTimeout(Math.random() * RETRY_MS);
    while (!end.signal.aborted) {
      await ask(n);
      await setTimeout(RETRY_MS * (0.5 + Math.random()));
    }
  });
  const all = Promise.all(clients);
  all.catch(() => {});
  onTestFinished(() => end.abort());
  await expect.poll(() => admitted.length, { timeout: 60_000 }).toBeGreaterThan(2 * CLIENTS);
  expect(refused).toBe(0);

  const jwt_id = readUnverifiedToken(token).claims.jti;
  const answer = await callWithin(first.url, pathOf.revokeAccessToken, { key, body: { jwt_id } });
  const answeredAt = performance.now();
  expect(answer.status).toBe(200);
  expect((answer.body as RevokedTokens).tokens).toBe(1);
  await expect.poll(() => refused, { timeout: 60_000 }).toBeGreaterThan(4 * CLIENTS);
  end.abort();
  await all;

  const latest = Math.max(...admitted) - answeredAt;
  process.stdout.write(
    `${admitted.length} admitted, ${refused} refused; the last was let in ${Math.round(latest)} ms after the answer\n`,
  );
  expect(latest).toBeLessThan(EFFECTIVE_MS);
});
