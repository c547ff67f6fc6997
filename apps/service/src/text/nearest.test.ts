import { expect, it } from "vitest";
import { nearest } from "./nearest.js";

const members = ["channel_id", "role", "max_channel_connections", "not_before", "expiration_time", "jwt_id"];

it.each([
  ["expiration_tme", "expiration_time"],
  ["expirationTime", "expiration_time"],
  ["expires_time", "expiration_time"],
  ["EXPIRATION_TIME", "expiration_time"],
  ["max_connections", undefined],
  ["maxChannelConnections", "max_channel_connections"],
  ["channelId", "channel_id"],
  ["channel", "channel_id"],
  ["roles", "role"],
  ["rol", "role"],
  ["notbefore", "not_before"],
  ["jwtid", "jwt_id"],
  ["jti", undefined],
  ["project", undefined],
  ["", undefined],
  ["__proto__", undefined],
  ["constructor", undefined],
  ["🎥🎥🎥", undefined],
  ["role".padEnd(65, "e"), undefined],
])("%j was meant to be %j", (word, meant) => {
  expect(nearest(word, members)).toBe(meant);
});

it("capitals make no difference", () => {
  expect(nearest("accept_encoding", ["ACCEPT_ENCODING"])).toBe("ACCEPT_ENCODING");
});

it("of two words the nearer one is meant, and of two that are as near the first", () => {
  expect(nearest("list-session", ["list-sessions", "list-sessiom"])).toBe("list-sessions");
  expect(nearest("abce", ["abdd", "abcd"])).toBe("abcd");
});

it("where nothing is known, nothing was meant", () => {
  expect(nearest("role", [])).toBeUndefined();
});
