import type { CheckedToken } from "@media-ops/contract";
import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import * as slack from "./slack/index.js";
import * as terminal from "./terminal/index.js";
import { badToken, goodToken, now } from "./test/samples.js";
import { withoutColours } from "./test/terminal-text.js";
import { checkedTokenParts, type TokenClaims, tokenWords } from "./token.js";
import { clockFor } from "./values/words.js";

const clock = clockFor({ now });
const inSeconds = (milliseconds: number): number => (now + milliseconds) / 1000;
const [MINUTE, HOUR] = [60_000, 3_600_000];

/** The claims of a token from another issuer, with an expiry that is not a number. */
const unreadable: TokenClaims = JSON.parse('{"exp":"soon","channel_id":"lobby"}');

describe("the permissions of a token in a sentence:", () => {
  it.each<[claims: TokenClaims, sentence: string]>([
    [{}, "Lets its holder send and receive in any channel of the project, with no expiry."],
    [
      { channel_id: "lobby@demo", role: "recvonly", exp: inSeconds(10 * MINUTE) },
      "Lets its holder receive in lobby (project demo), for 10 min.",
    ],
    [
      { channel_id: "lobby", role: "sendonly", nbf: inSeconds(5 * MINUTE), exp: inSeconds(HOUR) },
      "Lets its holder send in lobby, beginning in 5 min, for 55 min.",
    ],
    [
      { role: "sendrecv", nbf: inSeconds(-HOUR), exp: inSeconds(HOUR), max_channel_connections: 1500 },
      "Lets its holder send and receive in any channel of the project, for 1 h, while fewer than 1,500 are connected there.",
    ],
    [
      { nbf: inSeconds(HOUR) },
      "Lets its holder send and receive in any channel of the project, beginning in 1 h, with no expiry.",
    ],
    [{ max_channel_connections: 0 }, "Refuses every connection, because its limit is 0."],
    [{ exp: inSeconds(-2 * HOUR), max_channel_connections: 0 }, "Has expired: it ended 2 h ago."],
    [{ exp: inSeconds(0) }, "Has expired: it ended now."],
    [{ nbf: inSeconds(HOUR), exp: inSeconds(MINUTE) }, "Is never valid: it ends before it begins."],
    [{ role: "admin", channel_id: "lobby" }, "Lets its holder act as admin in lobby, with no expiry."],
    // An unreadable expiry does not mean "never".
    [unreadable, "Lets its holder send and receive in lobby."],
  ])("%j", (claims, sentence) => {
    expect(tokenWords(claims, clock).sentence).toBe(sentence);
  });
});

it("a token that was created within this second is valid for the requested duration", () => {
  const { sentence } = tokenWords({ exp: inSeconds(10 * MINUTE) }, clockFor({ now: now + 700 }));
  expect(sentence).toContain(", for 10 min.");
});

describe("the facts of a token", () => {
  it("include times, for printers that show them in each reader's zone", () => {
    const claims = {
      iat: now / 1000,
      nbf: inSeconds(MINUTE),
      exp: inSeconds(HOUR),
      jti: "0b7e8a52-2f0d-4a57-9c1e-6f1f6f0f7a10",
      channel_id: "lobby@demo",
      role: "recvonly",
      max_channel_connections: 5,
    };
    expect(tokenWords(claims, clock).facts).toEqual([
      { title: "Channel", text: "lobby (project demo)" },
      { title: "Role", text: "recvonly" },
      { title: "Begins", text: "2026-11-21 14:06:30 UTC · in 1 min", time: now + MINUTE },
      { title: "Ends", text: "2026-11-21 15:05:30 UTC · in 1 h", time: now + HOUR },
      { title: "Limit", text: "fewer than 5 connections in the channel" },
      { title: "Token id", text: "0b7e8a52-2f0d-4a57-9c1e-6f1f6f0f7a10" },
    ]);
  });

  it("show values of another type unchanged, and never as missing", () => {
    const { facts, isEndless } = tokenWords({ exp: "soon", nbf: [1] } as object, clock);
    expect(facts[2]).toEqual({ title: "Begins", text: "[1]" });
    expect(facts[3]).toEqual({ title: "Ends", text: "soon" });
    expect(isEndless).toBe(false);
    expect(tokenWords({}, clock).isEndless).toBe(true);
  });

  it("exist even if the token has no claims", () => {
    expect(tokenWords({}, clock).facts.map(({ text }) => text)).toEqual([
      "any channel of the project",
      "any",
      "at once",
      "never",
      "none",
      "–",
    ]);
    expect(tokenWords({ max_channel_connections: 0 }, clock).facts[4]?.text).toBe("0: every connection is refused");
  });
});

