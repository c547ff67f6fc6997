import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { formatLive } from "../slack/index.js";
import { now } from "../test/samples.js";
import { previewOf } from "../test/slack-preview.js";
import { live, liveLobby } from "../test/why-samples.js";

describe("live channels in Slack", () => {
  it("have a line each, with roles, seats and since when", () => {
    const { blocks, text, shown } = formatLive(live, { now });
    expect(previewOf(blocks).split(/\n+/)).toEqual([
      "**Live now**<br>8 connections in 3 channels; 1 client was admitted and has not connected yet.",
      "- **lobby** · 5 connections · 5 of 5 seats · 3 sendrecv, 2 recvonly · since 13:47:02 · 18 min ago",
      "- **stage 2 & backstage** · 2 connections · 1 admitted · 3 of 5–8 seats · 2 recvonly · since 22:12:40 · 15 h ago",
      "- **会議室** · 1 connection · 1 sendonly · since 14:05:29 · 1 s ago",
      "Counted at 14:05:30 · now",
    ]);
    expect(text).toBe("Live now: 8 connections in 3 channels; 1 client was admitted and has not connected yet.");
    expect(shown).toBe(3);
  });

  it("have a line for each client if one channel was asked for", () => {
    const { blocks, shown } = formatLive(liveLobby, { now, channel: "lobby", title: "Live in lobby" });
    expect(previewOf(blocks).split(/\n+/)).toEqual([
      "**Live in lobby**<br>2 connections in lobby; 1 client was admitted and has not connected yet.",
      "**lobby** · 2 connections · 1 admitted · 3 of 5 seats · 2 sendrecv · since 13:47:02 · 18 min ago",
      "- **c1** · connection 01KAKV0D…9T1V · sendrecv · admitted, not connected yet · since 14:05:28 · 2 s ago",
      "- **connection 01KAKV09…5HW1** · sendrecv · on node-2 · since 14:03:40 · 1 min ago",
      "- **stage-camera-2** · connection 01KAKV0B…4F2D · sendrecv · on node-1 · since 13:47:02 · 18 min ago",
      "Counted at 14:05:30 · now",
    ]);
    expect(shown).toBe(3);
  });

  it("say if nobody is connected", () => {
    const { blocks, text } = formatLive({ ...live, connections: 0, channels: [] }, { now });
    expect(text).toBe("Live now: Nobody is connected.");
    expect(blocks).toHaveLength(2);
  });

  it("say how many do not fit", () => {
    const channels = Array.from({ length: 1000 }, () => live.channels)
      .flat()
      .slice(0, 1000);
    const { blocks, shown } = formatLive({ ...live, channels, omitted_channels: 5 }, { now });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    expect(shown).toBeGreaterThan(50);
    expect(previewOf(blocks)).toContain(`${1005 - shown} more channels are not shown.`);
  });
});
