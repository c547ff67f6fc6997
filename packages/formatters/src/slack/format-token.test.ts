import { describe, expect, it } from "vitest";
import { now } from "../test/samples.js";
import type { TokenClaims } from "../token.js";
import { formatToken } from "./index.js";

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

  it("shows its expiry in the reader's own time", () => {
    const { blocks } = formatToken(token, { exp: seconds + 600 }, { now, timeZone: "Asia/Tokyo" });
    expect(JSON.stringify(blocks)).toContain(
      `{"type":"date","timestamp":${seconds + 600},"format":"{date_short_pretty} {time_secs}",` +
        `"fallback":"2026-11-21 23:15:30 Asia/Tokyo · in 10 min"}`,
    );
  });

  it.each([
    [{ exp: seconds + 600 }, "Anyone with this token can use it until it expires."],
    [{}, "Anyone with this token can use it, and it never expires."],
    [unreadable, "Anyone with this token can use it until it expires."],
  ])("with %j warns that it is a secret", (claims, warning) => {
    expect(JSON.stringify(formatToken(token, claims, { now }).blocks.at(-1))).toContain(`"${warning}"`);
  });
});
