import { type FakeMedia, type FakeMediaOptions, runTraffic, startFakeMedia } from "@media-ops/fake-media";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { describe, expect, it, onTestFinished } from "vitest";
import { startTestIntake } from "../test/intake-harness.js";

const MOST = 3;

/** The most connections that a channel ever had, as the media server itself counted. */
function crowdIn({ sent }: FakeMedia): number[] {
  const ends = sent.filter(({ body }) => body.type === "session.destroyed");
  return ends.map(({ body }) => Number(body.max_connections));
}

describe("a media server with a hundred clients and tokens for 3", () => {
  it.each<[string, Partial<FakeMediaOptions>]>([
    ["", {}],
    [
      ", though events come late, twice and out of order, and it reports no counts",
      {
        sessionEndsAfterMs: 150,
        reportsConnections: false,
        misbehaviour: { late: 0.2, twice: 0.2, outOfOrder: 0.2, lateMs: 300 },
      },
    ],
  ])("never has more than 3 in a channel, and leaves no seat behind%s", async (_, options) => {
    const { service, intakeKey, apiKey, seats, listed } = await startTestIntake({ now: Date.now });
    const token = await signToken({ max_channel_connections: MOST }, apiKeyToTokenKey(apiKey));
    const media = await startFakeMedia({
      intakeUrl: `${service.insideUrl}/intake`,
      intakeKey,
      accessToken: () => token,
      ...options,
    });
    onTestFinished(() => media.close());
    const sums = await runTraffic(media, { for: 1200, rate: 130, channels: 4, staysMs: 60 });
    await media.settle();

    expect(sums.attempts).toBeGreaterThan(80);
    // Both must have happened, or the test would show nothing.
    expect(sums.allowed).toBeGreaterThan(20);
    expect(sums.attempts - sums.allowed).toBeGreaterThan(8);
    expect(Object.keys(sums.refused)).toEqual(
      Object.keys(sums.refused).filter((reason) => /allows 3 connections/.test(reason)),
    );
    expect(Math.max(...crowdIn(media))).toBe(MOST);
    expect(await seats()).toEqual([]);
    const { sessions, connections } = await listed();
    expect([sessions.length, connections.length]).toEqual([sums.sessions, sums.connections]);
  });
});
