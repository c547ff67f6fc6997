import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { formatToken } from "../slack/index.js";
import { now } from "../test/samples.js";
import type { TokenClaims } from "./words.js";

const token = "eyJhbGciOiJIUzI1NiJ9.e30.signature";
const seconds = now / 1000;

/** The claims of a token from another issuer. */
const unreadable: TokenClaims = JSON.parse('{"exp":"soon"}');

describe("a token", () => {
  it("is only shown in a block of its own, from which it can be copied", () => {
    const message = formatToken(token, { channel_id: "lobby@demo", exp: seconds + 600 }, { now });
    expect(message.blocks[1]).toEqual({
      type: "rich_text",
      elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: token }] }],
    });
    expect(JSON.stringify(message).split(token)).toHaveLength(2);
    expect(message.text).toBe("Access token: Lets its holder send and receive in lobby (project demo), for 10 min.");
  });

  it.each(["javascript:alert('secret')", "play.example/secret", `https://a.example/secret${"a".repeat(3000)}`])(
    "refuses the link %s, without quoting it",
    (joinUrl) => {
      expect(() => formatToken(token, {}, { now, joinUrl })).toThrow(/^Invalid joinUrl: must (?!.*secret)/);
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
    const { blocks } = formatToken(token, claims, { now, revocable });
    expect(JSON.stringify(blocks)).toMatch(words);
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  });

  it.each([
    [{ exp: seconds + 600 }, "Anyone with this token can use it until it expires."],
    [{}, "Anyone with this token can use it, and it never expires."],
    [unreadable, "Anyone with this token can use it until it expires."],
  ])("with %j warns that it is a secret", (claims, warning) => {
    expect(JSON.stringify(formatToken(token, claims, { now }).blocks.at(-1))).toContain(`"${warning}"`);
  });
});
