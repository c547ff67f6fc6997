import { expect, it } from "vitest";
import { holdConnections, lostOf } from "./index.js";
import { start } from "./test/start.js";

it("10,000 connections can be held, and none of their events is lost", async () => {
  const { media, receiver } = await start({ now: Date.now, keepsRecords: false });
  const held = await holdConnections(media, { connections: 10_000, channels: 100 });
  expect(media.connections).toBe(10_000);
  await held.release();
  expect(media.sums).toMatchObject({ allowed: 10_000, connections: 10_000, sessions: 100 });
  expect(new Set(receiver.ofType("connection.destroyed").map((body) => body.id)).size).toBe(10_000);
  expect(lostOf(media.sums)).toBe(0);
});
