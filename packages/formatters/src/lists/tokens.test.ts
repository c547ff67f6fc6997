import type { IssuedToken } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
import { issued } from "../test/operation-samples.js";
import { now } from "../test/samples.js";
import { issuedTokens, issuedTokenWords } from "./tokens.js";

const [lobby, endless, later, revoked, expired] = issued as [
  IssuedToken,
  IssuedToken,
  IssuedToken,
  IssuedToken,
  IssuedToken,
];

describe("the heading of issued tokens", () => {
  it.each<[tokens: IssuedToken[], hasMore: boolean, words: string]>([
    [[], false, "No token is out."],
    [[lobby], false, "1 token is out."],
    [[lobby, lobby, later], false, "3 tokens are out."],
    [[lobby, endless], false, "2 tokens are out; ▲ 1 never ends."],
    [[endless, endless], true, "At least 2 tokens are out; ▲ 2 never end."],
    [[revoked, expired], false, "No token is out. 2 have ended."],
    [[revoked, expired], true, "None of these tokens is out. 2 have ended."],
    [[lobby, revoked], false, "1 token is out. 1 more has ended."],
  ])("of %j, with more: %j, is %j", (tokens, hasMore, words) => {
    expect(issuedTokens(tokens, { now, hasMore }).words).toBe(words);
  });
});

describe("a token in a line", () => {
  it.each<[token: IssuedToken, words: string]>([
    [
      lobby,
      "lobby · recvonly · up to 5 connections · ends in 8 min (14:13:30) · requested by slack:T0PLAY/U0ANN · 5f0c8a52…2c11",
    ],
    [endless, "every channel · every role · ▲ never ends · requested by cli:ann@host · 0b7e8a52…7a10"],
    [
      later,
      "会議室 · every role · ▲ admits no connection · begins in 1 h (15:05:30) · ends in 2 d (Nov 23 09:00:00) · 9a1b2c3d…4c5d",
    ],
    [
      revoked,
      "stage 2 & backstage · sendrecv · ✗ revoked 4 min ago (14:01:30) by slack:T0PLAY/U0BEN · requested by slack:T0PLAY/U0ANN · 1c2d3e4f…e4f5",
    ],
    [expired, "lobby · sendonly · ✗ expired 2 h ago (12:00:00) · 7e6d5c4b…b0a9"],
  ])("says how long it lasts: %#", (token, words) => {
    expect(issuedTokenWords(token, { now })).toBe(words);
  });

  it("names people as the caller does, and shows a state and an end that it does not know as they are", () => {
    expect(issuedTokenWords(revoked, { now, nameOf: (name) => name.slice(-3) })).toContain("by BEN · requested by ANN");
    const odd: IssuedToken = JSON.parse('{"jwt_id":"a","state":"frozen","expiration_time":"soon","role":7}');
    expect(issuedTokenWords(odd, { now })).toBe("every channel · 7 · frozen · ends soon · a");
  });
});
