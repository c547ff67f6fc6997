import type { LiveChannels } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
import { hostile } from "../test/hostile.js";
import { now } from "../test/samples.js";
import { live, liveLobby } from "../test/why-samples.js";
import { type LiveOptions, liveParts, omittedWords } from "./words.js";

const [lobby] = live.channels;
const [stage] = live.channels.slice(1);

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

  it("have their roles, since when, and the seats that are taken, those of admitted clients included", () => {
    expect(liveParts(live, { now }).channels).toMatchObject([
      { name: "lobby", connections: 5, admitted: 0, seats: "5 of 5", roles: "3 sendrecv, 2 recvonly" },
      { name: "stage 2 & backstage", connections: 2, admitted: 1, seats: "3 of 5–8", roles: "2 recvonly" },
      { name: "会議室", connections: 1, admitted: 0, seats: "–", roles: "1 sendonly" },
    ]);
    expect(liveParts(live, { now }).channels[0]?.since).toBe(Date.parse("2026-11-21T13:47:02.7Z"));
    expect(stage?.limits).toEqual({ min: 5, max: 8 });
  });

  it("have their clients, and those that are admitted, if one was asked for", () => {
    expect(liveParts(liveLobby, { now }).channels[0]?.clients).toMatchObject([
      { client: "c1", connection: "01KAKV0D…9T1V", role: "sendrecv", node: "–", isAdmitted: true },
      { client: "–", connection: "01KAKV09…5HW1", role: "sendrecv", node: "node-2", isAdmitted: false },
      { client: "stage-camera-2", connection: "01KAKV0B…4F2D", role: "sendrecv", node: "node-1", isAdmitted: false },
    ]);
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

  it.each(Object.entries(hostile))("never throw for %s", (_, thing) => {
    const channel = {
      channel_id: thing,
      connections: thing,
      roles: thing,
      limits: thing,
      since: thing,
      clients: [thing],
    };
    for (const given of [
      thing,
      liveOf(thing),
      liveOf(channel),
      { connections: "5", channels: thing, omitted_channels: -1 },
    ]) {
      expect(() => liveParts(given as LiveChannels, { now })).not.toThrow();
    }
  });
});
