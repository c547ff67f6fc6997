import { type FakeMediaOptions, runTraffic, startFakeMedia } from "@media-ops/fake-media";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { expect, onTestFinished } from "vitest";
import { crowdsIn } from "../../test/chaos.js";
import { startTestIntake } from "../../test/intake-harness.js";

const MOST = 3;
const RATE = 130;

/** Runs traffic with tokens for 3 connections, and expects full channels, never more than 3, and no leftover seat. */
export async function runCrowd(seconds: number, options: Partial<FakeMediaOptions>): Promise<void> {
  const { service, intakeKey, apiKey, seats, listed } = await startTestIntake({ now: Date.now });
  const token = await signToken({ max_channel_connections: MOST }, apiKeyToTokenKey(apiKey));
  const media = await startFakeMedia({
    intakeUrl: `${service.internalUrl}/intake`,
    intakeKey,
    accessToken: () => token,
    ...options,
  });
  onTestFinished(() => media.close());
  const sums = await runTraffic(media, { for: seconds * 1000, rate: RATE, channels: 4, staysMs: 60 });
  await media.settle();

  // The test proves something only if many attempts are admitted and many are refused.
  expect(sums.attempts).toBeGreaterThan(seconds * 65);
  expect(sums.allowed).toBeGreaterThan(seconds * 16);
  expect(sums.attempts - sums.allowed).toBeGreaterThan(seconds * 6);
  expect(Object.keys(sums.refused)).toEqual(
    Object.keys(sums.refused).filter((reason) => /allows 3 connections/.test(reason)),
  );
  expect(Math.max(...crowdsIn(media))).toBe(MOST);
  expect(await seats()).toEqual([]);
  const { sessions, connections } = await listed();
  expect([sessions.length, connections.length]).toEqual([sums.sessions, sums.connections]);
}