const partsOf = (checked: CheckedToken) => checkedTokenParts(checked, { now });

describe("the state of a token", () => {
  it.each<[checked: CheckedToken, verdict: string, next: string]>([
    [{ active: true, jti: "a" }, "✓ Good now, and it ▲ never ends", ""],
    [{ active: false, reason: "expired" }, "✗ Not good: token expired", "Make a new token."],
    [{ active: false, reason: "not-yet-valid" }, "✗ Not good: token not yet valid", "Wait until it begins."],
    [{ active: false }, "✗ Not good: reason not known", "Make a new token."],
  ])("%#: says whether it is good, and the next step", (checked, verdict, next) => {
    expect(partsOf(checked)).toMatchObject({ verdict, next });
  });

  it("says what a client would be answered now", () => {
    const admission = { allowed: true, channel_id: "lobby@demo", role: "recvonly", channel_connections: 1 } as const;
    expect(partsOf({ ...goodToken, admission }).admission).toBe(
      "✓ A client would be admitted to lobby as recvonly; it has 1 connection.",
    );
    expect(partsOf({ active: true }).admission).toBe(
      "Name a channel to check whether a client would be admitted there.",
    );
  });

  it("does not repeat the reason of a token that is not good", () => {
    const admission = { allowed: false, channel_id: "lobby@demo", role: "recvonly", reason: "revoked" } as const;
    const message = "The token was revoked. Make a new one.";
    expect(partsOf({ ...badToken, admission: { ...admission, message } }).admission).toBe(
      "✗ A client would be refused in lobby as recvonly: token revoked.",
    );
  });

  it("says nothing about what a token allows that no key of the project has signed", () => {
    expect(partsOf({ active: false, reason: "bad-signature", key_id: "k" }).facts).toEqual([]);
  });
});

const token = "eyJhbGciOiJIUzI1NiJ9.e30.signature";
const seconds = now / 1000;

describe("a token", () => {
  it.each(["javascript:alert('secret')", "play.example/secret", `https://a.example/secret${"a".repeat(3000)}`])(
    "refuses the link %s, without quoting it",
    (joinUrl) => {
      expect(() => slack.formatToken(token, {}, { now, joinUrl })).toThrow(/^Invalid joinUrl: must (?!.*secret)/);
    },
  );

  it.each([
    [{ exp: seconds + 600 }, true, /until it expires or is revoked\..*It can be revoked by its token id\./],
    [{}, true, /it never expires: it ends only if it is revoked\./],
    [
      { exp: seconds + 600 },
      false,
      /until it expires\..*It can't be revoked on its own, only together with the API key/,
    ],
    [{ exp: seconds + 600 }, "/media revoke 5f0c", /To revoke it: .*\/media revoke 5f0c.*expires or is revoked\./],
  ] as const)("with %j that is revocable: %j says so", (claims, revocable, words) => {
    const { blocks } = slack.formatToken(token, claims, { now, revocable });
    expect(JSON.stringify(blocks)).toMatch(words);
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  });

  it.each([
    [{ exp: seconds + 600 }, "Anyone with this token can use it until it expires."],
    [{}, "Anyone with this token can use it, and it never expires."],
    [unreadable, "Anyone with this token can use it until it expires."],
  ])("with %j warns that it is a secret", (claims, warning) => {
    expect(JSON.stringify(slack.formatToken(token, claims, { now }).blocks.at(-1))).toContain(`"${warning}"`);
  });
});

const longToken = `eyJhbGciOiJIUzI1NiJ9.${"a".repeat(300)}.sig`;
const claims = { channel_id: "lobby@demo", role: "recvonly", exp: now / 1000 + 600 };

describe("a token", () => {
  it("is on a line of its own at any width, so that it can be copied", () => {
    const lines = terminal.formatToken(longToken, claims, { now, width: 40, color: true }).split("\n");
    expect(lines.filter((line) => line === longToken)).toHaveLength(1);
    for (const line of lines) if (line !== longToken) expect(withoutColours(line).length).toBeLessThanOrEqual(40);
  });

  it("can be described without being shown", () => {
    const [usage, silent] = [
      { now, usage: true },
      { now, usage: false },
    ];
    expect(terminal.formatToken("a.b.c", claims, { now })).toBe(`a.b.c\n\n${terminal.formatClaims(claims, usage)}`);
    expect(terminal.formatToken("a.b.c", claims, silent)).toBe(`a.b.c\n\n${terminal.formatClaims(claims, { now })}`);
  });

  it("cannot inject control characters into the terminal", () => {
    expect(terminal.formatToken("a\u001b[2J.b", { role: "\u001b[2J" }, { now })).not.toContain("\u001b");
  });
});
