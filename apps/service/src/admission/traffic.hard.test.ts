import { type FakeMediaOptions, runTraffic, startFakeMedia } from "@media-ops/fake-media";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { expect, it, onTestFinished } from "vitest";
import { crowdsIn } from "../test/chaos.js";
import { startTestIntake } from "../test/intake-harness.js";
import { atNight } from "../test/level.js";

const SECONDS = atNight(3, 1.2);
const MOST = 3;
const RATE = 130;

const late = { late: 0.2, twice: 0.2, outOfOrder: 0.2, lateMs: 300 };
const cases: [string, Partial<FakeMediaOptions>][] = [
  ["reports counts", {}],
  [
    "ends sessions later, reports no counts, and sends events late, twice and out of order",
    { sessionEndsAfterMs: 150, reportsConnections: false, misbehaviour: late },
  ],
  ["reports no counts", { reportsConnections: false }],
  ["ends sessions later than their last connection", { sessionEndsAfterMs: 150 }],
  ["ends sessions later, and reports no counts", { sessionEndsAfterMs: 150, reportsConnections: false }],
  ["sends events late, twice and out of order", { misbehaviour: { ...late, lateMs: 400 } }],
];

it.each(cases.slice(0, atNight(cases.length, 2)))(
  "never admits more than 3 clients with tokens for 3, and leaves no seat, under load from a media server that %s",
  async (_, options) => {
    const { service, intakeKey, apiKey, seats, listed } = await startTestIntake({ now: Date.now });
    const token = await signToken({ max_channel_connections: MOST }, apiKeyToTokenKey(apiKey));
    const media = await startFakeMedia({
      intakeUrl: `${service.internalUrl}/intake`,
      intakeKey,
      accessToken: () => token,
      ...options,
    });
    onTestFinished(() => media.close());
    const sums = await runTraffic(media, { for: SECONDS * 1000, rate: RATE, channels: 4, staysMs: 60 });
    await media.settle();

    // The test proves something only if many attempts are admitted and many are refused.
    expect(sums.attempts).toBeGreaterThan(SECONDS * 65);
    expect(sums.allowed).toBeGreaterThan(SECONDS * 16);
    expect(sums.attempts - sums.allowed).toBeGreaterThan(SECONDS * 6);
    for (const reason of Object.keys(sums.refused)) expect(reason).toMatch(/allows 3 connections/);
    expect(Math.max(...crowdsIn(media))).toBe(MOST);
    expect(await seats()).toEqual([]);
    const { sessions, connections } = await listed();
    expect([sessions.length, connections.length]).toEqual([sums.sessions, sums.connections]);
  },
);
