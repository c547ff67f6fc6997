import { databaseUrl, postgresUrl } from "@media-ops/testing";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { expect, it } from "vitest";
import { serve } from "../cli/test/command-line.js";
import { temporaryFolder } from "../test/harness.js";
import { authRequest } from "../test/media-events.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";
import { eventOf, idsOf, startReceiver } from "../test/receiver.js";
import { shiftClock } from "../test/shift-clock.js";

const HOUR_MS = 60 * 60 * 1000;

it("deliveries of a service that was killed with its clock an hour ahead continue within 5 s, on SQLite and PostgreSQL", async () => {
  // In parallel, because the test mostly waits.
  await Promise.all([databaseUrl(), postgresUrl()].map(async (url) => tryOn(await url)));
});

async function tryOn(url: string): Promise<void> {
  const env = sharedEnv(url);
  const receiver = await startReceiver(() => "never");
  const { intakeKey, apiKeys } = await prepareProjects(env, ["demo"], receiver.url);
  const cwd = await temporaryFolder();
  const right = { cwd, env: { ...env, PATH: process.env.PATH } };
  const token = await signToken({ max_channel_connections: 1 }, apiKeyToTokenKey(apiKeys.get("demo") ?? ""));
  const ask = ({ tell }: typeof ahead) =>
    tell("auth", intakeKey, authRequest({ token, at: new Date().toISOString(), reported: 0 }));

  const ahead = await serve({ ...right, env: { ...right.env, ...shiftClock(HOUR_MS) } });
  const ids = ["e1", "e2", "e3"];
  for (const id of ids) await ahead.tell("event", intakeKey, eventOf(id, { connection: id }));
  expect(await ask(ahead)).toMatchObject({ allowed: true });
  await expect.poll(() => idsOf(receiver).sort()).toEqual(ids);
  await ahead.end("SIGKILL");

  receiver.answer = () => ({});
  const next = await serve(right);
  const since = performance.now();
  // The channel is empty, and the grant of the killed service no longer counts.
  expect(await ask(next)).toMatchObject({ allowed: true });
  expect(await ask(next)).toMatchObject({ allowed: false });
  await next.tell("event", intakeKey, eventOf("e4", { connection: "e4" }));
  await expect.poll(() => idsOf(receiver).sort(), { timeout: 30_000 }).toEqual([...ids, ...ids, "e4"].sort());
  expect(performance.now() - since).toBeLessThan(5000);
  await next.end();
}
