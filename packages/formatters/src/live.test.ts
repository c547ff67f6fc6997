import type { LiveChannels } from "@media-ops/contract";
import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { type LiveOptions, liveParts, omittedWords } from "./live.js";
import * as slack from "./slack/index.js";
import { live, liveLobby, now } from "./test/samples.js";
import { previewOf } from "./test/slack-preview.js";

const [lobby] = live.channels;
const [_stage] = live.channels.slice(1);

const liveOf = (...channels: (object | undefined)[]): LiveChannels =>
  ({ ...live, connections: 5, channels: channels.filter(Boolean) }) as LiveChannels;

describe("live channels", () => {
  it.each<[words: string, given: LiveChannels, options?: Partial<LiveOptions>]>([
    ["8 connections in 3 channels; 1 client was admitted and has not connected yet.", live],
    ["5 connections in 1 channel.", liveOf(lobby)],
    ["5 connections in 1,201 channels.", { ...liveOf(lobby), omitted_channels: 1200 }],
    ["2 connections in lobby; 1 client was admitted and has not connected yet.", liveLobby, { channel: "lobby@demo" }],
    ["Nobody is connected.", { ...live, connections: 0, channels: [] }],
    ["Nobody is connected in lobby.", { ...live, connections: 0, channels: [] }, { channel: "lobby" }],
    [
      "Nobody is connected; 2 clients were admitted and have not connected yet.",
      { ...liveOf({ channel_id: "lobby@demo", connections: 0, admitted: 2, roles: {} }), connections: 0 },
    ],
  ])("are summed: %s", (words, given, options) => {
    expect(liveParts(given, { now, ...options }).words).toBe(words);
  });

  it.each<[words: string, given: LiveChannels]>([
    ["", live],
    ["1 more channel is not shown.", { ...live, omitted_channels: 1 }],
    ["1,200 more channels are not shown.", { ...live, omitted_channels: 1200 }],
    [
      "7 more connections are not shown.",
      { ...liveLobby, channels: liveLobby.channels.map((one) => ({ ...one, omitted_clients: 7 })) },
    ],
  ])("say how many are not listed: %j", (words, given) => {
    const parts = liveParts(given, { now });
    expect(omittedWords(parts, parts.omitted)).toBe(words);
  });
});

describe("live channels in Slack", () => {
  it("say how many do not fit", () => {
    const channels = Array.from({ length: 1000 }, () => live.channels)
      .flat()
      .slice(0, 1000);
    const { blocks, shown } = slack.formatLive({ ...live, channels, omitted_channels: 5 }, { now });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    expect(shown).toBeGreaterThan(50);
    expect(previewOf(blocks)).toContain(`${1005 - shown} more channels are not shown.`);
  });
});
