import type { IssuedToken } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
import { issued, now } from "../test/samples.js";
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
  it("names people as the caller does, and shows a state and an end that it does not know as they are", () => {
    expect(issuedTokenWords(revoked, { now, nameOf: (name) => name.slice(-3) })).toContain("by BEN · requested by ANN");
    const odd: IssuedToken = JSON.parse('{"jwt_id":"a","state":"frozen","expiration_time":"soon","role":7}');
    expect(issuedTokenWords(odd, { now })).toBe("every channel · 7 · frozen · ends soon · a");
  });
});
